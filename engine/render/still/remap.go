package still

import (
	"context"
	"fmt"
	"slices"
)

// remap draws s, which has 8 bits a sample and no palette, with the colours given. dither is which share of a pixel's
// error its neighbours to come make good (Floyd and Steinberg, "An adaptive algorithm for spatial greyscale", 1976), 0
// to 1. Where a pixel's colour is in the palette it is taken, and errors end: even areas stay even.
func remap(ctx context.Context, s *scan, colours []rgba, dither float32) (*scan, error) {
	colours = slices.Clone(colours)
	sortColours(colours)
	out := &scan{layout: newLayout(s.width, s.height, typePalette, paletteDepth(len(colours))), mode: Palette}
	out.pix = make([]byte, out.stride*out.height)
	out.paint(colours)
	d := newDitherer(colours, s.width, dither)
	for y := range s.height {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("map to a palette: %w", err)
		}
		d.row(s, out, y)
	}
	return out, nil
}

// ditherer maps rows in turn, forth and back, so that errors do not all drift one way.
type ditherer struct {
	find   *finder
	share  float32
	now    []point // errors to be made good in this row, with a pixel's room on either side
	next   []point
	points map[uint32]match
}

// match is what a colour of the source becomes.
type match struct {
	point point
	index byte
	exact bool
}

func newDitherer(colours []rgba, width int, share float32) *ditherer {
	return &ditherer{
		find: newFinder(colours), share: share,
		now: make([]point, width+2), next: make([]point, width+2), points: map[uint32]match{},
	}
}

func (d *ditherer) row(s, out *scan, y int) {
	clear(d.next)
	to := out.row(y)
	x, end, step := 0, s.width, 1
	if y%2 == 1 {
		x, end, step = s.width-1, -1, -1
	}
	for ; x != end; x += step {
		k := d.look(s.colourAt(y*s.width + x))
		if k.exact || d.share == 0 {
			put(to, x, out.depth, k.index)
			continue
		}
		want := k.point
		for a := range want {
			want[a] += d.now[x+1][a]
		}
		index := d.find.nearest(want)
		put(to, x, out.depth, index)
		d.spread(x+1, step, want, d.find.points[index])
	}
	d.now, d.next = d.next, d.now
}

// spread hands an error on: 7/16 ahead, 3/16, 5/16 and 1/16 below.
func (d *ditherer) spread(at, step int, want, got point) {
	const limit = 24 // more would show as a streak
	for a := range want {
		e := min(max(want[a]-got[a], -limit), limit) * d.share / 16
		d.now[at+step][a] += 7 * e
		d.next[at-step][a] += 3 * e
		d.next[at][a] += 5 * e
		d.next[at+step][a] += e
	}
}

func (d *ditherer) look(c rgba) match {
	if k, ok := d.points[c.key()]; ok {
		return k
	}
	k := match{point: pointOf(c)}
	k.index = d.find.nearest(k.point)
	k.exact = d.find.points[k.index] == k.point
	if len(d.points) < mostSwatches {
		d.points[c.key()] = k
	}
	return k
}

// finder finds the nearest colour of a palette. It divides the space into cells and notes, when a cell is first met,
// which colours can be nearest to anything in it.
type finder struct {
	points []point
	cells  map[[4]int8][]byte
}

// cellSize is how large a cell is, in levels.
const cellSize = 16

func newFinder(colours []rgba) *finder {
	f := &finder{cells: map[[4]int8][]byte{}}
	for _, c := range colours {
		f.points = append(f.points, pointOf(c))
	}
	return f
}

func (f *finder) nearest(p point) byte {
	var cell [4]int8
	for a, v := range p {
		cell[a] = int8(min(int(max(v+64*cellSize, 0))/cellSize, 127) - 64) //nolint:gosec // clamped
	}
	candidates, ok := f.cells[cell]
	if !ok {
		candidates = f.candidates(cell)
		f.cells[cell] = candidates
	}
	best, least := candidates[0], p.distance(f.points[candidates[0]])
	for _, i := range candidates[1:] {
		if d := p.distance(f.points[i]); d < least {
			best, least = i, d
		}
	}
	return best
}

// candidates are the colours whose least distance from the cell is not beyond another's greatest.
func (f *finder) candidates(cell [4]int8) []byte {
	nearest := make([]float32, len(f.points))
	bound := float32(-1)
	for i, p := range f.points {
		var low, high float32
		for a, v := range p {
			from := float32(cell[a]) * cellSize
			to := from + cellSize
			near := max(from-v, 0, v-to)
			far := max(v-from, to-v)
			low, high = low+near*near, high+far*far
		}
		nearest[i] = low
		if bound < 0 || high < bound {
			bound = high
		}
	}
	var out []byte
	for i, low := range nearest {
		if low <= bound {
			out = append(out, byte(i))
		}
	}
	return out
}
