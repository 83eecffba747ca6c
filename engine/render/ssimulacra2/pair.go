package ssimulacra2

import "math"

// minSide is the shortest side that the measure is defined for.
const minSide = 8

// pair is two pictures of one size, continued by reflection to minSide.
type pair struct {
	width, height int
	// across and down are how many pixels there are before reflection, right and below how far apart neighbours lie.
	across, down int
	right, below int
	pix          [2][]byte
}

// newPair lays narrow pictures on their side, because short rows cost more for their number than for their pixels. The
// measure treats rows and columns alike.
func newPair(reference, distorted Picture) pair {
	const narrow = 256
	p := pair{
		across: reference.Width,
		down:   reference.Height,
		right:  3,
		below:  3 * reference.Width,
		pix:    [2][]byte{reference.Pix, distorted.Pix},
	}
	if p.across < min(narrow, p.down) {
		p.across, p.down = p.down, p.across
		p.right, p.below = p.below, p.right
	}
	p.width, p.height = max(p.across, minSide), max(p.down, minSide)
	return p
}

func (p *pair) size() (width, height int) { return p.width, p.height }

// row implements light.
func (p *pair) row(i, y int, columns span, rgb *[3][]float32) {
	line := p.pix[i][reflected(y, p.down)*p.below:]
	n := columns.len()
	r, g, b := rgb[0][:n], rgb[1][:n], rgb[2][:n]
	if p.across < minSide {
		for x := range n {
			px := line[reflected(columns.first+x, p.across)*p.right:][:3]
			r[x], g[x], b[x] = linear[px[0]], linear[px[1]], linear[px[2]]
		}
		return
	}
	at := columns.first * p.right
	for x := range n {
		px := line[at : at+3 : at+3]
		r[x], g[x], b[x] = linear[px[0]], linear[px[1]], linear[px[2]]
		at += p.right
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
