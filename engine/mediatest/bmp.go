//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"encoding/binary"
	"image/color"
	"testing"

	"veracity/engine/probe"
)

// BMP makes a BMP of 24 bits a pixel, rows from the bottom.
func BMP(tb testing.TB, w, h int, opts ...Option) []byte {
	tb.Helper()
	s := newSpec(tb, probe.BMP, w, h, opts)
	var pixels []byte
	for y := h - 1; y >= 0; y-- {
		for x := range w {
			c := color.NRGBAModel.Convert(s.picture.At(x, y)).(color.NRGBA)
			pixels = append(pixels, c.B, c.G, c.R)
		}
		pixels = append(pixels, make([]byte, (4-w*3%4)%4)...)
	}
	return BMPFile(w, h, 24, 0, nil, pixels)
}

// BMPFile puts a BMP together from its parts. extra goes between the header and the pixels: masks, then the palette.
func BMPFile(w, h, bits, compression int, extra, pixels []byte) []byte {
	const headers = 14 + 40
	le := binary.LittleEndian
	b := []byte("BM")
	b = le.AppendUint32(b, uint32(headers+len(extra)+len(pixels)))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(headers+len(extra)))
	b = le.AppendUint32(b, 40)
	b = le.AppendUint32(b, uint32(w))
	b = le.AppendUint32(b, uint32(h))
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, uint16(bits))
	b = le.AppendUint32(b, uint32(compression))
	b = append(b, make([]byte, 20)...)
	b = append(b, extra...)
	return append(b, pixels...)
}
