package ssimulacra2

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
)

// ErrTiles says that CompareTiles was asked for tiles without a size or for none at all.
var ErrTiles = errors.New("there is nothing to measure")

// CompareTiles estimates [Compare] of large pictures from at most so many square tiles, whose side is given in pixels and
// rounded up to a multiple of 32. Where most covers every tile, the answer is Compare's.
//
// The tiles are chosen by how much their pixels differ (mean squared difference of the sRGB values), always the same ones
// for the same pictures. Half of them are those that differ most, and count for themselves: the score's fourth powers are
// ruled by the worst places, so damage in one corner must not be missed. All others, in the order of their difference, are
// divided into runs of equal length, of which the first tile, the worst by that measure, counts for the whole run. So the
// estimate leans to the low side, and whoever searches for the smallest file at a score does not overshoot it. Tiles are
// measured with their true surroundings, not with a black border, which would hide errors at the coarse scales.
//
// It takes about 45 ms of one core for each megapixel of the tiles, and 2 for each of the pictures. Errors are Compare's
// and [ErrTiles].
func CompareTiles(ctx context.Context, reference, distorted Picture, tile, most int) (float64, error) {
	const wider = 1 << 20 // than any picture: keeps the rounding from overflowing
	if tile < 1 || most < 1 {
		return 0, fmt.Errorf("compare %d tiles of %d pixels: %w", most, tile, ErrTiles)
	}
	if err := check(reference, distorted); err != nil {
		return 0, fmt.Errorf("compare tiles: %w", err)
	}
	if bytes.Equal(reference.Pix, distorted.Pix) {
		return Identical, nil
	}
	side := (min(tile, wider) + coarsest - 1) / coarsest * coarsest
	p := newPair(reference, distorted)
	tiles := p.cut(side, side)
	if len(tiles) <= most {
		return Compare(ctx, reference, distorted)
	}
	chosen, weights := p.choose(tiles, most)
	scales := scalesOf(p.width, p.height)
	sums, err := p.measure(ctx, chosen, scales, runtime.GOMAXPROCS(0))
	if err != nil {
		return 0, fmt.Errorf("compare tiles: %w", err)
	}
	total := make([]tally, len(scales))
	for i, part := range sums {
		if weights[i] > 1 { 
			j := i+1
			if j == len(sums) { j = i-1 }
			if j>=0 {
			part = worse(part, sums[j], float64(chosen[i].pixels())/float64(chosen[j].pixels()))
			}
		}
		addUp(total, part, weights[i])
	}
	return score(scales, total), nil
}

// choose picks most of the tiles, which are more, and says how many times its own pixels each stands for.
func (p *pair) choose(tiles []area, most int) (chosen []area, weights []float64) {
	type ranked struct {
		area
		difference float64
	}
	order := make([]ranked, len(tiles))
	for i, t := range tiles {
		order[i] = ranked{t, p.difference(t)}
	}
	// Stable, so that tiles of one difference stay in reading order.
	slices.SortStableFunc(order, func(a, b ranked) int { return cmp.Compare(b.difference, a.difference) })

	alone := (most - 1) / 2
	runs := most - alone
	rest := order[alone:]
	for _, t := range order[:alone] {
		chosen, weights = append(chosen, t.area), append(weights, 1)
	}
	for i := range runs {
		run := rest[i*len(rest)/runs : (i+1)*len(rest)/runs]
		pixels := 0
		for _, t := range run {
			pixels += t.pixels()
		}
		chosen = append(chosen, run[0].area)
		weights = append(weights, float64(pixels)/float64(run[0].pixels()))
	}
	return chosen, weights
}

// difference is the mean squared difference of a tile's bytes.
func (p *pair) difference(t area) float64 {
	x := span{min(t.x.first, p.across), min(t.x.end, p.across)}
	y := span{min(t.y.first, p.down), min(t.y.end, p.down)}
	var sum uint64
	for row := y.first; row < y.end; row++ {
		from, end := (row*p.across+x.first)*3, (row*p.across+x.end)*3
		sum += squaredDifference(p.pix[0][from:end], p.pix[1][from:end])
	}
	return float64(sum) / float64(3*x.len()*y.len())
}

func worse(a, b []tally, k float64) []tally {
	out := make([]tally, len(a))
	for s := range a { for c := range a[s] { for n := range a[s][c] { for m := range a[s][c][n] { out[s][c][n][m] = max(a[s][c][n][m], k*b[s][c][n][m]) }}}}
	return out
}
