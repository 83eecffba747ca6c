package raster

// Image is a decoded picture: upright, sRGB, 8 bits a channel, rows from the top without padding.
type Image struct {
	// Width and Height are in pixels, after orientation.
	Width, Height int
	// Channels is 3 (red, green, blue) or 4 (with straight, not premultiplied, alpha).
	Channels int
	// Pix holds Width*Height*Channels bytes.
	Pix []byte
}

// Row gives the bytes of row y, from 0 to Height-1.
func (m *Image) Row(y int) []byte {
	stride := m.Width * m.Channels
	return m.Pix[y*stride : (y+1)*stride]
}
