package still_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/engine/render/ssimulacra2"
	"veracity/engine/render/still"
)

// decoder is libvips, the second reader of what is written here.
var decoder *raster.Decoder

func TestMain(m *testing.M) {
	d, err := raster.Startup(raster.DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	decoder = d
	code := m.Run()
	d.Shutdown()
	os.Exit(code)
}

// with is the default at another fidelity.
func with(f still.Fidelity) still.Config {
	cfg := still.DefaultConfig()
	cfg.Fidelity = f
	return cfg
}

func encode(tb testing.TB, m *raster.Image, f still.Fidelity) still.Result {
	tb.Helper()
	r, err := still.Encode(tb.Context(), m, with(f), nil)
	require.NoError(tb, err)
	return r
}

// rgba is p as a decoder gives a picture with an alpha channel.
func rgba(p *image.NRGBA) *raster.Image {
	return &raster.Image{Width: p.Rect.Dx(), Height: p.Rect.Dy(), Channels: 4, Pix: p.Pix}
}

// rgb is p as a decoder gives a picture without one.
func rgb(p *image.NRGBA) *raster.Image {
	m := &raster.Image{Width: p.Rect.Dx(), Height: p.Rect.Dy(), Channels: 3}
	for i := 0; i < len(p.Pix); i += 4 {
		m.Pix = append(m.Pix, p.Pix[i:i+3]...)
	}
	return m
}

// grey keeps a picture's green as its grey.
func grey(m *raster.Image) *raster.Image {
	out := *m
	out.Pix = bytes.Clone(m.Pix)
	for i := 0; i < len(out.Pix); i += m.Channels {
		out.Pix[i], out.Pix[i+2] = out.Pix[i+1], out.Pix[i+1]
	}
	return &out
}

// pixels decodes with Go's own reader: four channels, alpha not multiplied in.
func pixels(tb testing.TB, file []byte) []byte {
	tb.Helper()
	p, err := png.Decode(bytes.NewReader(file))
	require.NoError(tb, err)
	out := image.NewNRGBA(p.Bounds())
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			out.Set(x, y, p.At(x, y))
		}
	}
	if straight, ok := p.(*image.NRGBA); ok {
		return straight.Pix
	}
	return out.Pix
}

// four gives m's pixels with four channels.
func four(m *raster.Image) []byte {
	if m.Channels == 4 {
		return m.Pix
	}
	var out []byte
	for i := 0; i < len(m.Pix); i += 3 {
		out = append(append(out, m.Pix[i:i+3]...), 0xFF)
	}
	return out
}

// requireSame wants both readers to find m's pixels in a file.
func requireSame(tb testing.TB, m *raster.Image, file []byte) {
	tb.Helper()
	require.True(tb, bytes.Equal(four(m), pixels(tb, file)), "image/png reads other pixels")
	other, err := decoder.Decode(tb.Context(), file, probe.PNG)
	require.NoError(tb, err)
	require.Equal(tb, []int{m.Width, m.Height}, []int{other.Width, other.Height})
	require.True(tb, bytes.Equal(four(m), four(other)), "libvips reads other pixels")
}

// on lays four-channel pixels on grey, in floating point.
func on(pix []byte, m *raster.Image, level float64) ssimulacra2.Picture {
	out := ssimulacra2.Picture{Width: m.Width, Height: m.Height}
	for i := 0; i < len(pix); i += 4 {
		a := float64(pix[i+3]) / 255
		for _, v := range pix[i : i+3] {
			out.Pix = append(out.Pix, byte(float64(v)*a+level*(1-a)+0.5))
		}
	}
	return out
}

// similarity compares a file with its source anew.
func similarity(tb testing.TB, m *raster.Image, file []byte) float64 {
	tb.Helper()
	worst := 100.0
	for _, level := range []float64{26, 230} {
		score, err := ssimulacra2.Compare(tb.Context(), on(four(m), m, level), on(pixels(tb, file), m, level))
		require.NoError(tb, err)
		worst = min(worst, score)
	}
	return worst
}
