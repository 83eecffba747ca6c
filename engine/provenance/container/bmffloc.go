package container

import "encoding/binary"

// How an extent's offset is to be read (ISO 14496-12, section 8.11.3.3).
const (
	fromFile = 0
	fromIdat = 1
)

type item struct {
	id      uint64
	method  uint64
	extents []extent
}

type extent struct {
	offset, length uint64
}

// locations reads the item location box as far as it speaks of wanted items (ISO 14496-12, section 8.11.3).
func locations(box []byte, wanted map[uint64]Kind) []item {
	r := cursor{b: box}
	version := r.number(1)
	r.take(3)
	sizes := r.number(2)
	offsetSize, lengthSize := int(sizes>>12&15), int(sizes>>8&15)
	baseSize, indexSize := int(sizes>>4&15), 0
	if version > 0 {
		indexSize = int(sizes & 15)
	}
	idSize := 2
	if version == 2 {
		idSize = 4
	}
	var items []item
	for count := r.number(idSize); count > 0 && !r.failed; count-- {
		it := item{id: r.number(idSize)}
		if version > 0 {
			it.method = r.number(2) & 15
		}
		r.number(2)
		base := r.number(baseSize)
		n := r.number(2)
		if indexSize+offsetSize+lengthSize == 0 {
			// Extents without fields are all the same one, and stating 65,535 of them costs a file nothing.
			n = min(n, 1)
		}
		_, want := wanted[it.id]
		for ; n > 0 && !r.failed; n-- {
			r.number(indexSize)
			e := extent{offset: base + r.number(offsetSize), length: r.number(lengthSize)}
			if want && len(it.extents) < maxExtents {
				it.extents = append(it.extents, e)
			}
		}
		if want && !r.failed && len(items) < maxItems {
			items = append(items, it)
		}
	}
	return items
}

// assemble joins an item's extents; nil when one leaves its source or the file's allowance is spent.
func (c *collector) assemble(it item, file, idat []byte) []byte {
	source := file
	switch it.method {
	case fromFile:
	case fromIdat:
		source = idat
	default:
		return nil
	}
	var joined []byte
	for _, e := range it.extents {
		if e.offset > uint64(len(source)) {
			return nil
		}
		rest := source[e.offset:]
		if e.length == 0 { // The whole source from here.
			e.length = uint64(len(rest))
		}
		if e.length > uint64(len(rest)) {
			return nil
		}
		if len(it.extents) == 1 {
			return rest[:e.length]
		}
		part := rest[:e.length]
		if len(part) > c.allowance {
			return nil
		}
		c.allowance -= len(part)
		joined = append(joined, part...)
	}
	return joined
}

// cursor reads fields one after the other. Past the end it fails for good and answers zeros.
type cursor struct {
	b      []byte
	failed bool
}

func (r *cursor) take(n int) []byte {
	if r.failed || n > len(r.b) {
		r.failed = true
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

// number reads a big-endian number of 0, 1, 2, 4 or 8 bytes; other widths fail.
func (r *cursor) number(width int) uint64 {
	b := r.take(width)
	if b == nil {
		return 0
	}
	switch width {
	case 0:
		return 0
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	case 8:
		return binary.BigEndian.Uint64(b)
	}
	r.failed = true
	return 0
}
