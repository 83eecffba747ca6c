package still

import (
	"cmp"
	"math"
	"slices"
)

// point is a colour where distances are as they are seen: red and blue count for less than green, and alpha as the mean
// of what it changes on black and on white.
type point [4]float32

// lessSeen is the square root of the weight of red's and blue's errors beside green's.
const lessSeen = 0.775

// pointOf spreads colours so that the squared distance of two is half the sum of the squared differences, channel by
// channel, of what they show on black and on white.
func pointOf(c rgba) point {
	const middle = 127.5
	reachOfAlpha := float32(middle * math.Sqrt(1+2*lessSeen*lessSeen))
	a := float32(c[3]) / 255
	return point{
		(float32(c[0]) - middle) * a * lessSeen,
		(float32(c[1]) - middle) * a,
		(float32(c[2]) - middle) * a * lessSeen,
		reachOfAlpha * a,
	}
}

func (p point) distance(q point) float32 {
	a, b, c, d := p[0]-q[0], p[1]-q[1], p[2]-q[2], p[3]-q[3]
	return a*a + b*b + c*c + d*d
}

// swatch is a colour and how many pixels have it.
type swatch struct {
	colour rgba
	point  point
	count  float32
}

const (
	// mostSwatches bounds the work of finding a palette. Where there are more colours, neighbours count as one.
	mostSwatches = 1 << 14
	// mostSamples is how many pixels a palette is found from.
	mostSamples = 1 << 20
)

// swatches counts the colours of s, which has 8 bits a sample and no palette.
func swatches(s *scan) []swatch {
	step := max(1, s.width*s.height/mostSamples)
	if step > 1 && s.width%step == 0 {
		step++ // not the same columns in each row
	}
	counts := map[uint32]float32{}
	for i := 0; i < s.width*s.height; i += step {
		counts[s.colourAt(i).key()]++
	}
	for drop := 1; len(counts) > mostSwatches; drop++ {
		counts = coarser(counts, drop)
	}
	out := make([]swatch, 0, len(counts))
	for key, n := range counts {
		c := rgba{byte(key >> 24), byte(key >> 16), byte(key >> 8), byte(key)} //nolint:gosec // its four bytes
		out = append(out, swatch{c, pointOf(c), n})
	}
	// Maps have no order, and equal pixels must give equal bytes.
	slices.SortFunc(out, func(a, b swatch) int { return cmp.Compare(a.colour.key(), b.colour.key()) })
	return out
}

// coarser merges colours that differ in the lowest bits alone, in the one that most pixels have.
func coarser(counts map[uint32]float32, drop int) map[uint32]float32 {
	type group struct {
		best  uint32
		most  float32
		total float32
	}
	mask := uint32(0xFF<<drop&0xFF) * 0x01010101
	groups := make(map[uint32]group, len(counts)/2)
	for key, n := range counts {
		g := groups[key&mask]
		g.total += n
		if n > g.most || (n == g.most && key < g.best) {
			g.best, g.most = key, n
		}
		groups[key&mask] = g
	}
	out := make(map[uint32]float32, len(groups))
	for _, g := range groups {
		out[g.best] = g.total
	}
	return out
}

// colourAt is pixel i of the picture, counted from the upper left.
func (s *scan) colourAt(i int) rgba {
	p := s.pix[i*s.bpp:]
	switch s.colour {
	case typeGrey:
		return rgba{p[0], p[0], p[0], 0xFF}
	case typeGreyAlpha:
		return rgba{p[0], p[0], p[0], p[1]}
	case typeRGB:
		return rgba{p[0], p[1], p[2], 0xFF}
	default:
		return rgba(p[:4])
	}
}
