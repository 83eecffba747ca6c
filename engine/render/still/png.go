package still

import (
	"encoding/binary"
	"hash/crc32"
)

// Colour types of a PNG (PNG, third edition, table 8).
const (
	typeGrey      = 0
	typeRGB       = 2
	typePalette   = 3
	typeGreyAlpha = 4
	typeRGBA      = 6
)

// perceptual is the rendering intent of the sRGB chunk (PNG, 11.3.2.5).
const perceptual = 0

// layout is how a picture's pixels lie in a PNG.
type layout struct {
	width, height int
	colour        byte
	depth         int // bits a sample
	stride        int // bytes a row
	bpp           int // bytes from a byte to its left neighbour, at least 1
}

func newLayout(width, height int, colour byte, depth int) layout {
	samples := map[byte]int{typeGrey: 1, typeRGB: 3, typePalette: 1, typeGreyAlpha: 2, typeRGBA: 4}[colour]
	bits := samples * depth
	return layout{
		width: width, height: height, colour: colour, depth: depth,
		stride: (width*bits + 7) / 8, bpp: max(1, bits/8),
	}
}

// scan is a picture laid out for a PNG: its rows, and what its palette or transparent colour is.
type scan struct {
	layout
	mode Mode
	pix  []byte // height rows of stride bytes
	plte []byte // three bytes a colour
	trns []byte // the tRNS chunk's body
	// filters is the filter of each row, where the pixels were made for it.
	filters []byte
}

func (s *scan) hasAlpha() bool {
	return s.colour == typeRGBA || s.colour == typeGreyAlpha || s.trns != nil
}

func (s *scan) row(y int) []byte {
	if y < 0 {
		return nil
	}
	return s.pix[y*s.stride : (y+1)*s.stride]
}

// wrap puts the pieces of a compressed stream and the chunks around them together: an IDAT chunk each.
func (s *scan) wrap(idat [][]byte) []byte {
	const frame = 12
	size := 8 + frame + 13 + frame + 1 + frame + len(s.plte) + frame + len(s.trns) + frame
	for _, p := range idat {
		size += frame + len(p)
	}
	out := make([]byte, 0, size)
	out = append(out, "\x89PNG\r\n\x1a\n"...)
	var header [13]byte
	binary.BigEndian.PutUint32(header[0:], uint32(s.width))  //nolint:gosec // within the decoder's longest side
	binary.BigEndian.PutUint32(header[4:], uint32(s.height)) //nolint:gosec // as above
	header[8], header[9] = byte(s.depth), s.colour           //nolint:gosec // at most 8
	out = chunk(out, "IHDR", header[:])
	out = chunk(out, "sRGB", []byte{perceptual})
	if s.plte != nil {
		out = chunk(out, "PLTE", s.plte)
	}
	if s.trns != nil {
		out = chunk(out, "tRNS", s.trns)
	}
	for _, p := range idat {
		out = chunk(out, "IDAT", p)
	}
	return chunk(out, "IEND", nil)
}

// chunk appends a chunk: length, type, body and CRC (PNG, 5.3).
func chunk(out []byte, kind string, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(body))) //nolint:gosec // a band's at most
	at := len(out)
	out = append(append(out, kind...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
}
