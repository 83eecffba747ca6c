package ssimulacra2

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func compared(tb testing.TB, reference, distorted Picture) float64 {
	tb.Helper()
	got, err := Compare(tb.Context(), reference, distorted)
	require.NoError(tb, err)
	return got
}

var smallSizes = [][2]int{
	{1, 1}, {1, 2}, {2, 1}, {1, 300}, {300, 1}, {3, 5}, {7, 7}, {7, 90}, {8, 8}, {8, 7}, {9, 8}, {17, 16}, {33, 31},
}

func TestEqualPicturesScore100AtAnySize(t *testing.T) {
	t.Parallel()
	for _, size := range append(smallSizes, [2]int{1030, 40}, [2]int{40, 1030}, [2]int{300, 530}) {
		m := draw("landscape", size[0], size[1])
		require.Equal(t, Identical, compared(t, m, copied(m)), size)

		// Compare skips the measure when all bytes are equal; the measure itself finds no error either.
		p := newPair(m, copied(m))
		parts := cut(p.width, p.height, partWidth, partHeight)
		sums, err := measure(t.Context(), &p, parts, scalesOf(p.width, p.height), 2)
		require.NoError(t, err)
		for _, part := range sums {
			for _, scale := range part {
				require.Zero(t, scale, size)
			}
		}
	}
}

func TestPicturesOfAnySizeHaveAScoreBelow100WhenTheyDiffer(t *testing.T) {
	t.Parallel()
	for _, size := range smallSizes {
		m := draw("chart", size[0], size[1])
		light, heavy := compared(t, m, brighten(m, -20)), compared(t, m, brighten(m, -120))
		require.Less(t, light, Identical, size)
		require.Less(t, heavy, light, size)
		require.False(t, math.IsInf(heavy, 0) || math.IsNaN(heavy), size)
	}
}

func TestBlackAgainstWhiteHasAFiniteScore(t *testing.T) {
	t.Parallel()
	for _, size := range smallSizes {
		black := Picture{Width: size[0], Height: size[1], Pix: make([]byte, 3*size[0]*size[1])}
		score := compared(t, black, brighten(black, 255))
		require.Less(t, score, 70.0, size)
		require.False(t, math.IsInf(score, 0) || math.IsNaN(score), size)
	}
}

func TestShortSidesAreContinuedByReflection(t *testing.T) {
	t.Parallel()
	small := draw("fabric", 5, 3)
	large := Picture{Width: 8, Height: 8}
	for _, y := range []int{0, 1, 2, 2, 1, 0, 0, 1} {
		for _, x := range []int{0, 1, 2, 3, 4, 4, 3, 2} {
			large.Pix = append(large.Pix, small.Pix[(y*5+x)*3:][:3]...)
		}
	}
	want := compared(t, large, posterize(large, 40, false))
	require.InDelta(t, want, compared(t, small, posterize(small, 40, false)), 1e-9)
}

func TestMoreDamageScoresLower(t *testing.T) {
	t.Parallel()
	m := draw("landscape", 200, 160)
	for name, steps := range map[string][]int{
		"noise":     {1, 4, 9, 20, 45},
		"blur":      {1, 2, 3, 5},
		"blocks":    {20, 60, 150, 400},
		"posterize": {3, 8, 20, 50},
		"brighten":  {1, 5, 20, 60},
		"jpeg":      {98, 90, 70, 40, 10},
	} {
		last := Identical
		for _, n := range steps {
			got := compared(t, m, distortions[name](t, m, n))
			require.Less(t, got, last, "%s %d", name, n)
			last = got
		}
	}
}

func TestRowsAndColumnsAreTreatedAlike(t *testing.T) {
	t.Parallel()
	turned := func(m Picture) Picture {
		out := Picture{Width: m.Height, Height: m.Width}
		for x := range m.Width {
			for y := range m.Height {
				out.Pix = append(out.Pix, m.Pix[(y*m.Width+x)*3:][:3]...)
			}
		}
		return out
	}
	for _, size := range [][2]int{{300, 410}, {37, 700}, {2, 1500}} {
		m := draw("landscape", size[0], size[1])
		d := noise(m, 15)
		require.InDelta(t, compared(t, m, d), compared(t, turned(m), turned(d)), 0.01, size)
	}
}

