package pixels_test

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/engine/pixels"
	"veracity/engine/pixels/pixelstest"
)

func shared(a, b pixels.Place) int {
	r := image.Rect(a.X, a.Y, a.X+a.Width, a.Y+a.Height).Intersect(image.Rect(b.X, b.Y, b.X+b.Width, b.Y+b.Height))
	return r.Dx() * r.Dy()
}

func TestPatchesLieInThePictureAndHardlyOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(64, 700).Draw(t, "width"), rapid.IntRange(64, 700).Draw(t, "height")
		size := rapid.IntRange(16, min(w, h)).Draw(t, "size")
		count := rapid.IntRange(1, 20).Draw(t, "count")
		m := rgb(mediatest.Photo(w, h))
		places := pixels.Patches(m, size, size, count)
		require.LessOrEqual(t, len(places), count)
		require.NotEmpty(t, places)
		for i, p := range places {
			require.Equal(t, [2]int{size, size}, [2]int{p.Width, p.Height})
			require.True(t, p.X >= 0 && p.Y >= 0 && p.X+size <= w && p.Y+size <= h)
			for _, other := range places[:i] {
				require.LessOrEqual(t, 2*shared(p, other), size*size)
			}
		}
		require.Equal(t, places, pixels.Patches(m, size, size, count))
	})
}

func TestALargePictureGivesAllItsPatchesOffTheBlockGrid(t *testing.T) {
	t.Parallel()
	places := pixels.Patches(rgb(mediatest.Photo(2048, 1536)), 128, 128, 16)
	require.Len(t, places, 16)
	phases := map[[2]int]bool{}
	for _, p := range places {
		require.NotZero(t, p.X%8)
		require.NotZero(t, p.Y%8)
		phases[[2]int{p.X % 8, p.Y % 8}] = true
	}
	require.Greater(t, len(phases), 6)
}

func TestHalfOfThePatchesHaveMostTextureAndTheOthersAreSpread(t *testing.T) {
	t.Parallel()
	// Noise grows from left to right: the place of a patch tells its rank.
	const width, height, size = 2048, 512, 128
	r := rand.New(rand.NewPCG(1, 2))
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			v := uint8(128 + r.NormFloat64()*float64(1+x/64))
			p.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	places := pixels.Patches(rgb(p), size, size, 8)
	require.Len(t, places, 8)
	for _, place := range places[:4] {
		require.Greater(t, place.X, width-3*size)
	}
	thirds := map[int]int{}
	for _, place := range places[4:] {
		thirds[place.X*3/width]++
	}
	require.Len(t, thirds, 3, "%v", places)
}

func TestFlatBlackAndBlownOutPlacesAreLeftOut(t *testing.T) {
	t.Parallel()
	const half = 256
	photo := mediatest.Photo(half, 2*half)
	speckled := func(base uint8, step int) *image.NRGBA {
		p := image.NewNRGBA(image.Rect(0, 0, half, 2*half))
		for i := range p.Pix {
			p.Pix[i] = base
			if i%4 != 3 && (i/4)%3 == 0 {
				p.Pix[i] = uint8(int(base) + step)
			}
			if i%4 == 3 {
				p.Pix[i] = 255
			}
		}
		return p
	}
	for name, other := range map[string]*image.NRGBA{
		"flat": mediatest.Flat(half, 2*half, color.NRGBA{90, 90, 90, 255}), "black": speckled(0, 60), "blown out": speckled(255, -60),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := image.NewNRGBA(image.Rect(0, 0, 2*half, 2*half))
			draw.Draw(p, p.Rect, photo, image.Point{}, draw.Src)
			draw.Draw(p, image.Rect(half, 0, 2*half, 2*half), other, image.Point{}, draw.Src)
			places := pixels.Patches(rgb(p), side, side, 12)
			require.NotEmpty(t, places)
			for _, place := range places {
				limit := half - side*6/10
				if name == "flat" {
					limit = half
				}
				require.Less(t, place.X, limit)
			}
		})
	}
}

// TestPatchesStayAsTheyAre pins the policy: calibrations hold for it alone. Whoever changes it calibrates anew.
func TestPatchesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	// Whole numbers alone, so that the picture is the same on every processor.
	r := rand.New(rand.NewPCG(3, 4))
	p := image.NewNRGBA(image.Rect(0, 0, 900, 700))
	for y := range 700 {
		for x := range 900 {
			v := uint8(100 + r.IntN(2+(x/100*7+y/80*3)%11*4))
			p.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	var got [][2]int
	for _, place := range pixels.Patches(rgb(p), 224, 224, 6) {
		got = append(got, [2]int{place.X, place.Y})
	}
	require.Equal(t, [][2]int{{111, 4}, {222, 415}, {613, 233}, {6, 59}, {218, 116}, {666, 5}}, got)
}

func TestASmallPictureIsContinuedByItsMirrorImage(t *testing.T) {
	t.Parallel()
	const small, size = 120, 300
	p := mediatest.Photo(small, small)
	var seen []float32
	m := pixelstest.Patches(size, 4, func(patch []float32) model.Row { seen = append([]float32{}, patch...); return model.Row{} })
	r, err := pixels.Read(t.Context(), m, rgb(p))
	require.NoError(t, err)
	require.Len(t, r.Patches, 1)
	require.Equal(t, pixels.Place{Width: size, Height: size}, r.Patches[0].Place)
	for _, c := range []struct{ x, y, fromX, fromY int }{{0, 0, 0, 0}, {119, 119, 119, 119}, {120, 5, 118, 5}, {238, 0, 0, 0}, {299, 239, 61, 1}} {
		want := p.NRGBAAt(c.fromX, c.fromY)
		at := c.y*size + c.x
		require.Equal(t, want, color.NRGBA{uint8(seen[at] + 0.5), uint8(seen[size*size+at] + 0.5), uint8(seen[2*size*size+at] + 0.5), 255}, "%+v", c)
	}
}
