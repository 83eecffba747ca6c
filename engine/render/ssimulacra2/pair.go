package ssimulacra2

import "math"

// minSide is the shortest side that the measure is defined for.
const minSide = 8

// coarsest is how many pixels of the finest scale one of the coarsest covers, to the right and down. Parts that begin at
// a multiple of it have no pixel in common at any scale.
const coarsest = 1 << (maxScales - 1)

// span is a run of rows or columns, from first up to and without end.
type span struct{ first, end int }

func (s span) has(i int) bool { return s.first <= i && i < s.end }
func (s span) len() int       { return s.end - s.first }

// grown reaches n further at either end, but not below 0 nor beyond limit.
func (s span) grown(n, limit int) span { return span{max(0, s.first-n), min(limit, s.end+n)} }

func (s span) halved() span { return span{s.first / 2, half(s.end)} }

// doubled undoes halved: what the next finer scale, of the given length, has there.
func (s span) doubled(limit int) span { return span{2 * s.first, min(limit, 2*s.end)} }

func (s span) with(other span) span { return span{min(s.first, other.first), max(s.end, other.end)} }

func half(n int) int { return (n + 1) / 2 }

// area is a rectangle of pixels.
type area struct{ x, y span }

func (a area) pixels() int { return a.x.len() * a.y.len() }

// pair is two pictures of one size, continued by reflection to minSide.
type pair struct {
	width, height int
	// across and down are how many pixels there are before reflection.
	across, down int
	pix          [2][]byte
}

func newPair(reference, distorted Picture) pair {
	return pair{
		width:  max(reference.Width, minSide),
		height: max(reference.Height, minSide),
		across: reference.Width,
		down:   reference.Height,
		pix:    [2][]byte{reference.Pix, distorted.Pix},
	}
}

// cut divides the pictures into parts of at most width by height, which are multiples of coarsest, in reading order.
func (p *pair) cut(width, height int) []area {
	var parts []area
	for y := 0; y < p.height; y += height {
		for x := 0; x < p.width; x += width {
			parts = append(parts, area{span{x, min(x+width, p.width)}, span{y, min(y+height, p.height)}})
		}
	}
	return parts
}

// row writes the linear light, 0 to 1, of a piece of row y of picture i.
func (p *pair) row(i, y int, columns span, rgb *[3][]float32) {
	line := p.pix[i][reflected(y, p.down)*p.across*3:][:p.across*3]
	n := columns.len()
	r, g, b := rgb[0][:n], rgb[1][:n], rgb[2][:n]
	if p.across < minSide {
		for x := range n {
			px := line[reflected(columns.first+x, p.across)*3:][:3]
			r[x], g[x], b[x] = linear[px[0]], linear[px[1]], linear[px[2]]
		}
		return
	}
	line = line[columns.first*3 : columns.end*3]
	for x := range n {
		px := line[:3:3]
		r[x], g[x], b[x] = linear[px[0]], linear[px[1]], linear[px[2]]
		line = line[3:]
	}
}

// reflected gives the place of i in a line of n that is continued by its mirror image, again and again.
func reflected(i, n int) int {
	i %= 2 * n
	if i < n {
		return i
	}
	return 2*n - 1 - i
}

// linear undoes the sRGB transfer curve (IEC 61966-2-1).
var linear = func() (table [256]float32) {
	for i := range table {
		v := float64(i) / 255
		if v <= 0.04045 {
			table[i] = float32(v / 12.92)
		} else {
			table[i] = float32(math.Pow((v+0.055)/1.055, 2.4))
		}
	}
	return table
}()
