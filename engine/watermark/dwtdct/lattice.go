package dwtdct

import (
	"math"
	"slices"
)

// widths are those of usual pictures and of two side by side, in blocks. Only what they leave when divided by a
// payload's length tells one from another.
var widths = func() []int {
	var out []int
	for _, s := range usual {
		for _, w := range []int{s.width / cell, 2 * s.width / cell} {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}()

// earlyWidths are those of the first Stable Diffusion, whose payloads are long.
var earlyWidths = []int{512 / cell, 640 / cell, 704 / cell, 768 / cell, 1024 / cell}

const (
	// clearly is how far a grid must stand out for all strides to be tried.
	clearly = 6
	// long is the length from which a payload has the early widths, and not all strides: that would take long.
	long = 100
)

// strides are by how many bits the payload moves on from one row of blocks to the next.
func (p payload) strides(clear float64) []int {
	n := len(p.bits)
	var out []int
	if n < long && clear > clearly {
		for r := range n {
			out = append(out, r)
		}
		return out
	}
	from := widths
	if n >= long {
		from = earlyWidths
	}
	for _, w := range from {
		if !slices.Contains(out, w%n) {
			out = append(out, w%n)
		}
	}
	return out
}

// lattice tries every payload on a grid of a part, from whichever bit it begins with and by whichever stride.
func (s *search) lattice(g grid, p part) {
	waves, rows, columns := g.plane.waves(g.way, g.y/2, g.x/2)
	for _, pay := range payloads {
		strides := pay.strides(g.clear)
		// That the grids were chosen among all counts as if each had been tried.
		s.tests += places * int(plainWays) * len(strides) * len(pay.bits) / mostGrids
		for _, stride := range strides {
			found := pay.anywhere(fold(waves, rows, columns, stride, len(pay.bits)), pay.classes(stride))
			m := Mark{
				Payload: pay.name, Generator: pay.generator, T: found.t, Gap: found.gap, Chance: found.chance,
				X: p.x + g.x, Y: p.y + g.y, Scale: 1,
			}
			g.way.into(&m)
			s.take(m)
		}
	}
}

// fold averages waves by the bit that they carry, counted from the part's first block, when each row of blocks begins
// stride bits after the one above it. It is nil where a bit has no block.
func fold(waves []float32, rows, columns, stride, n int) []float64 {
	sums, counts := make([]float64, n), make([]float64, n)
	for i := range rows {
		at := i * stride % n
		addTo(sums, at, waves[i*columns:(i+1)*columns])
		for range columns % n {
			counts[at]++
			if at++; at == n {
				at = 0
			}
		}
	}
	for k := range sums {
		counts[k] += float64(rows * (columns / n))
		if counts[k] == 0 {
			return nil
		}
		sums[k] /= counts[k]
	}
	return sums
}

// classes tells which bits of a payload share columns of blocks: those whose places differ by multiples of it. What a
// picture's upright lines make of a column then counts for nothing, as it does not tell one bit of a class from another.
// Where each column has one bit, that cannot be had.
func (p payload) classes(stride int) int {
	a, b := len(p.bits), stride%len(p.bits)
	if b == 0 {
		return p.period
	}
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, p.period)
}

// anywhere compares means with the payload turned around to where it fits best.
func (p payload) anywhere(means []float64, classes int) evidence {
	if means == nil {
		return evidence{chance: 1}
	}
	squares := centre(means, classes)
	n := len(p.bits)
	twice := slices.Concat(means, means)
	var set []int
	for i, bit := range p.bits {
		if bit {
			set = append(set, i)
		}
	}
	best := math.Inf(-1)
	for turn := range n {
		var dot float64
		from := twice[turn : turn+n]
		for _, i := range set {
			dot += from[i]
		}
		best = max(best, dot)
	}
	return p.weigh(best, squares, classes)
}
