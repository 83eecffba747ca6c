package dwtdct_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine/mediatest"
	"veracity/engine/raster"
	"veracity/engine/watermark/dwtdct"
	"veracity/engine/watermark/marktest"
)

// opaque is a picture as the decoder gives those without alpha.
func opaque(p *image.NRGBA) *raster.Image {
	m := &raster.Image{Width: p.Rect.Dx(), Height: p.Rect.Dy(), Channels: 3}
	for i := 0; i < len(p.Pix); i += 4 {
		m.Pix = append(m.Pix, p.Pix[i:i+3]...)
	}
	return m
}

// photographs are drawn once each.
var photographs sync.Map

func photograph(width, height int) *image.NRGBA {
	once, _ := photographs.LoadOrStore(image.Pt(width, height), sync.OnceValue(func() *image.NRGBA { return mediatest.Photo(width, height) }))
	return once.(func() *image.NRGBA)()
}

// marked is a photograph of a size with a generator's mark.
func marked(w marktest.Written, width, height int) *image.NRGBA {
	return w.Mark(photograph(width, height))
}

// of is a generator's mark by its payload.
func of(t *testing.T, payload string) marktest.Written {
	t.Helper()
	for _, w := range marktest.Generators() {
		if w.Payload == payload {
			return w
		}
	}
	t.Fatalf("no generator writes %s", payload)
	return marktest.Written{}
}

func requireMark(t *testing.T, want marktest.Written, got dwtdct.Mark) {
	t.Helper()
	require.True(t, got.Sure(), "%+v", got)
	require.True(t, got.Trace())
	require.Equal(t, want.Payload, got.Payload)
	require.Equal(t, want.Generator, got.Generator)
	order, samples := "BGR", "bytes"
	if want.Swapped {
		order = "RGB"
	}
	if want.Samples == marktest.Floats {
		samples = "floats"
	}
	require.Equal(t, order, got.Order)
	require.Equal(t, samples, got.Samples)
}

func TestTheMarkOfEveryGeneratorIsRead(t *testing.T) {
	t.Parallel()
	for _, w := range marktest.Generators() {
		t.Run(w.Payload, func(t *testing.T) {
			t.Parallel()
			got := dwtdct.Read(opaque(marked(w, 512, 512)))
			requireMark(t, w, got)
			require.Greater(t, got.T, 12.0)
			require.Less(t, got.Chance, 1e-10)
			require.Equal(t, []int{0, 0}, []int{got.X, got.Y})
			require.InDelta(t, 1, got.Scale, 0)
		})
	}
}

func TestAlphaDoesNotHideAMark(t *testing.T) {
	t.Parallel()
	w := of(t, "SDXL")
	p := marked(w, 512, 384)
	requireMark(t, w, dwtdct.Read(&raster.Image{Width: 512, Height: 384, Channels: 4, Pix: p.Pix}))
}

func TestSizesThatAreNoMultipleOfABlockAreRead(t *testing.T) {
	t.Parallel()
	w := of(t, "SDV2")
	for _, size := range []image.Point{{511, 389}, {301, 515}, {260, 256}} {
		requireMark(t, w, dwtdct.Read(opaque(marked(w, size.X, size.Y))))
	}
}

func TestALargePictureIsReadFromPartOfItsRows(t *testing.T) {
	t.Parallel()
	w := of(t, "FLUX")
	requireMark(t, w, dwtdct.Read(opaque(marked(w, 1600, 1000))))
}

func TestAMarkIsReadInAPartOfItsPicture(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"StableDiffusionV1", "SDV2", "FLUX"} {
		for cut, part := range map[string]image.Rectangle{
			"odd":  image.Rect(37, 51, 470, 490),
			"even": image.Rect(6, 4, 500, 420),
		} {
			t.Run(name+" "+cut, func(t *testing.T) {
				t.Parallel()
				w := of(t, name)
				got := dwtdct.Read(opaque(marktest.Crop(marked(w, 512, 512), part)))
				requireMark(t, w, got)
				require.Zero(t, (got.X+part.Min.X)%8, "the grid is where it was")
				require.Zero(t, (got.Y+part.Min.Y)%8)
			})
		}
	}
}

func TestAMarkIsReadInEitherOfTwoPictures(t *testing.T) {
	t.Parallel()
	w := of(t, "SDXL")
	whole, plain := marked(w, 512, 384), photograph(512, 384)
	requireMark(t, w, dwtdct.Read(opaque(marktest.Beside(plain, whole))))
	requireMark(t, w, dwtdct.Read(opaque(marktest.Beside(whole, plain))))
}

