package dwtdct_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/raster"
	"veracity/engine/watermark/dwtdct"
	"veracity/engine/watermark/marktest"
)

// noisy adds another noise to each frame, in levels either way.
func noisy(p *image.NRGBA, seed uint64, levels float64) *raster.Image {
	r := rand.New(rand.NewPCG(seed, 9))
	m := opaque(p)
	for i, v := range m.Pix {
		m.Pix[i] = uint8(min(max(float64(v)+(r.Float64()*2-1)*levels, 0), 255))
	}
	return m
}

func TestFramesAddUpToAMarkThatNoneShowsAlone(t *testing.T) {
	t.Parallel()
	w := of(t, "SDXL")
	p := marked(w, 512, 288)
	var clip dwtdct.Clip
	for k := range 8 {
		require.False(t, clip.Add(noisy(p, uint64(k), 24)).Sure(), "frame %d alone", k)
	}
	got := clip.Mark()
	requireMark(t, w, got)
	require.Equal(t, 8, got.Frames)
}

func TestFramesWithoutAMarkAddUpToNone(t *testing.T) {
	t.Parallel()
	p := photograph(512, 288)
	var clip dwtdct.Clip
	require.False(t, clip.Mark().Trace(), "no frame at all")
	for k := range 8 {
		require.False(t, clip.Add(noisy(p, uint64(k), 20)).Trace())
	}
	require.False(t, clip.Mark().Trace())
}

func TestFramesThatWereScaledOrCutAddUpToo(t *testing.T) {
	t.Parallel()
	w := of(t, "SDXL")
	p := marked(w, 1024, 576)
	for name, frame := range map[string]*image.NRGBA{
		"scaled": marktest.Scale(p, 800, 450),
		"cut":    marktest.Crop(p, image.Rect(43, 21, 1000, 560)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var clip dwtdct.Clip
			for range 2 {
				clip.Add(opaque(frame))
			}
			requireMark(t, w, clip.Mark())
		})
	}
}

func TestFramesOfAnotherSizeAreReadAlone(t *testing.T) {
	t.Parallel()
	w := of(t, "SDXL")
	var clip dwtdct.Clip
	clip.Add(opaque(photograph(512, 288)))
	requireMark(t, w, clip.Add(opaque(marked(w, 640, 384))))
	require.False(t, clip.Add(&raster.Image{Width: 1, Height: 1, Channels: 3, Pix: make([]byte, 3)}).Trace())
	require.False(t, clip.Mark().Trace())
}
