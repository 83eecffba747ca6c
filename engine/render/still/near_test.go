package still

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/raster"
)

// layouts are a photograph's pixels in each layout that can be pressed: the alpha of some falls to the right.
func layouts(w, h int) map[string]*scan {
	p := mediatest.Photo(w, h)
	out := map[string]*scan{
		"grey":             {layout: newLayout(w, h, typeGrey, 8)},
		"grey and alpha":   {layout: newLayout(w, h, typeGreyAlpha, 8)},
		"colour":           {layout: newLayout(w, h, typeRGB, 8)},
		"colour and alpha": {layout: newLayout(w, h, typeRGBA, 8)},
	}
	for i := 0; i < len(p.Pix); i += 4 {
		alpha := byte(255 - i/4%w*256/w)
		r, g, b := p.Pix[i], p.Pix[i+1], p.Pix[i+2]
		for name, sample := range map[string][]byte{
			"grey": {g}, "grey and alpha": {g, alpha}, "colour": {r, g, b}, "colour and alpha": {r, g, b, alpha},
		} {
			out[name].pix = append(out[name].pix, sample...)
		}
	}
	return out
}

// pressAt presses s at a strength that shows.
func pressAt(t *testing.T, s *scan, strength float64) *scan {
	t.Helper()
	kinds, err := classify(t.Context(), s, 2)
	require.NoError(t, err)
	out, err := near(t.Context(), s, kinds, strength, 2, nil)
	require.NoError(t, err)
	return out
}

func TestPressingMovesSamplesLittleAndAlphaNotAtAll(t *testing.T) {
	t.Parallel()
	for name, s := range layouts(256, 160) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := pressAt(t, s, 3)
			moved, coded := 0, codedChannels(s)
			for i, v := range out.pix {
				switch pixel := i / s.bpp * s.bpp; {
				case i-pixel >= coded:
					require.Equal(t, s.pix[i], v, "alpha changed")
				case coded == s.bpp || s.pix[pixel+coded] > 0:
					require.InDelta(t, s.pix[i], v, mostChange)
					if s.pix[i] != v {
						moved++
					}
				}
			}
			require.Greater(t, moved, len(s.pix)/8)
		})
	}
}

// A tint or a step would show, and would harm marks that live in a block's mean.
func TestPressingKeepsTheMeansOfBlocks(t *testing.T) {
	t.Parallel()
	const side, block = 256, 8
	s := layouts(side, side)["colour"]
	out := pressAt(t, s, usual)
	squares, n := 0.0, 0.0
	for y := 0; y < side; y += block {
		for x := 0; x < side; x += block {
			for c := range 3 {
				sum := 0
				for i := range block * block {
					at := ((y+i/block)*side+x+i%block)*3 + c
					sum += int(out.pix[at]) - int(s.pix[at])
				}
				drift := float64(sum) / (block * block)
				require.Less(t, math.Abs(drift), 2.5)
				squares, n = squares+drift*drift, n+1
			}
		}
	}
	require.Less(t, math.Sqrt(squares/n), 0.7)
}

func TestFurtherPressingIsShorterAndLessAlike(t *testing.T) {
	t.Parallel()
	s := layouts(320, 240)["colour"]
	j := newJudge(s, 90, 2)
	bytes, points := len(s.pix), 100.1
	for _, strength := range []float64{0.7, 1.4, 2.8} {
		out := pressAt(t, s, strength)
		plan, err := choose(t.Context(), out, 2)
		require.NoError(t, err)
		like, err := j.of(t.Context(), out)
		require.NoError(t, err)
		require.Less(t, plan.bytes, bytes)
		require.Less(t, like.whole, points)
		bytes, points = plan.bytes, like.whole
	}
}

func TestPressedRowsNeedNothingAboveTheirBand(t *testing.T) {
	t.Parallel()
	s := layouts(64, 3*nearBand)["colour"]
	out := pressAt(t, s, 2)
	for _, y := range []int{0, nearBand, 2 * nearBand} {
		require.EqualValues(t, filterSub, out.filters[y])
	}
}

func TestEvenAndBusyPixelsAreToldApart(t *testing.T) {
	t.Parallel()
	const side = 32
	s := &scan{layout: newLayout(side, side, typeGreyAlpha, 8), pix: make([]byte, side*side*2)}
	for i := range side * side {
		x, y := i%side, i/side
		s.pix[2*i], s.pix[2*i+1] = 100, 255
		if x >= side/2 {
			s.pix[2*i] = byte(100 + 30*((x+y)%2))
		}
		if y == side-1 {
			s.pix[2*i+1] = 0
		}
	}
	kinds, err := classify(t.Context(), s, 1)
	require.NoError(t, err)
	require.EqualValues(t, even, kinds[5*side+5])
	require.EqualValues(t, busiest, kinds[5*side+25])
	require.Equal(t, unseen, kinds[(side-1)*side+5])

	require.True(t, soften(kinds, side, []frame{{0, 0, side, side}}, []float64{80}, 84))
	require.Less(t, kinds[5*side+5], byte(even))
	require.Equal(t, unseen, kinds[(side-1)*side+5])
	require.False(t, soften(kinds, side, []frame{{0, 0, side, side}}, []float64{84}, 84))
}

func TestSamplesComeFromAllOverThePicture(t *testing.T) {
	t.Parallel()
	s := &scan{layout: newLayout(1500, 1100, typeRGB, 8), pix: make([]byte, 1500*1100*3)}
	for i := range s.pix {
		s.pix[i] = byte(i / 3 % 1500 * 255 / 1500)
	}
	small := s.sample(4, 2)
	require.Equal(t, []int{4 * tile, 2 * tile}, []int{small.width, small.height})
	require.Equal(t, s.row(0)[:30], small.row(0)[:30])
	require.Equal(t, s.row(0)[1499*3], small.row(2*tile - 1)[(4*tile-1)*3])
	require.Same(t, s, s.sample(6, 6), "a sample of the whole is the whole")
}

func TestSurveysFindWhatPicturesNeed(t *testing.T) {
	t.Parallel()
	m := &raster.Image{Width: 2, Height: 1, Channels: 4, Pix: []byte{0x11, 0x11, 0x11, 255, 9, 9, 9, 0}}
	s := look(m)
	require.True(t, s.grey && s.hidden && !s.opaque && !s.many)
	require.Len(t, s.colours, 2)
	s = look(withoutHidden(m))
	require.False(t, s.hidden)
	require.Equal(t, 4, s.greyDepth)
	require.EqualValues(t, 9, m.Pix[4], "the source was changed")
}
