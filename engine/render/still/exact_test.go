package still_test

import (
	"encoding/binary"
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/engine/render/still"
)

// steps is a picture of n colours that make the two along a diagonal.
func steps(w, h, n int, colour func(i int) color.NRGBA) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.SetNRGBA(x, y, colour((x*3+y*5)%n))
		}
	}
	return p
}

func greys(most int) func(int) color.NRGBA {
	return func(i int) color.NRGBA {
		v := uint8(i * 255 / most)
		return color.NRGBA{v, v, v, 255}
	}
}

func bright(alpha uint8) func(int) color.NRGBA {
	return func(i int) color.NRGBA {
		return color.NRGBA{uint8(i), uint8(255 - i), uint8(i * 7), alpha}
	}
}

// faded is a photograph that becomes transparent to the right.
func faded(w, h int) *image.NRGBA {
	p := mediatest.Photo(w, h)
	for i := 0; i < len(p.Pix); i += 4 {
		p.Pix[i+3] = uint8(255 - i/4%w*255/w)
	}
	return p
}

func TestLosslessKeepsEveryPixel(t *testing.T) {
	t.Parallel()
	photo := mediatest.Photo(61, 43)
	tests := map[string]struct {
		m    *raster.Image
		mode still.Mode
	}{
		"photograph":              {rgb(photo), still.Truecolour},
		"opaque, alpha channel":   {rgba(photo), still.Truecolour},
		"faded photograph":        {rgba(faded(61, 43)), still.TruecolourAlpha},
		"grey photograph":         {grey(rgb(photo)), still.Grey},
		"faded grey photograph":   {grey(rgba(faded(61, 43))), still.GreyAlpha},
		"black and white":         {rgb(steps(37, 21, 2, greys(1))), still.Grey},
		"four greys":              {rgb(steps(37, 21, 4, greys(3))), still.Grey},
		"sixteen greys":           {rgb(steps(37, 21, 16, greys(15))), still.Grey},
		"two colours":             {rgb(steps(37, 21, 2, bright(255))), still.Palette},
		"three colours":           {rgb(steps(37, 21, 3, bright(255))), still.Palette},
		"sixteen colours":         {rgb(steps(200, 99, 16, bright(255))), still.Palette},
		"two hundred colours":     {rgb(steps(300, 200, 200, bright(255))), still.Palette},
		"translucent colours":     {rgba(steps(200, 99, 9, bright(77))), still.Palette},
		"one pixel":               {rgb(photo.SubImage(image.Rect(0, 0, 1, 1)).(*image.NRGBA)), still.Palette},
		"one row":                 {rgb(mediatest.Photo(999, 1)), still.Truecolour},
		"one column":              {rgb(mediatest.Photo(1, 999)), still.Truecolour},
		"a colour under no alpha": {rgba(steps(37, 21, 5, bright(0))), still.Palette},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.m.Width == 1 && tt.m.Height == 1 {
				tt.m.Pix = tt.m.Pix[:tt.m.Channels]
			}
			r := encode(t, tt.m, still.Lossless)
			require.True(t, r.Lossless)
			require.Equal(t, [2]float64{100, 100}, [2]float64{r.Similarity, r.Worst})
			require.LessOrEqual(t, int64(len(r.PNG)), r.PlainBytes)
			if len(tt.m.Pix) > 100 {
				require.Equal(t, tt.mode, r.Mode)
			}
			requireSame(t, tt.m, r.PNG)
		})
	}
}

func TestAnyPixelsComeBackAndNeverLongerThanPlain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &raster.Image{
			Width: rapid.IntRange(1, 40).Draw(t, "width"), Height: rapid.IntRange(1, 40).Draw(t, "height"),
			Channels: rapid.SampledFrom([]int{3, 4}).Draw(t, "channels"),
		}
		// Few values make palettes and greys, many make photographs.
		values := rapid.SliceOfN(rapid.Byte(), 1, 64).Draw(t, "values")
		seed := rapid.Uint32().Draw(t, "seed")
		m.Pix = make([]byte, m.Width*m.Height*m.Channels)
		for i := range m.Pix {
			seed = seed*1664525 + 1013904223
			m.Pix[i] = values[int(seed>>16)%len(values)]
		}
		r, err := still.Encode(t.Context(), m, with(still.Lossless), nil)
		require.NoError(t, err)
		require.LessOrEqual(t, int64(len(r.PNG)), r.PlainBytes)
		back, err := decoder.Decode(t.Context(), r.PNG, probe.PNG)
		require.NoError(t, err)
		require.Equal(t, four(m), four(back))
	})
}

func TestHiddenColoursGoUnlessLossless(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(80, 60)
	for i := 3; i < len(p.Pix); i += 8 {
		p.Pix[i] = 0
	}
	m := rgba(p)
	requireSame(t, m, encode(t, m, still.Lossless).PNG)
	got := pixels(t, encode(t, m, still.High).PNG)
	for i := 0; i < len(got); i += 4 {
		require.Equal(t, m.Pix[i+3], got[i+3], "alpha changed")
		if got[i+3] == 0 && m.Pix[i] > 30 {
			require.NotEqual(t, m.Pix[i:i+3], got[i:i+3], "a hidden colour is still there")
		}
	}
}

// chunks lists the types and bodies of a PNG's chunks.
func chunks(tb testing.TB, file []byte) (kinds []string, bodies map[string][]byte) {
	tb.Helper()
	bodies = map[string][]byte{}
	for c, err := range probe.PNGChunks(file) {
		require.NoError(tb, err)
		kinds, bodies[c.Type] = append(kinds, c.Type), c.Body
	}
	return kinds, bodies
}

func TestFilesSayNothingButTheirPixels(t *testing.T) {
	t.Parallel()
	kinds, bodies := chunks(t, encode(t, rgb(mediatest.Photo(40, 30)), still.VisuallyLossless).PNG)
	require.Equal(t, []string{"IHDR", "sRGB", "IDAT", "IEND"}, kinds)
	require.Equal(t, []byte{0}, bodies["sRGB"])
	require.Equal(t, uint32(40), binary.BigEndian.Uint32(bodies["IHDR"]))

	kinds, bodies = chunks(t, encode(t, rgba(steps(99, 99, 9, bright(77))), still.Lossless).PNG)
	require.Equal(t, []string{"IHDR", "sRGB", "PLTE", "tRNS", "IDAT", "IEND"}, kinds)
	require.Len(t, bodies["PLTE"], 27)
	require.Len(t, bodies["tRNS"], 9)
}

func TestTransparentColoursComeFirstInPalettes(t *testing.T) {
	t.Parallel()
	p := steps(99, 99, 9, bright(255))
	for i := range p.Pix[:40] {
		if i%4 == 3 {
			p.Pix[i] = 0
		}
	}
	_, bodies := chunks(t, encode(t, rgba(p), still.High).PNG)
	require.Equal(t, []byte{0}, bodies["tRNS"], "opaque colours need no entry")
}
