package main

import (
	"image"
	"image/color"
	"math"

	"veracity/engine/mediatest"
)

// drawing is a picture that a formula draws: the same on every machine.
type drawing struct {
	name  string
	photo bool
	image image.Image
}

// Sides of the drawings, in pixels.
const drawnWidth, drawnHeight = 1024, 768

func drawings() []drawing {
	const w, h = drawnWidth, drawnHeight
	return []drawing{
		{"landscape", true, mediatest.Photo(w, h)},
		{"portrait", true, paint(w, h, 1, portrait)},
		{"foliage", true, paint(w, h, 1, foliage)},
		{"screen", false, screen(w, h)},
		{"chart", false, paint(w, h, 3, chart)},
		{"logo", false, paint(w, h, 3, logo)},
	}
}

// ink is a colour of red, green, blue and opacity, 0 to 255 each and not multiplied.
type ink [4]float64

// paint asks a formula for the colour at each point, u to the right and v down, both in heights of the picture, and takes
// the mean of samples × samples points a pixel, so that edges come out smooth.
func paint(w, h, samples int, at func(u, v float64) ink) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			var sum ink
			for s := range samples * samples {
				dx, dy := (float64(s%samples)+0.5)/float64(samples), (float64(s/samples)+0.5)/float64(samples)
				c := at((float64(x)+dx)/float64(h), (float64(y)+dy)/float64(h))
				for k := range 3 {
					sum[k] += c[k] * c[3]
				}
				sum[3] += c[3]
			}
			p.SetNRGBA(x, y, sum.mean(samples*samples))
		}
	}
	return p
}

// mean is the colour of so many samples that were added up, each weighed by its opacity.
func (i ink) mean(samples int) color.NRGBA {
	if i[3] == 0 {
		return color.NRGBA{}
	}
	return color.NRGBA{level(i[0] / i[3]), level(i[1] / i[3]), level(i[2] / i[3]), level(i[3] / float64(samples))}
}

func level(v float64) uint8 { return uint8(math.Round(min(max(v, 0), 255))) }

// mix goes from one colour to another as t goes from 0 to 1.
func mix(a, b ink, t float64) ink {
	t = min(max(t, 0), 1)
	for k := range a {
		a[k] += (b[k] - a[k]) * t
	}
	return a
}

func opaque(r, g, b float64) ink { return ink{r, g, b, 255} }

// speck gives a number in 0..1 that looks random, the same for the same whole coordinates and seed.
func speck(x, y, seed int) float64 {
	n := uint32(x)*0x9E3779B1 ^ uint32(y)*0x85EBCA77 ^ uint32(seed)*0xC2B2AE3D //nolint:gosec // bits are mixed, not counted
	n = (n ^ n>>15) * 0x2C1B3C6D
	n = (n ^ n>>12) * 0x297A2D39
	return float64(n^n>>15) / math.MaxUint32
}

// cloudy is smooth noise of so many octaves, 0 to 1, the first of which has a grain of one unit.
func cloudy(u, v float64, octaves, seed int) float64 {
	sum, weight, total := 0.0, 1.0, 0.0
	for o := range octaves {
		x, y := math.Floor(u), math.Floor(v)
		fx, fy := u-x, v-y
		fx, fy = fx*fx*(3-2*fx), fy*fy*(3-2*fy)
		at := func(dx, dy int) float64 { return speck(int(x)+dx, int(y)+dy, seed+o) }
		top := at(0, 0) + (at(1, 0)-at(0, 0))*fx
		bottom := at(0, 1) + (at(1, 1)-at(0, 1))*fx
		sum, total = sum+weight*(top+(bottom-top)*fy), total+weight
		u, v, weight = u*2, v*2, weight*0.55
	}
	return sum / total
}

// grain is what a sensor adds, so many levels either way.
func grain(u, v, levels float64) float64 {
	return (speck(int(u*drawnHeight), int(v*drawnHeight), 9) - 0.5) * 2 * levels
}

// portrait is a lit face out of a dark room with lamps out of focus: smooth nearly everywhere, with faint grain.
func portrait(u, v float64) ink {
	c := mix(opaque(24, 22, 34), opaque(70, 48, 40), v)
	for i := range 14 {
		x, y, size := speck(i, 1, 1)*1.33, speck(i, 2, 1)*0.7, 0.03+0.05*speck(i, 3, 1)
		if d := math.Hypot(u-x, v-y); d < size {
			glow := opaque(255, 190+50*speck(i, 4, 1), 90+90*speck(i, 5, 1))
			c = mix(c, glow, 0.5*math.Min(1, (size-d)/(0.15*size)))
		}
	}
	shoulder := math.Hypot((u-0.66)/0.5, (v-1.15)/0.42)
	c = mix(c, opaque(40, 60, 92), (1-shoulder)*12)
	face := math.Hypot((u-0.66)/0.21, (v-0.48)/0.29)
	light := 0.55 + 0.6*(0.66-u) + 0.25*(0.5-v) + 0.06*cloudy(u*40, v*40, 3, 20)
	skin := mix(opaque(92, 52, 40), opaque(244, 202, 176), light)
	c = mix(c, skin, (1-face)*14)
	g := grain(u, v, 2)
	return opaque(c[0]+g, c[1]+g, c[2]+g)
}

// foliage is leaves and stone: detail of every size all over.
func foliage(u, v float64) ink {
	leaves := cloudy(u*9, v*9, 7, 40)
	veins := math.Abs(cloudy(u*22+leaves*3, v*22, 5, 60)-0.5) * 2
	light := cloudy(u*2, v*2, 2, 80)
	c := mix(opaque(14, 30, 10), opaque(150, 190, 70), leaves*0.8+light*0.5-0.15)
	c = mix(c, opaque(225, 215, 150), (0.25-veins)*2.2*light)
	if v > 0.72+0.05*math.Sin(u*9) {
		rock := cloudy(u*14, v*20, 6, 100)
		c = mix(opaque(48, 44, 42), opaque(176, 168, 158), rock)
	}
	g := grain(u, v, 3)
	return opaque(c[0]+g, c[1]+g*0.9, c[2]+g)
}
