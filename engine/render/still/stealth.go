package still

import (
	"slices"

	"veracity/engine/raster"
)

// Some image generators write their parameters into the lowest bits of the pixels, column by column from the upper left
// (the "stealth PNG info" of Stable Diffusion web UIs and of NovelAI: in the alpha channel, or in red, green and blue).
// Whoever presses such a picture erases what it says of its origin, so it is kept to the bit.

// stealthNames begin such a message: plain or gzipped, in alpha or in colour.
var stealthNames = [...]string{"stealth_pnginfo", "stealth_pngcomp", "stealth_rgbinfo", "stealth_rgbcomp"}

// hasStealth says whether m's lowest bits begin with one of the names.
func hasStealth(m *raster.Image) bool {
	if slices.Contains(stealthNames[:], lowBits(m, 0, 1, 2)) {
		return true
	}
	return m.Channels == 4 && slices.Contains(stealthNames[:], lowBits(m, 3))
}

// lowBits takes one bit after another from the channels given, pixel by pixel down the columns, highest bit of a byte
// first, for as many bytes as a name has.
func lowBits(m *raster.Image, channels ...int) string {
	const length = len("stealth_pnginfo")
	var out [length]byte
	for bit := range length * 8 {
		pixel, channel := bit/len(channels), channels[bit%len(channels)]
		x, y := pixel/m.Height, pixel%m.Height
		if x >= m.Width {
			return ""
		}
		out[bit/8] = out[bit/8]<<1 | m.Row(y)[x*m.Channels+channel]&1
	}
	return string(out[:])
}
