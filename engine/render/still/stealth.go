package still

import (
	"veracity/engine/raster"
	"veracity/engine/watermark"
)

// Some image generators write their parameters into the lowest bits of the pixels. Whoever presses such a picture erases
// what it says of its origin, so it is kept to the bit, whatever the message is.
func hasStealth(m *raster.Image) bool { return watermark.HasMessage(m) }
