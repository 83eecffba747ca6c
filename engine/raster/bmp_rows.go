package raster

import (
	"encoding/binary"
	"math/bits"
)

// line is where row y of the file, counted in stored order, lies in m.
func (b *bitmap) line(m *Image, y int) []byte {
	if b.topDown {
		return m.Row(y)
	}
	return m.Row(m.Height - 1 - y)
}

// rows decodes uncompressed rows, which are padded to four bytes. The last row may lack its padding.
func (b *bitmap) rows(m *Image, decode func(to, from []byte)) error {
	used := (b.width*b.bits + 7) / 8
	stride := (used + 3) / 4 * 4
	if len(b.pixels) < stride*(b.height-1)+used {
		return errBMPShort
	}
	for y := range b.height {
		decode(b.line(m, y), b.pixels[y*stride:y*stride+used])
	}
	return nil
}

func (b *bitmap) indexedRow(to, from []byte) {
	perByte, mask := 8/b.bits, byte(1<<b.bits-1)
	for x := range b.width {
		shift := b.bits * (perByte - 1 - x%perByte)
		copy(to[3*x:], b.palette[from[x/perByte]>>shift&mask][:])
	}
}

func (b *bitmap) rgbRow(to, from []byte) {
	for i := 0; i+2 < len(from); i += 3 {
		to[i], to[i+1], to[i+2] = from[i+2], from[i+1], from[i]
	}
}

func (b *bitmap) maskedRow(to, from []byte) {
	channels := 3
	if b.masks[3] != 0 {
		channels = 4
	}
	for x := range b.width {
		var v uint32
		if b.bits == 16 {
			v = uint32(binary.LittleEndian.Uint16(from[2*x:]))
		} else {
			v = binary.LittleEndian.Uint32(from[4*x:])
		}
		for c := range channels {
			to[x*channels+c] = masked(v, b.masks[c])
		}
	}
}

// masked takes the bits of v under mask as a number and scales it to 0..255.
func masked(v, mask uint32) byte {
	if mask == 0 {
		return 0
	}
	shift := bits.TrailingZeros32(mask)
	most := uint64(mask >> shift)
	scaled := (uint64((v&mask)>>shift)*255 + most/2) / most
	return byte(scaled) //nolint:gosec // the quotient is at most 255
}

// runLengths decodes RLE8 and RLE4. Pixels that the runs skip keep the palette's first colour. A run past the picture's
// edge is cut off, as other readers do; data that ends before its end marker is an error.
func (b *bitmap) runLengths(m *Image) error {
	r := runs{bitmap: b, image: m, from: b.pixels}
	for y := range m.Height {
		for x := range m.Width {
			copy(m.Row(y)[3*x:], b.palette[0][:])
		}
	}
	for r.y < m.Height {
		count, value, ok := r.pair()
		switch {
		case !ok:
			return errBMPShort
		case count > 0:
			for i := range count {
				r.set(r.index([]byte{value}, i%(8/b.bits)))
			}
		case value == 0:
			r.x, r.y = 0, r.y+1
		case value == 1:
			return nil
		case value == 2:
			dx, dy, ok := r.pair()
			if !ok {
				return errBMPShort
			}
			r.x, r.y = r.x+dx, r.y+int(dy)
		default:
			if !r.literal(int(value)) {
				return errBMPShort
			}
		}
	}
	return nil
}

type runs struct {
	*bitmap
	image *Image
	from  []byte
	x, y  int
}

func (r *runs) pair() (count int, value byte, ok bool) {
	if len(r.from) < 2 {
		return 0, 0, false
	}
	count, value = int(r.from[0]), r.from[1]
	r.from = r.from[2:]
	return count, value, true
}

// literal copies n pixels as they are; they are padded to two bytes.
func (r *runs) literal(n int) bool {
	size := (n*r.bits + 7) / 8
	if len(r.from) < size {
		return false
	}
	for i := range n {
		r.set(r.index(r.from, i))
	}
	r.from = r.from[min(size+size&1, len(r.from)):]
	return true
}

// index is the i-th palette index in b.
func (r *runs) index(b []byte, i int) byte {
	if r.bits == 8 {
		return b[i]
	}
	return b[i/2] >> (4 - 4*(i%2)) & 0x0F
}

func (r *runs) set(index byte) {
	if r.x < r.width && r.y < r.height {
		copy(r.line(r.image, r.y)[3*r.x:], r.palette[index][:])
	}
	r.x++
}
