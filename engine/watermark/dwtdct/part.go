package dwtdct

import (
	"cmp"
	"math"
	"slices"

	"veracity/engine/raster"
)

// A part cut out of a marked picture has its grid begin anywhere, and its blocks count on from a number and by a width
// that are no longer known. The grid shows by itself: only where blocks are read as they were written do their values
// keep to quarters of a step, whichever bit they carry. So all 64 places of the grid are measured by that, and the best
// are searched for payloads.

// partSide is the longest side of a part that is searched, in pixels: 64 blocks, wherever the grid begins.
const partSide = 64*cell + cell

// part is where a search for parts looks: an even place, so that chroma of half the size has its grid there.
type part struct{ x, y, width, height int }

// partsOf are two parts on the diagonal, so that either half of a picture put together of two has one. A picture that is
// little larger than a part has one.
func partsOf(m *raster.Image) []part {
	width, height := min(m.Width, partSide), min(m.Height, partSide)
	at := func(quarter int) part {
		place := func(side, all int) int { return min(max(all*quarter/4-side/2, 0), all-side) &^ 1 }
		return part{place(width, m.Width), place(height, m.Height), width, height}
	}
	if max(m.Width-width, m.Height-height) < partSide/2 {
		return []part{at(2)}
	}
	return []part{at(1), at(3)}
}

const (
	// mostGrids is how many grids of a part are searched for payloads.
	mostGrids = 8
	// places is at how many pixels across and down a grid may begin.
	places = cell * cell
)

// grid is one way to read a part.
type grid struct {
	way way
	// x and y are where it begins in the part, 0 to 7 pixels.
	x, y int
	// clear says how far its values keep to quarters of a step, in deviations from what the part's other grids show.
	clear float64
	// plane has its blocks.
	plane *plane
}

// part searches one part.
func (s *search) part(m *raster.Image, p part) {
	r := rooms.Get().(*room)
	defer rooms.Put(r)
	grids := r.grids(m, p)
	slices.SortStableFunc(grids, func(a, b grid) int { return cmp.Compare(b.clear, a.clear) })
	for _, g := range grids[:min(mostGrids, len(grids))] {
		s.lattice(g, p)
	}
}

// grids measures all grids of a part, from each of four corners: a low band has a value for every second pixel. The
// sharpened low band is read where chroma of half the size has its own grid.
func (r *room) grids(m *raster.Image, p part) []grid {
	r.used = 0
	var all [ways][]grid
	for corner := range 4 {
		x, y := corner%2, corner/2
		planes := r.planesOf(pixels{m, p.x + x, p.y + y}, (p.width-x)/2, (p.height-y)/2, corner == 0)
		for k, one := range planes {
			first := 2*way(k%2) + plainWays*way(k/2)
			for samples, clear := range one.clear() {
				w := first + way(samples)
				for row := range clear {
					for column, c := range clear[row] {
						all[w] = append(all[w], grid{way: w, x: x + 2*column, y: y + 2*row, clear: c, plane: one})
					}
				}
			}
		}
	}
	var out []grid
	for _, grids := range all {
		stand(grids)
		out = append(out, grids...)
	}
	return out
}

// stand turns means into deviations from the mean of all, so that ways can be compared: what a picture's colours make of
// the measure, they make of all its grids.
func stand(grids []grid) {
	var sum, squares float64
	for _, g := range grids {
		sum += g.clear
		squares += g.clear * g.clear
	}
	n := float64(len(grids))
	mean := sum / n
	spread := squares/n - mean*mean
	for i := range grids {
		grids[i].clear -= mean
		if spread > 0 {
			grids[i].clear /= math.Sqrt(spread)
		}
	}
}