func TestAMarkIsReadInAScaledPicture(t *testing.T) {
	t.Parallel()
	w := of(t, "SDXL")
	p := marked(w, 768, 512)
	for name, size := range map[string]image.Point{"half": {384, 256}, "0.78": {599, 399}, "0.6": {461, 307}, "1.5": {1152, 768}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := dwtdct.Read(opaque(marktest.Scale(p, size.X, size.Y)))
			requireMark(t, w, got)
			require.InDelta(t, float64(size.X)/768, got.Scale, 1e-9)
		})
	}
}

// plain are pictures that no generator marked.
func plain() map[string]*image.NRGBA {
	r := rand.New(rand.NewPCG(1, 2))
	noise := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(r.UintN(256))
	}
	drawn := func(at func(x, y int) color.NRGBA) *image.NRGBA {
		p := image.NewNRGBA(image.Rect(0, 0, 512, 384))
		for y := range 384 {
			for x := range 512 {
				p.SetNRGBA(x, y, at(x, y))
			}
		}
		return p
	}
	blue, orange := color.NRGBA{30, 60, 220, 255}, color.NRGBA{250, 140, 20, 255}
	pick := func(first bool) color.NRGBA {
		if first {
			return blue
		}
		return orange
	}
	return map[string]*image.NRGBA{
		"photograph":         photograph(512, 384),
		"photograph, small":  mediatest.Photo(160, 130),
		"flat":               mediatest.Flat(512, 512, blue),
		"quadrants":          mediatest.Quadrants(512, 384),
		"noise":              noise,
		"gradient":           drawn(func(x, y int) color.NRGBA { return color.NRGBA{uint8(x / 2), uint8(y / 2), uint8((x + y) / 4), 255} }),
		"squares of a block": drawn(func(x, y int) color.NRGBA { return pick((x/8+y/8)%2 == 0) }),
		"stripes":            drawn(func(x, _ int) color.NRGBA { return pick(x/8%3 == 0) }),
		"stripes of 64":      drawn(func(x, _ int) color.NRGBA { return pick(x/8%8 == 1) }),
		"lines":              drawn(func(_, y int) color.NRGBA { return pick(y/24%2 == 0) }),
		"slanted":            drawn(func(x, y int) color.NRGBA { return pick((x+3*y)/40%2 == 0) }),
		"rings":              drawn(func(x, y int) color.NRGBA { return pick((x*x+y*y)/5000%2 == 0) }),
	}
}

func TestUnmarkedPicturesShowNotEvenATrace(t *testing.T) {
	t.Parallel()
	for name, p := range plain() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := dwtdct.Read(opaque(p))
			require.False(t, got.Trace(), "%+v", got)
			require.False(t, got.Sure())
		})
	}
}

func TestAPayloadThatNoGeneratorWritesIsNoMark(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, length := range []int{32, 46, 48, 64} {
		bits := make([]bool, length)
		for i := range bits {
			bits[i] = r.UintN(2) == 1
		}
		d := marktest.DwtDct{Bits: bits, Samples: marktest.Floats}
		got := dwtdct.Read(opaque(d.Mark(photograph(512, 512))))
		require.False(t, got.Sure(), "%+v", got)
	}
}

func TestPicturesTooSmallForAMarkAreNotSearched(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1, 1}, {8, 8}, {63, 4000}, {120, 120}} {
		require.False(t, dwtdct.Read(opaque(mediatest.Photo(size.X, size.Y))).Trace())
	}
}

// TestChanceIsWhatItSays holds the claim on which verdicts rest: of pictures without a mark, no larger a part shows as
// much as the chance says. Of 80 pictures a tenth may come out as 16.
func TestChanceIsWhatItSays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	const pictures = 80
	below := 0
	for range pictures {
		m := &raster.Image{Width: 152, Height: 128, Channels: 3, Pix: make([]byte, 152*128*3)}
		base := r.UintN(120)
		for i := range m.Pix {
			m.Pix[i] = byte(base + uint(i%3)*20 + r.UintN(60))
		}
		if dwtdct.Read(m).Chance < 0.1 {
			below++
		}
	}
	require.LessOrEqual(t, below, 16)
}

func TestAnyPixelsAreReadWithoutPanic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &raster.Image{
			Width: rapid.IntRange(60, 260).Draw(t, "width"), Height: rapid.IntRange(60, 200).Draw(t, "height"),
			Channels: rapid.IntRange(3, 4).Draw(t, "channels"),
		}
		tile := rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "tile")
		m.Pix = make([]byte, m.Width*m.Height*m.Channels)
		for i := range m.Pix {
			m.Pix[i] = tile[i%len(tile)]
		}
		require.False(t, dwtdct.Read(m).Sure())
	})
}
