package main

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// screen is what a program shows: a bar, a list on the left, and lines of text with buttons between them, without a
// smooth edge in sight.
func screen(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	fill := func(x, y, width, height int, c color.NRGBA) {
		draw.Draw(p, image.Rect(x, y, x+width, y+height), image.NewUniform(c), image.Point{}, draw.Src)
	}
	page, bar, side := color.NRGBA{250, 250, 252, 255}, color.NRGBA{32, 58, 96, 255}, color.NRGBA{236, 239, 244, 255}
	dark, pale, blue := color.NRGBA{38, 42, 50, 255}, color.NRGBA{120, 128, 140, 255}, color.NRGBA{38, 110, 220, 255}
	fill(0, 0, w, h, page)
	fill(0, 0, w/4, h, side)
	fill(0, 0, w, 44, bar)
	writeLine(p, 16, 16, 180, 1, color.NRGBA{255, 255, 255, 255})
	for i, y := 0, 64; y < h-24; i, y = i+1, y+28 {
		if i == 2 {
			fill(0, y-8, w/4, 28, color.NRGBA{210, 222, 240, 255})
		}
		writeLine(p, 16, y, w/4-60, 100+i, dark)
	}
	for i, y := 0, 72; y < h-40; i++ {
		switch i % 9 {
		case 0:
			writeLine(p, w/4+32, y, w/3, 200+i, blue)
			y += 30
		case 8:
			fill(w/4+32, y, 120, 30, blue)
			writeLine(p, w/4+48, y+10, 90, 300+i, page)
			y += 54
		default:
			writeLine(p, w/4+32, y, w*2/3-40-w*(i*37%9)/40, 200+i, pale)
			y += 20
		}
	}
	return p
}

// writeLine puts a line of made-up letters, 7 × 10 pixels each, in words of 2 to 9, from x on.
func writeLine(p *image.NRGBA, x, y, width, seed int, c color.NRGBA) {
	const letterWidth, letterHeight = 7, 10
	word := 0
	for i, at := 0, x; at < x+width; i, at = i+1, at+letterWidth+1 {
		if word == 0 {
			word = 2 + int(speck(i, seed, 7)*8)
			continue
		}
		word--
		letter := int(speck(i, seed, 8) * 26)
		for dot := range 5 * 7 {
			if speck(dot, letter, 9) > 0.55 {
				p.SetNRGBA(at+dot%5, y+dot/5*letterHeight/7, c)
			}
		}
	}
}

// chart is three smooth lines and a row of bars over a grid, on white.
func chart(u, v float64) ink {
	c := opaque(255, 255, 255)
	if u < 0.08 || u > 1.27 || v < 0.06 || v > 0.92 {
		return c
	}
	if math.Mod(v-0.06, 0.086) < 0.0015 || math.Mod(u-0.08, 0.119) < 0.0015 {
		c = opaque(222, 226, 232)
	}
	if n := math.Floor((u - 0.08) / 0.04); math.Mod(u-0.08, 0.04) < 0.026 && v > 0.9-0.25*speck(int(n), 0, 3) {
		c = opaque(198, 212, 240)
	}
	for i, line := range []ink{opaque(214, 64, 64), opaque(30, 140, 90), opaque(52, 92, 200)} {
		shift := float64(i) * 1.7
		y := 0.45 + 0.12*math.Sin(u*5+shift) + 0.07*math.Sin(u*13+2*shift) + 0.09*float64(i-1)
		slope := 0.6*math.Cos(u*5+shift) + 0.91*math.Cos(u*13+2*shift)
		if math.Abs(v-y) < 0.003*math.Hypot(1, slope) {
			c = line
		}
	}
	return c
}

// logo is a ring and a wave in a gradient, with nothing around them: most of it is transparent, its edges are half so.
func logo(u, v float64) ink {
	x, y := u-0.667, v-0.5
	tint := mix(ink{255, 120, 60, 255}, ink{130, 40, 200, 255}, (x+y)*0.8+0.5)
	r := math.Hypot(x, y)
	switch {
	case r > 0.3 && r < 0.38:
		return tint
	case r < 0.27 && math.Abs(y-0.08*math.Sin(x*18)) < 0.05:
		return tint
	case r < 0.27 && math.Abs(y-0.08*math.Sin(x*18)) < 0.07:
		return ink{255, 255, 255, 140}
	}
	return ink{}
}
