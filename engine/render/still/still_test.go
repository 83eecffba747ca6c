package still_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/raster"
	"veracity/engine/render/still"
)

func rasterOf(p *image.NRGBA) *raster.Image {
	return &raster.Image{Width: p.Rect.Dx(), Height: p.Rect.Dy(), Channels: 4, Pix: p.Pix}
}

func TestLosslessKeepsEveryPixel(t *testing.T) {
	t.Parallel()
	m := rasterOf(mediatest.Photo(123, 77))
	r, err := still.Encode(t.Context(), m, still.Config{Fidelity: still.Lossless, Workers: 1}, nil)
	require.NoError(t, err)
	p, err := png.Decode(bytes.NewReader(r.PNG))
	require.NoError(t, err)
	for y := range m.Height {
		for x := range m.Width {
			R, G, B, _ := p.At(x, y).RGBA()
			i := (y*m.Width + x) * 4
			require.Equal(t, m.Pix[i:i+3], []byte{byte(R >> 8), byte(G >> 8), byte(B >> 8)})
		}
	}
	require.Less(t, int64(len(r.PNG)), r.PlainBytes)
}