// Sums of parts are those of the whole, whatever the parts: what a part needs of its surroundings, it reads.
func TestTheScoreDoesNotDependOnPartsOrWorkers(t *testing.T) {
	t.Parallel()
	m := draw("landscape", 333, 299)
	p := newPair(m, blocks(m, 90))
	scales := scalesOf(p.width, p.height)
	scored := func(width, height, workers int) float64 {
		sums, err := measure(t.Context(), &p, cut(p.width, p.height, width, height), scales, workers)
		require.NoError(t, err)
		total := make([]tally, len(scales))
		for _, part := range sums {
			addUp(total, part, 1)
		}
		return score(scales, total)
	}
	whole := scored(512, 512, 1)
	for _, part := range [][2]int{{32, 32}, {64, 512}, {512, 32}, {96, 160}, {320, 288}} {
		require.InDelta(t, whole, scored(part[0], part[1], 2), 1e-4, part)
		require.Equal(t, scored(part[0], part[1], 1), scored(part[0], part[1], 5), part)
	}
}

func TestPicturesThatCannotBeComparedAreRefused(t *testing.T) {
	t.Parallel()
	m := draw("gradient", 20, 10)
	for name, c := range map[string]struct {
		reference, distorted Picture
		want                 error
	}{
		"other size":       {m, draw("gradient", 10, 20), ErrSizes},
		"no pixels":        {Picture{}, Picture{}, ErrPixels},
		"negative":         {Picture{Width: -20, Height: -10, Pix: m.Pix}, m, ErrPixels},
		"too few bytes":    {m, Picture{Width: 20, Height: 10, Pix: m.Pix[:599]}, ErrPixels},
		"too many bytes":   {m, Picture{Width: 20, Height: 9, Pix: m.Pix}, ErrPixels},
		"four channels":    {Picture{Width: 20, Height: 10, Pix: make([]byte, 800)}, m, ErrPixels},
		"size that wraps":  {Picture{Width: math.MaxInt/3 + 1, Height: 3, Pix: m.Pix[:3]}, m, ErrPixels},
		"height that lies": {Picture{Width: 1, Height: math.MaxInt, Pix: m.Pix}, m, ErrPixels},
	} {
		_, err := Compare(t.Context(), c.reference, c.distorted)
		require.ErrorIs(t, err, c.want, name)
		_, err = CompareTiles(t.Context(), c.reference, c.distorted, 64, 4)
		require.ErrorIs(t, err, c.want, name)
	}
}

func TestCancellationEndsTheComparison(t *testing.T) {
	t.Parallel()
	m := draw("fabric", 300, 300)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Compare(ctx, m, noise(m, 3))
	require.ErrorIs(t, err, context.Canceled)
	_, err = CompareTiles(ctx, m, noise(m, 3), 64, 4)
	require.ErrorIs(t, err, context.Canceled)
}

// No part of a picture of the most pixels, in any shape, needs more memory than one of a square picture.
func TestMemoryDoesNotGrowWithThePicture(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{5000, 5000}, {25_000_000, 8}, {8, 25_000_000}, {3_125_000, 8}, {1, 1}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			p := pair{width: max(size[0], minSide), height: max(size[1], minSide)}
			parts := cut(p.width, p.height, partWidth, partHeight)
			for _, part := range []area{parts[0], parts[len(parts)/2], parts[len(parts)-1]} {
				bytes := 0
				for _, l := range newLevels(p.width, p.height, part, scalesOf(p.width, p.height)) {
					bytes += 4 * l.size()
				}
				require.Less(t, bytes, 1_200_000)
			}
		})
	}
}
