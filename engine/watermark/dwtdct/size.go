package dwtdct

import (
	"math"
	"slices"

	"veracity/engine/raster"
)

// size is a picture's, in pixels.
type size struct{ width, height int }

// usual are the sizes at which the generators in the table of payloads work: those of their scripts' defaults, and those
// that Stable Diffusion XL was trained on (arXiv:2307.01952, appendix I), each upright and across.
var usual = func() []size {
	var out []size
	for _, s := range []size{
		{1024, 1024},
		{512, 512},
		{768, 768},
		{1024, 576},
		{1360, 768},
		{768, 512},
		{1152, 896},
		{1216, 832},
		{1344, 768},
		{1536, 640},
		{704, 512},
		{640, 512},
		{1280, 768},
		{1088, 960},
		{1152, 832},
		{1280, 832},
		{1344, 704},
		{1472, 704},
	} {
		out = append(out, s)
		if s.width != s.height {
			out = append(out, size{s.height, s.width})
		}
	}
	return out
}()

const (
	// mostSizes bounds the sizes that one picture is tried at.
	mostSizes = 3
	// leastScale and mostScale bound the scaling: at half the size a value of the low band is one pixel, and what was made
	// larger than twice is no longer worth its time.
	leastScale, mostScale = 0.45, 2.1
)

// sizesOf are the sizes from which a picture may have been scaled, the likeliest first. One that has a usual size itself
// may have been made smaller; that it was made larger from another is not looked for.
func sizesOf(m *raster.Image) []size {
	most := mostScale
	if slices.Contains(usual, size{m.Width, m.Height}) {
		most = 1
	}
	var out []size
	for _, s := range usual {
		across, down := float64(m.Width)/float64(s.width), float64(m.Height)/float64(s.height)
		// Both sides are rounded to whole pixels.
		near := math.Abs(across-down) < 0.75*(1/float64(s.width)+1/float64(s.height))+0.001
		if near && across != 1 && across > leastScale && across < most && len(out) < mostSizes {
			out = append(out, s)
		}
	}
	return out
}

// scaled is the low band of a picture brought to another size: each value is the mean of the area that it covers, twice.
type scaled struct {
	*raster.Image
	to           size
	across, down float64
	// sum are the sums down the rows of one value, and then of all to the left of each pixel, for both orders.
	sum [2][]float32
}

func newScaled(m *raster.Image, to size) *scaled {
	s := &scaled{Image: m, to: to, across: 2 * float64(m.Width) / float64(to.width), down: 2 * float64(m.Height) / float64(to.height)}
	for order := range s.sum {
		s.sum[order] = make([]float32, m.Width+2)
	}
	return s
}

func (s *scaled) size() (width, height int) { return s.to.width / 2, s.to.height / 2 }

func (s *scaled) row(y int, bgr, rgb []int16) {
	from, to := float64(y)*s.down, float64(y+1)*s.down
	for order := range s.sum {
		clear(s.sum[order])
	}
	for at := int(from); at < s.Height && float64(at) < to; at++ {
		part := math.Min(to, float64(at+1)) - math.Max(from, float64(at))
		s.take(at, float32(part/(s.across*s.down)*2*unit))
	}
	for order := range s.sum {
		run := float32(0)
		for i, v := range s.sum[order] {
			s.sum[order][i] = run
			run += v
		}
	}
	s.cut(s.sum[0], bgr)
	s.cut(s.sum[1], rgb)
}

// take adds a row of pixels with a weight.
func (s *scaled) take(y int, weight float32) {
	row, c := s.Row(y), s.Channels
	own, far, mid := weight*0.492*(1-0.114), weight*0.492*0.299, weight*0.492*0.587
	bgr, rgb := s.sum[0][:s.Width], s.sum[1][:s.Width]
	for x := range bgr {
		p := row[x*c : x*c+3]
		red, green, blue := float32(p[0]), mid*float32(p[1]), float32(p[2])
		bgr[x] += own*blue - far*red - green
		rgb[x] += own*red - far*blue - green
	}
}

// cut takes differences of sums at the edges of values.
func (s *scaled) cut(sum []float32, out []int16) {
	last := sum[0]
	for i := range out {
		edge := float64(i+1) * s.across
		k := min(int(edge), s.Width)
		at := sum[k] + float32(edge-float64(k))*(sum[min(k+1, s.Width)]-sum[k])
		out[i] = hold(int32(math.Round(float64(at - last))))
		last = at
	}
}

// scaled tries the tally of a picture of a width, brought to a size.
func (s *search) scaled(width int, to size, t *tally) {
	s.try(t, func(found *Mark) { found.Scale = float64(width) / float64(to.width) })
}
