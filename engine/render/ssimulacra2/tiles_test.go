package ssimulacra2

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The estimate may be lower than the score, which costs bytes, but not far above it, which would cost quality.
func TestTilesAreNeverFarAboveTheWhole(t *testing.T) {
	t.Parallel()
	for name := range drawings {
		reference := draw(name, 1100, 800)
		for distortion, n := range map[string]int{
			"noise": 9, "blocks": 60, "posterize": 8, "dither": 20, "brighten": 3, "bleed": 2, "jpeg": 80, "spot": 9,
		} {
			t.Run(fmt.Sprint(name, " ", distortion), func(t *testing.T) {
				t.Parallel()
				distorted := distortions[distortion](t, reference, n)
				whole := compared(t, reference, distorted)
				estimate, err := CompareTiles(t.Context(), reference, distorted, 192, 12)
				require.NoError(t, err)
				require.Less(t, estimate, whole+0.5)
				require.Greater(t, estimate, whole-3)
			})
		}
	}
}

func TestAllTilesGiveTheWholeScore(t *testing.T) {
	t.Parallel()
	m := draw("landscape", 700, 300)
	d := blocks(m, 60)
	whole := compared(t, m, d)
	for _, tile := range []int{1, 200, 256, 4096, 1 << 62} {
		got, err := CompareTiles(t.Context(), m, d, tile, 1<<40)
		require.NoError(t, err)
		require.InDelta(t, whole, got, 1e-9, tile)
	}
	got, err := CompareTiles(t.Context(), m, copied(m), 64, 1)
	require.NoError(t, err)
	require.Equal(t, Identical, got)
}

func TestDamageInOneCornerIsNotMissed(t *testing.T) {
	t.Parallel()
	m := draw("landscape", 900, 900)
	for _, corner := range [][2]int{{0, 0}, {888, 0}, {430, 500}, {888, 888}} {
		d := copied(m)
		for y := range 12 {
			clear(d.Pix[((corner[1]+y)*900+corner[0])*3:][:36])
		}
		whole := compared(t, m, d)
		estimate, err := CompareTiles(t.Context(), m, d, 128, 8)
		require.NoError(t, err)
		require.Less(t, whole, 80.0, corner)
		require.Less(t, estimate, whole+0.5, corner)
		require.Greater(t, estimate, whole-6, corner)
	}
}

func TestNarrowPicturesHaveTilesToo(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 1000}, {1000, 60}, {9, 1000}, {1000, 3}} {
		m := draw("landscape", size[0], size[1])
		d := noise(m, 12)
		estimate, err := CompareTiles(t.Context(), m, d, 64, 6)
		require.NoError(t, err)
		require.InDelta(t, compared(t, m, d), estimate, 2, size)
	}
}

func TestEveryPixelIsStoodForOnce(t *testing.T) {
	t.Parallel()
	tiles := cut(1000, 700, 96, 96)
	errors := make([][]tally, len(tiles))
	for i := range errors {
		errors[i] = make([]tally, 4)
		errors[i][0][1][1][structural] = float64(i * 7 % 31)
	}
	for most := range len(tiles) {
		chosen := choose(tiles, errors, most+1)
		require.Len(t, chosen, most+1)
		total, seen := 0, map[area]bool{}
		for i, s := range chosen {
			total += s.stands
			seen[s.area] = true
			require.Less(t, s.neighbour, len(chosen))
			require.Equal(t, i < most/2 || most == 0, s.neighbour == i)
		}
		require.Equal(t, 1000*700, total)
		require.Len(t, seen, most+1)
	}
}

func TestNoTilesAreRefused(t *testing.T) {
	t.Parallel()
	m := draw("gradient", 90, 90)
	for _, c := range [][2]int{{0, 4}, {-5, 4}, {64, 0}, {64, -1}} {
		_, err := CompareTiles(t.Context(), m, noise(m, 2), c[0], c[1])
		require.ErrorIs(t, err, ErrTiles)
	}
}
