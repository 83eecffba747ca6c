package still

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"
)

// Kinds of pixels: from those that may move least to those that may move most, and those that cannot be seen. Where
// surroundings are even, the kind is even; the busier they are, the higher, because what is busy hides more. Kinds below
// even are for places that showed more than they may.
const (
	even      = 6
	busiest   = even + len(borders)
	seenKinds = busiest + 1
	unseen    = byte(seenKinds)
)

// ease is how much further samples of one kind may move than those of the kind below it.
const ease = 1.145

// borders are the variances of brightness in the square around a pixel from which on the next kind begins.
var borders = [...]int{7, 27, 55}

// reach is how far the square goes in each direction.
const reach = 2

// classify gives the kind of each pixel of s, which has 8 bits a sample and no palette.
func classify(ctx context.Context, s *scan, workers int) ([]byte, error) {
	kinds := make([]byte, s.width*s.height)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	const band = 128 // rows
	for from := 0; from < s.height; from += band {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("classify pixels: %w", err)
			}
			classifyBand(s, kinds, from, min(from+band, s.height))
			return nil
		})
	}
	return kinds, group.Wait()
}

// classifyBand keeps sums over the square's rows for each column, and slides along them.
func classifyBand(s *scan, kinds []byte, from, to int) {
	sums, squares := make([]int, s.width), make([]int, s.width)
	bright := make([]int, s.width)
	add := func(y, sign int) {
		if y < 0 || y >= s.height {
			return
		}
		brightness(s, y, bright)
		for x, v := range bright {
			sums[x] += sign * v
			squares[x] += sign * v * v
		}
	}
	for y := from - reach; y < from+reach; y++ {
		add(y, 1)
	}
	for y := from; y < to; y++ {
		add(y+reach, 1)
		rows := min(y+reach, s.height-1) - max(y-reach, 0) + 1
		slide(kinds[y*s.width:(y+1)*s.width], sums, squares, rows)
		add(y-reach, -1)
		hide(s, y, kinds[y*s.width:(y+1)*s.width])
	}
}

func slide(kinds []byte, sums, squares []int, rows int) {
	width := len(kinds)
	sum, square := 0, 0
	for x := range min(reach, width) {
		sum, square = sum+sums[x], square+squares[x]
	}
	for x := range kinds {
		if in := x + reach; in < width {
			sum, square = sum+sums[in], square+squares[in]
		}
		n := rows * (min(x+reach, width-1) - max(x-reach, 0) + 1)
		variance := (square - sum*sum/n) / n
		kind := byte(even)
		for _, border := range borders {
			if variance >= border {
				kind++
			}
		}
		kinds[x] = kind
		if out := x - reach; out >= 0 {
			sum, square = sum-sums[out], square-squares[out]
		}
	}
}

func brightness(s *scan, y int, out []int) {
	row := s.row(y)
	if s.bpp < 3 {
		for x := range out {
			out[x] = int(row[x*s.bpp])
		}
		return
	}
	for x := range out {
		i := x * s.bpp
		out[x] = (306*int(row[i]) + 601*int(row[i+1]) + 117*int(row[i+2])) >> 10 // BT.601
	}
}

// hide marks the pixels that are fully transparent.
func hide(s *scan, y int, kinds []byte) {
	if !s.hasAlpha() {
		return
	}
	row := s.row(y)
	for x := range kinds {
		if row[(x+1)*s.bpp-1] == 0 {
			kinds[x] = unseen
		}
	}
}

// soften lowers the kinds of the pixels in the tiles whose scores are below the floor, by about as much as they are short
// of it, and says whether it could.
func soften(kinds []byte, width int, tiles []frame, scores []float64, floor float64) bool {
	// perKind is about how many points a kind makes.
	const perKind, above = 1.4, 1
	changed := false
	for i, f := range tiles {
		if scores[i] >= floor {
			continue
		}
		steps := byte(min(math.Ceil((floor+above-scores[i])/perKind), even))
		for y := f.y; y < f.y+f.height; y++ {
			row := kinds[y*width+f.x : y*width+f.x+f.width]
			for x, kind := range row {
				if kind != unseen && kind > 0 {
					row[x], changed = kind-min(kind, steps), true
				}
			}
		}
	}
	return changed
}
