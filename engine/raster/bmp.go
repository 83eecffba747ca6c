package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// libvips reads BMP through ImageMagick alone, which is blocked here: a format this simple is decoded in Go instead.
// Layouts and names follow the Windows BITMAPINFOHEADER family (versions 2 to 5).
const (
	bmpFileHeader = 14
	bmpCoreHeader = 12

	bmpRGB            = 0
	bmpRLE8           = 1
	bmpRLE4           = 2
	bmpBitFields      = 3
	bmpAlphaBitFields = 6
)

var errBMPShort = errors.New("the BMP file ends early")

type bitmap struct {
	width, height int
	topDown       bool
	bits          int
	compression   uint32
	palette       [][3]byte
	masks         [4]uint32
	pixels        []byte
}

// decodeBMP decodes a file whose size [probe.Header] has read and checked. An embedded colour profile is not applied.
func decodeBMP(data []byte) (*Image, error) {
	b, err := readBitmap(data)
	if err != nil {
		return nil, fmt.Errorf("decode BMP: %w", err)
	}
	m := &Image{Width: b.width, Height: b.height, Channels: 3}
	if b.masks[3] != 0 {
		m.Channels = 4
	}
	m.Pix = make([]byte, m.Width*m.Height*m.Channels)
	switch {
	case b.compression == bmpRLE8 || b.compression == bmpRLE4:
		err = b.runLengths(m)
	case b.bits <= 8:
		err = b.rows(m, b.indexedRow)
	case b.bits == 24:
		err = b.rows(m, b.rgbRow)
	default:
		err = b.rows(m, b.maskedRow)
	}
	if err != nil {
		return nil, fmt.Errorf("decode BMP: %w", err)
	}
	return m, nil
}

func readBitmap(data []byte) (*bitmap, error) {
	le := binary.LittleEndian
	if len(data) < bmpFileHeader+bmpCoreHeader {
		return nil, errBMPShort
	}
	offset, headerSize := int(le.Uint32(data[10:])), int(le.Uint32(data[14:]))
	if bmpFileHeader+headerSize > len(data) || offset > len(data) {
		return nil, errBMPShort
	}
	b := &bitmap{pixels: data[offset:]}
	header, rest := data[bmpFileHeader:bmpFileHeader+headerSize], data[bmpFileHeader+headerSize:]
	colours, entry := 0, 3
	if headerSize == bmpCoreHeader {
		b.width, b.height = int(le.Uint16(header[4:])), int(le.Uint16(header[6:]))
		b.bits = int(le.Uint16(header[10:]))
	} else {
		b.width, b.height = int(le.Uint32(header[4:])), signed(header[8:])
		b.bits, b.compression = int(le.Uint16(header[14:])), le.Uint32(header[16:])
		colours, entry = int(le.Uint32(header[32:])), 4
		rest = b.readMasks(header, rest)
	}
	if b.height < 0 {
		b.height, b.topDown = -b.height, true
	}
	if b.bits <= 8 {
		b.readPalette(rest, colours, entry)
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	return b, nil
}

func signed(b []byte) int {
	return int(int32(binary.LittleEndian.Uint32(b))) //nolint:gosec // the field is signed
}

// readMasks sets the channel masks of 16 and 32-bit pixels. They are part of newer headers and follow the oldest one.
func (b *bitmap) readMasks(header, rest []byte) []byte {
	switch b.bits {
	case 16:
		b.masks = [4]uint32{0x7C00, 0x03E0, 0x001F, 0}
	case 32:
		b.masks = [4]uint32{0xFF0000, 0x00FF00, 0x0000FF, 0}
	}
	if b.compression != bmpBitFields && b.compression != bmpAlphaBitFields {
		return rest
	}
	from, count := header[40:], 3
	if len(header) >= 56 || b.compression == bmpAlphaBitFields {
		count = 4
	}
	if len(header) == 40 {
		from, rest = rest, rest[min(4*count, len(rest)):]
	}
	for i := range min(count, len(from)/4) {
		b.masks[i] = binary.LittleEndian.Uint32(from[4*i:])
	}
	return rest
}

// readPalette fills missing entries with black, as other readers do.
func (b *bitmap) readPalette(from []byte, colours, entry int) {
	size := 1 << b.bits
	if colours < 1 || colours > size {
		colours = size
	}
	b.palette = make([][3]byte, size)
	for i := range min(colours, len(from)/entry) {
		c := from[i*entry:]
		b.palette[i] = [3]byte{c[2], c[1], c[0]}
	}
}

func (b *bitmap) check() error {
	ok := false
	switch b.compression {
	case bmpRGB:
		ok = b.bits == 1 || b.bits == 4 || b.bits == 8 || b.bits == 16 || b.bits == 24 || b.bits == 32
	case bmpRLE8:
		ok = b.bits == 8 && !b.topDown
	case bmpRLE4:
		ok = b.bits == 4 && !b.topDown
	case bmpBitFields, bmpAlphaBitFields:
		ok = b.bits == 16 || b.bits == 32
	}
	if !ok {
		return fmt.Errorf("%d bits a pixel with compression %d", b.bits, b.compression)
	}
	return nil
}
