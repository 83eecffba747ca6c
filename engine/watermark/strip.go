package watermark

import "veracity/engine/raster"

// DALL·E 2 signs its pictures in their lower right corner with five squares side by side, a 64th of a picture's side each
// (16 pixels of 1024). The colours are those of 87 of its pictures in openai/dalle-2-preview and dcsan/imagen, where no
// channel differs by more than one.
var stripColours = [...][3]int{{255, 255, 102}, {66, 255, 255}, {81, 218, 76}, {255, 110, 60}, {60, 70, 255}}

const (
	// stripPart is a picture's side by that of a square.
	stripPart = 64
	// leastSquare is the smallest side of a square that is looked for, in pixels: DALL·E 2's pictures of 256.
	leastSquare = 4
	// stripNear is by how much a channel of a square's middle may differ, on average, and stripApart by how much one must
	// for a colour to be another.
	stripNear, stripApart = 24, 60
)

// StripMark is where the strip was found.
type StripMark struct {
	// Side is that of one square, in pixels.
	Side float64 `json:"side"`
	// Off is by how much the worst channel of the worst square differs, of 255.
	Off int `json:"off"`
}

// readStrip looks for the strip in a picture's corner: as DALL·E 2 makes it, whatever has become of its left and upper
// sides since, and in one that was scaled.
func readStrip(m *raster.Image) (StripMark, bool) {
	best := StripMark{Off: 256}
	for _, side := range []float64{16, 8, 4, float64(m.Width) / stripPart, float64(m.Height) / stripPart} {
		if side < leastSquare || side*float64(len(stripColours)) > float64(m.Width) || side*3 > float64(m.Height) {
			continue
		}
		if off, ok := stripAt(m, side); ok && off < best.Off {
			best = StripMark{Side: side, Off: off}
		}
	}
	return best, best.Off <= stripNear
}

// stripAt compares squares of a side with the strip's. What stands above them must differ: bars of colour go on.
func stripAt(m *raster.Image, side float64) (off int, ok bool) {
	goesOn := 0
	for k, want := range stripColours {
		left, top := float64(m.Width)-side*float64(len(stripColours)-k), float64(m.Height)-side
		d := distance(middle(m, left, top, side), want)
		if d > stripNear {
			return 0, false
		}
		off = max(off, d)
		if distance(middle(m, left, top-side, side), want) < stripApart {
			goesOn++
		}
	}
	return off, goesOn <= 1
}

// middle is the mean colour of the middle half of a square.
func middle(m *raster.Image, left, top, side float64) (mean [3]int) {
	x0, x1 := int(left+side/4), max(int(left+side*3/4), int(left+side/4)+1)
	y0, y1 := int(top+side/4), max(int(top+side*3/4), int(top+side/4)+1)
	for y := y0; y < y1; y++ {
		row := m.Row(y)
		for x := x0; x < x1; x++ {
			for c := range mean {
				mean[c] += int(row[x*m.Channels+c])
			}
		}
	}
	n := (x1 - x0) * (y1 - y0)
	for c := range mean {
		mean[c] = (mean[c] + n/2) / n
	}
	return mean
}

// distance is that of the channel that differs most.
func distance(a, b [3]int) int {
	d := 0
	for c := range a {
		d = max(d, a[c]-b[c], b[c]-a[c])
	}
	return d
}
