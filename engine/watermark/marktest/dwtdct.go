// Package marktest writes the open watermarks that the watermark lane reads, as the generators' own code does it, for
// tests and measurements. Nothing here may be linked into the product.
package marktest

import (
	"image"
	"math"
)

// Samples is what the library is given.
type Samples int

// Bytes are what scripts give that load a finished picture, Floats what pipelines give before they round.
const (
	Bytes Samples = iota
	Floats
)

// DwtDct is a way to write a mark of invisible-watermark (github.com/ShieldMnt/invisible-watermark, method dwtDct).
type DwtDct struct {
	Bits    []bool
	Samples Samples
	// Swapped says that red is given where blue is expected, as diffusers did before version 0.27.
	Swapped bool
}

// step is the library's scale.
const step = 36

// Mark writes the mark into a copy of p, which has 256 x 256 pixels at least: smaller pictures the library refuses.
func (d DwtDct) Mark(p *image.NRGBA) *image.NRGBA {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	y, u, v := make([]float64, w*h), make([]float64, w*h), make([]float64, w*h)
	red, blue := 0, 2
	if d.Swapped {
		red, blue = 2, 0
	}
	for i := range y {
		c := p.Pix[4*i:]
		y[i], u[i], v[i] = d.split(float64(c[red]), float64(c[1]), float64(c[blue]))
	}
	d.write(u, w, h)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range y {
		r, g, b := d.join(y[i], u[i], v[i])
		out.Pix[4*i+red], out.Pix[4*i+1], out.Pix[4*i+blue], out.Pix[4*i+3] = clamp(r), clamp(g), clamp(b), p.Pix[4*i+3]
	}
	return out
}

// split is OpenCV's BGR2YUV: bytes are rounded and have 128 added to U and V, floats have a half added and keep the rest.
func (d DwtDct) split(r, g, b float64) (y, u, v float64) {
	y = 0.299*r + 0.587*g + 0.114*b
	if d.Samples == Bytes {
		y = math.Round(y)
		return y, byteOf(0.492*(b-y) + 128), byteOf(0.877*(r-y) + 128)
	}
	return y, 0.492*(b-y) + 0.5, 0.877*(r-y) + 0.5
}

// join is OpenCV's YUV2BGR.
func (d DwtDct) join(y, u, v float64) (r, g, b float64) {
	base := 0.5
	if d.Samples == Bytes {
		base = 128
	}
	u, v = u-base, v-base
	return y + 1.14*v, y - 0.395*u - 0.581*v, y + 2.032*u
}

// write changes one value in each block of 4 x 4 of the low band of u.
func (d DwtDct) write(u []float64, width, height int) {
	const block, cell = 4, 8
	n := 0
	for row := range height / cell {
		for column := range width / cell {
			at, most := 0, -1.0
			for i := 1; i < block*block; i++ {
				x, y := column*cell+i%block*2, row*cell+i/block*2
				if value := math.Abs(low(u, width, x, y)); value > most {
					at, most = i, value
				}
			}
			x, y := column*cell+at%block*2, row*cell+at/block*2
			value := low(u, width, x, y)
			bit := 0.25
			if d.Bits[n%len(d.Bits)] {
				bit = 0.75
			}
			wanted := (math.Floor(math.Abs(value)/step) + bit) * step
			lift(u, width, x, y, (math.Copysign(wanted, value)-value)/2)
			n++
		}
	}
	d.restore(u, width, height)
}

// low is the low band of Haar's transform.
func low(u []float64, width, x, y int) float64 {
	i := y*width + x
	return (u[i] + u[i+1] + u[i+width] + u[i+width+1]) / 2
}

// lift raises the four samples behind a value of the low band.
func lift(u []float64, width, x, y int, by float64) {
	for _, i := range []int{0, 1, width, width + 1} {
		u[y*width+x+i] += by
	}
}

// restore is what the library makes of the other bands: it exchanges the horizontal and the vertical one on the way back,
// which turns each square of 2 x 2 about its diagonal, and it cuts bytes off behind the point.
func (d DwtDct) restore(u []float64, width, height int) {
	for y := 0; y+1 < height/4*4; y += 2 {
		for x := 0; x+1 < width/4*4; x += 2 {
			i := y*width + x
			u[i+1], u[i+width] = u[i+width], u[i+1]
			if d.Samples == Bytes {
				for _, k := range []int{i, i + 1, i + width, i + width + 1} {
					u[k] = math.Min(math.Max(math.Trunc(u[k]), 0), 255)
				}
			}
		}
	}
}

func byteOf(v float64) float64 { return math.Min(math.Max(math.Round(v), 0), 255) }

func clamp(v float64) uint8 { return uint8(byteOf(v)) }
