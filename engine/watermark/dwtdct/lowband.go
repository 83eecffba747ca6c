package dwtdct

import (
	"math"

	"veracity/engine/raster"
)

const (
	// step is the distance between values that stand for the same bit.
	step = 36
	// unit is how finely values are counted: in 16ths.
	unit = 16
	// byteBase and floatBase are the low band of grey: U has 128 there where the library is given bytes, and a half where
	// it is given floats (OpenCV, cvtColor); the low band doubles it.
	byteBase, floatBase = 256 * unit, unit
	// extreme is the furthest that a value lies from grey's, with room for what sharpening adds.
	extreme = byteBase - unit
)

// lowBand is the low band of a picture's U channel, less what grey has. Values are computed row by row, for both orders
// of the channels.
type lowBand interface {
	// size is in values: half of what the picture has in pixels.
	size() (width, height int)
	// row computes row y for as many values as bgr has; rgb is for red and blue exchanged, and as long.
	row(y int, bgr, rgb []int16)
}

// pixels is the low band of a picture from x, y on.
type pixels struct {
	*raster.Image
	x, y int
}

func (p pixels) size() (width, height int) { return (p.Width - p.x) / 2, (p.Height - p.y) / 2 }

// The weights of U = 0.492 (B - 0.299 R - 0.587 G - 0.114 B) (OpenCV, COLOR_BGR2YUV), halved, in units, with 12 bits
// behind the point.
const (
	point                           = 12
	ownWeight, farWeight, midWeight = 14284, 4820, 9464
)

// row adds up squares of 2 x 2 pixels.
//
//nolint:gosec // sums of four bytes: no value leaves -222*16 to 222*16
func (p pixels) row(y int, bgr, rgb []int16) {
	c, at := p.Channels, p.x*p.Channels
	upper, lower := p.Row(p.y + 2*y)[at:], p.Row(p.y + 2*y + 1)[at:]
	for i := range bgr {
		a, b := upper[2*i*c:2*i*c+c+3], lower[2*i*c:2*i*c+c+3]
		red := int32(a[0]) + int32(a[c]) + int32(b[0]) + int32(b[c])
		green := midWeight * (int32(a[1]) + int32(a[c+1]) + int32(b[1]) + int32(b[c+1]))
		blue := int32(a[2]) + int32(a[c+2]) + int32(b[2]) + int32(b[c+2])
		bgr[i] = int16((ownWeight*blue - farWeight*red - green) >> point)
		rgb[i] = int16((ownWeight*red - farWeight*blue - green) >> point)
	}
}

// turns tells what a value says: wave is -sin(2 pi v / 36), near 1 where a set bit was written and near -1 for a clear
// one, ripple is -cos(4 pi v / 36), near 1 for both.
var turns = func() (t struct{ wave, ripple [1 << 13]float32 }) {
	for i := range t.wave {
		turn := 2 * math.Pi * float64(i) / (step * unit)
		t.wave[i], t.ripple[i] = float32(-math.Sin(turn)), float32(-math.Cos(2*turn))
	}
	return t
}()

// byteValue and floatValue are the indices into turns of what the library looks at in a block: the value furthest from
// zero, by the greatest and the least of the block.
func byteValue(high int16) int { return (int(high) + byteBase) & (len(turns.wave) - 1) }

func floatValue(high, low int16) int {
	return max(int(high)+floatBase, -int(low)-floatBase) & (len(turns.wave) - 1)
}

// way is how a block may have been marked, and how it is read.
type way int

// Ways: by the type of the samples and the order of the channels, and of each the sharpened one.
const (
	byteBGR way = iota
	floatBGR
	byteRGB
	floatRGB
	plainWays
	ways = 2 * plainWays
)

// into describes the way in a mark.
func (w way) into(m *Mark) {
	m.Order, m.Samples, m.Sharpened = "BGR", "bytes", w >= plainWays
	if w%plainWays >= byteRGB {
		m.Order = "RGB"
	}
	if w%2 == floatBGR {
		m.Samples = "floats"
	}
}
