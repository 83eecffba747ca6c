//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"image"
	"image/color"
	"math"
)

// Photo draws what a camera could have seen: a sky with clouds and a sun, two lines of hills, textured ground, and the
// grain of a sensor. It depends on its size alone.
func Photo(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := float64(x)/float64(w), float64(y)/float64(h)
			c := scene(u, v)
			grain := (hash(x, y, 1) - 0.5) * 14
			i := p.PixOffset(x, y)
			for k := range 3 {
				p.Pix[i+k] = clamp(c[k] + grain)
			}
			p.Pix[i+3] = 255
		}
	}
	return p
}

// Flat is a picture of one colour.
func Flat(w, h int, c color.NRGBA) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(p.Pix); i += 4 {
		p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3] = c.R, c.G, c.B, c.A
	}
	return p
}

// Quadrants has another colour in each quarter, so that a test can tell how a picture was turned: red, green over
// blue, white.
func Quadrants(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	colours := [4]color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}
	for y := range h {
		for x := range w {
			p.SetNRGBA(x, y, colours[y*2/h*2+x*2/w])
		}
	}
	return p
}

func scene(u, v float64) [3]float64 {
	far, near := 0.55+0.06*waves(u*3), 0.68+0.08*waves(u*2+7)
	switch {
	case v > near:
		t := noise(u*60, v*90)
		return [3]float64{70 + 50*t, 95 + 60*t, 45 + 25*t}
	case v > far:
		t := noise(u*25, v*25)
		return [3]float64{80 + 20*t, 105 + 20*t, 95 + 20*t}
	}
	cloud := math.Max(0, noise(u*6, v*9)+0.5*noise(u*14, v*20)-0.75)
	sun := math.Exp(-((u-0.75)*(u-0.75) + (v-0.2)*(v-0.2)) * 220)
	return [3]float64{
		95 + 80*v + 120*cloud + 140*sun,
		145 + 60*v + 90*cloud + 110*sun,
		215 + 20*v + 40*cloud + 40*sun,
	}
}

func waves(t float64) float64 {
	return math.Sin(t*2.1) + 0.5*math.Sin(t*5.3+1) + 0.2*math.Sin(t*13.7+2)
}

// noise is value noise in 0..1: smooth between whole coordinates.
func noise(x, y float64) float64 {
	xi, yi := math.Floor(x), math.Floor(y)
	fx, fy := smooth(x-xi), smooth(y-yi)
	ix, iy := int(xi), int(yi)
	top := hash(ix, iy, 2)*(1-fx) + hash(ix+1, iy, 2)*fx
	bottom := hash(ix, iy+1, 2)*(1-fx) + hash(ix+1, iy+1, 2)*fx
	return top*(1-fy) + bottom*fy
}

func smooth(t float64) float64 { return t * t * (3 - 2*t) }

// hash gives a number in 0..1 that looks random.
func hash(x, y int, seed uint32) float64 {
	n := uint32(x)*374761393 + uint32(y)*668265263 + seed*2246822519
	n = (n ^ n>>13) * 1274126177
	return float64(n^n>>16) / math.MaxUint32
}

func clamp(v float64) uint8 { return uint8(math.Min(255, math.Max(0, v))) }
