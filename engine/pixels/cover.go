package pixels

import (
	"math"

	"veracity/engine/raster"
)

// cover scales a picture so that it just covers width x height, and cuts out its middle. at is the part of the picture
// that is seen. The filter is a triangle as wide as a pixel of the coarser side, which is linear interpolation where the
// picture grows and keeps finer detail from folding over where it shrinks.
func cover(m *raster.Image, width, height int) (at Place, scaled *raster.Image) {
	scale := min(float64(m.Width)/float64(width), float64(m.Height)/float64(height))
	left, top := (float64(m.Width)-scale*float64(width))/2, (float64(m.Height)-scale*float64(height))/2
	at = Place{
		X: int(left), Y: int(top),
		Width: min(int(math.Ceil(scale*float64(width))), m.Width), Height: min(int(math.Ceil(scale*float64(height))), m.Height),
	}
	across, down := weights(width, m.Width, left, scale), weights(height, m.Height, top, scale)
	scaled = &raster.Image{Width: width, Height: height, Channels: 3, Pix: make([]byte, 0, 3*width*height)}
	// Rows of the picture are scaled once each, when the first row of the output needs them.
	lines := map[int][]float32{}
	sum := make([]float32, 3*width)
	for _, tap := range down {
		for y := range lines {
			if y < tap.from {
				delete(lines, y)
			}
		}
		clear(sum)
		for k, weight := range tap.weights {
			y := tap.from + k
			if lines[y] == nil {
				lines[y] = scaledRow(m, y, across)
			}
			for i, v := range lines[y] {
				sum[i] += weight * v
			}
		}
		for _, v := range sum {
			scaled.Pix = append(scaled.Pix, byte(min(max(v+0.5, 0), 255)))
		}
	}
	return at, scaled
}

// scaledRow is row y of a picture at the output's width, in three channels.
func scaledRow(m *raster.Image, y int, across []tap) []float32 {
	row := m.Row(y)
	out := make([]float32, 3*len(across))
	for x, tap := range across {
		i := tap.from * m.Channels
		var r, g, b float32
		for _, weight := range tap.weights {
			r += weight * float32(row[i])
			g += weight * float32(row[i+1])
			b += weight * float32(row[i+2])
			i += m.Channels
		}
		out[3*x], out[3*x+1], out[3*x+2] = r, g, b
	}
	return out
}

// tap is what one pixel of the output is made of: pixels of the input from one on, by their weights, which add up to 1.
type tap struct {
	from    int
	weights []float32
}

// weights are the taps of n pixels of the output, each scale pixels of an input of size pixels, the first at start.
func weights(n, size int, start, scale float64) []tap {
	reach := max(scale, 1)
	taps := make([]tap, n)
	for i := range taps {
		middle := start + (float64(i)+0.5)*scale - 0.5
		from, to := max(int(math.Ceil(middle-reach)), 0), min(int(math.Floor(middle+reach)), size-1)
		t := tap{from: from, weights: make([]float32, to-from+1)}
		var sum float64
		for k := range t.weights {
			w := max(1-math.Abs(float64(from+k)-middle)/reach, 0)
			t.weights[k] = float32(w)
			sum += w
		}
		for k := range t.weights {
			t.weights[k] /= float32(sum)
		}
		taps[i] = t
	}
	return taps
}
