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

// fineScales are the scales that cost most and weigh least: CompareTiles samples them.
const fineScales = 2

// CompareTiles estimates [Compare] of large pictures: the scales from 1:4 on, which weigh most, are measured
// everywhere; 1:1 and 1:2 on no more than most square tiles, whose side is given in pixels and rounded up to a
// multiple of 32. Where most covers every tile, and for pictures too narrow to have a third scale, the answer is
// Compare's.
//
// The tiles are chosen by their errors at 1:4, always the same ones for the same pictures. Half of them are the worst
// ones, and each counts for itself: the worst places rule the score's fourth powers, so damage in one corner must not
// be missed. The others, from worse to better, are divided into runs, of which the first tile is measured, and each
// run counts as the worse of its own tile and a neighbouring run's, map by map. So the estimate leans to the low side,
// and a search for the smallest file at a score does not overshoot: with 16 tiles of 256 pixels of pictures of 5
// megapixels it was from 0.1 above to 2 below Compare.
//
// A megapixel of the picture takes about 12 ms of one core, one of the tiles 25 more (16 tiles of 256 of 25 megapixels:
// 0.35 s instead of 0.9 s), and each pixel 1.5 bytes of memory. Errors are Compare's and [ErrTiles].
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
	tiles, scales := cut(p.width, p.height, side, side), scalesOf(p.width, p.height)
	if len(tiles) <= most || len(scales) <= fineScales {
		return Compare(ctx, reference, distorted)
	}
	estimate, err := p.estimate(ctx, tiles, scales, most)
	if err != nil {
		return 0, fmt.Errorf("compare tiles: %w", err)
	}
	return estimate, nil
}

func (p *pair) estimate(ctx context.Context, tiles []area, scales []scale, most int) (float64, error) {
	workers := runtime.GOMAXPROCS(0)
	q, err := newQuarter(ctx, p, workers)
	if err != nil {
		return 0, err
	}
	quarters := make([]area, len(tiles))
	for i, t := range tiles {
		quarters[i] = t.halved().halved()
	}
	coarse, err := measure(ctx, q, quarters, scales[fineScales:], workers)
	if err != nil {
		return 0, err
	}
	total := make([]tally, len(scales))
	for _, part := range coarse {
		addUp(total[fineScales:], part, 1)
	}
	chosen := choose(tiles, coarse, most)
	areas := make([]area, len(chosen))
	for i, s := range chosen {
		areas[i] = s.area
	}
	fine, err := measure(ctx, p, areas, scales[:fineScales], workers)
	if err != nil {
		return 0, err
	}
	for i, part := range fine {
		if next := chosen[i].neighbour; next != i {
			part = worse(part, fine[next], float64(areas[i].pixels())/float64(areas[next].pixels()))
		}
		addUp(total, part, float64(chosen[i].stands)/float64(areas[i].pixels()))
	}
	return score(scales, total), nil
}

// sample is a tile that is measured, how many pixels it stands for, and which sample bounds what it cannot know of
// them; itself when it stands for itself alone.
type sample struct {
	area
	stands, neighbour int
}

// choose picks most of the tiles, which are more, by what they lose of luma at the first of their coarse scales.
func choose(tiles []area, coarse [][]tally, most int) []sample {
	order := make([]int, len(tiles))
	rank := make([]float64, len(tiles))
	for i, t := range tiles {
		order[i] = i
		luma := &coarse[i][0][1]
		rank[i] = (luma[1][structural] + luma[1][lost]) / float64(t.pixels())
	}
	// Stable, so that tiles without a difference stay in reading order.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[b], rank[a]) })

	alone := (most - 1) / 2
	chosen := make([]sample, 0, most)
	for i, t := range order[:alone] {
		chosen = append(chosen, sample{tiles[t], tiles[t].pixels(), i})
	}
	rest, runs := order[alone:], most-alone
	for i := range runs {
		s := sample{area: tiles[rest[i*len(rest)/runs]], neighbour: alone + i + 1}
		if i == runs-1 {
			s.neighbour = max(alone+i-1, 0)
		}
		for _, t := range rest[i*len(rest)/runs : (i+1)*len(rest)/runs] {
			s.stands += tiles[t].pixels()
		}
		chosen = append(chosen, s)
	}
	return chosen
}

// worse takes the larger of each error of part and of other, whose errors it scales to the size of part.
func worse(part, other []tally, size float64) []tally {
	out := make([]tally, len(part))
	for s := range part {
		for c := range part[s] {
			for n := range part[s][c] {
				for m, v := range part[s][c][n] {
					out[s][c][n][m] = max(v, other[s][c][n][m]*size)
				}
			}
		}
	}
	return out
}
