package dwtdct

import (
	"math"
	"slices"
)

// lengths are those of the payloads, each once.
var lengths = func() []int {
	var out []int
	for _, p := range payloads {
		if n := len(p.bits); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}()

// tally adds up waves by the bit that they may carry, for each length of a payload.
type tally struct {
	sums   [ways][][]float64
	counts [][]float64
	frames int
}

func newTally() *tally {
	t := &tally{counts: make([][]float64, len(lengths)), frames: 1}
	for k, n := range lengths {
		t.counts[k] = make([]float64, n)
		for way := range t.sums {
			t.sums[way] = append(t.sums[way], make([]float64, n))
		}
	}
	return t
}

// add takes the waves of neighbouring blocks, the first of which is block number first of its picture.
func (t *tally) add(first int, w *waves) {
	for k, n := range lengths {
		for at := range w {
			addTo(t.sums[at][k], first%n, w[at])
		}
		counts, at := t.counts[k], first%n
		for range w[0] {
			counts[at]++
			if at++; at == n {
				at = 0
			}
		}
	}
}

func addTo(sums []float64, at int, values []float32) {
	for len(values) > 0 {
		n := min(len(values), len(sums)-at)
		run := sums[at : at+n]
		for i, v := range values[:n] {
			run[i] += float64(v)
		}
		values, at = values[n:], 0
	}
}

// merge adds another tally of the same grid, such as that of another frame.
func (t *tally) merge(o *tally) {
	for k := range lengths {
		for way := range t.sums {
			for i, v := range o.sums[way][k] {
				t.sums[way][k][i] += v
			}
		}
		for i, n := range o.counts[k] {
			t.counts[k][i] += n
		}
	}
	t.frames += o.frames
}

// whole tries every payload on a tally of a picture's own grid.
func (s *search) whole(t *tally) { s.try(t, func(*Mark) {}) }

// try tries every payload in every way; place says in a mark where it was looked for.
func (s *search) try(t *tally, place func(m *Mark)) {
	s.tests += len(payloads) * int(ways)
	for _, p := range payloads {
		k := slices.Index(lengths, len(p.bits))
		for w := range ways {
			found := p.in(t.sums[w][k], t.counts[k])
			m := Mark{Payload: p.name, Generator: p.generator, T: found.t, Gap: found.gap, Chance: found.chance, Scale: 1}
			if t.frames > 1 {
				m.Frames = t.frames
			}
			w.into(&m)
			place(&m)
			s.take(m)
		}
	}
}

// evidence is how clearly means say a payload.
type evidence struct{ t, gap, chance float64 }

// leastGap is the smallest gap that is worth a look: even pictures have next to none, and next to no spread either.
const leastGap = 0.02

// in compares sums with the payload as it is.
func (p payload) in(sums, counts []float64) evidence {
	means := make([]float64, len(sums))
	for i, n := range counts {
		if n == 0 {
			return evidence{chance: 1}
		}
		means[i] = sums[i] / n
	}
	squares := centre(means, p.period)
	var dot float64
	for i, set := range p.bits {
		if set {
			dot += means[i]
		}
	}
	return p.weigh(dot, squares, p.period)
}

// centre takes from each value the mean of those whose places differ by multiples of classes, and answers the sum of the
// squares that are left.
func centre(values []float64, classes int) (squares float64) {
	each := float64(len(values) / classes)
	for class := range classes {
		var sum float64
		for i := class; i < len(values); i += classes {
			sum += values[i]
		}
		for i := class; i < len(values); i += classes {
			values[i] -= sum / each
			squares += values[i] * values[i]
		}
	}
	return squares
}

// weigh makes Student's t of the correlation of a payload's bits with centred means: dot is the sum of those of the set
// bits, squares is over all of them. With one class it is that of two groups' means.
func (p payload) weigh(dot, squares float64, classes int) evidence {
	bits := make([]float64, len(p.bits))
	for i, set := range p.bits {
		if set {
			bits[i] = 1
		}
	}
	spread := centre(bits, classes)
	gap := dot / spread
	if gap < leastGap {
		return evidence{gap: gap, chance: 1}
	}
	const exact = 1e-12 // keeps a perfect match from dividing by nothing
	free := float64(len(bits) - classes - 1)
	explained := dot * dot / spread
	t := math.Sqrt(explained * free / max(squares-explained, exact))
	return evidence{t: t, gap: gap, chance: tail(t, free)}
}
