package watermark_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/probe"
	"veracity/engine/raster"
)

// decoder is the process's one libvips: what tests encode is decoded as the product does it.
var decoder *raster.Decoder

func TestMain(m *testing.M) {
	d, err := raster.Startup(raster.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	decoder = d
	os.Exit(m.Run())
}

func decoded(t *testing.T, file []byte) *raster.Image {
	t.Helper()
	m, err := decoder.Decode(t.Context(), file, probe.Sniff(file[:min(len(file), probe.HeadBytes)]))
	require.NoError(t, err)
	return m
}

func asPNG(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, p))
	return b.Bytes()
}

// asJPEG has chroma of half the size, as most encoders write it.
func asJPEG(t *testing.T, p image.Image, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, p, &jpeg.Options{Quality: quality}))
	return b.Bytes()
}

// pixels are p's own, with alpha.
func pixels(p *image.NRGBA) *raster.Image {
	return &raster.Image{Width: p.Rect.Dx(), Height: p.Rect.Dy(), Channels: 4, Pix: p.Pix}
}

// filled paints a part of a copy of p.
func filled(p *image.NRGBA, part image.Rectangle, c color.Color) *image.NRGBA {
	out := image.NewNRGBA(p.Rect)
	copy(out.Pix, p.Pix)
	draw.Draw(out, part, image.NewUniform(c), image.Point{}, draw.Src)
	return out
}
