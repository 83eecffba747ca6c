package probe

import (
	"encoding/binary"
	"iter"
)

// maxEntries bounds a directory; classic TIFF allows 65,535, real files have a few dozen.
const maxEntries = 4096

// tiffFile is a TIFF or BigTIFF file with its byte order.
type tiffFile struct {
	data  []byte
	order binary.ByteOrder
	big   bool
}

// openTIFF gives the file and the offset of its first directory.
func openTIFF(data []byte) (tiffFile, uint64, error) {
	if len(data) < 16 {
		return tiffFile{}, 0, malformed("the file ends inside the header")
	}
	f := tiffFile{data: data, order: binary.LittleEndian}
	if data[0] == 'M' {
		f.order = binary.BigEndian
	}
	f.big = f.order.Uint16(data[2:]) == 43
	if f.big {
		return f, f.order.Uint64(data[8:]), nil
	}
	return f, uint64(f.order.Uint32(data[4:])), nil
}

// entry is a tag's values: count numbers of size bytes each at data.
type entry struct {
	size uint64
	data []byte
}

type directory struct {
	file    tiffFile
	entries map[uint16]entry
}

// at gives n bytes at offset, or nil where the file has none.
func (f tiffFile) at(offset, n uint64) []byte {
	total := uint64(len(f.data))
	if offset > total || n > total-offset {
		return nil
	}
	return f.data[offset : offset+n]
}

// directory reads the directory at offset and gives the offset of the next one, 0 at the end.
func (f tiffFile) directory(offset uint64) (directory, uint64, error) {
	countSize, entrySize, pointer := uint64(2), uint64(12), uint64(4)
	if f.big {
		countSize, entrySize, pointer = 8, 20, 8
	}
	head := f.at(offset, countSize)
	if head == nil {
		return directory{}, 0, malformed("directory outside the file")
	}
	count := f.number(head)
	if count > maxEntries {
		return directory{}, 0, excessive("directory of %d entries", count)
	}
	body := f.at(offset+countSize, count*entrySize+pointer)
	if body == nil {
		return directory{}, 0, malformed("directory runs past the file")
	}
	d := directory{file: f, entries: make(map[uint16]entry, count)}
	for i := range count {
		if err := d.add(body[i*entrySize : (i+1)*entrySize]); err != nil {
			return directory{}, 0, err
		}
	}
	return d, f.number(body[count*entrySize:]), nil
}

// number reads all of b as one unsigned number; b has 1, 2, 4 or 8 bytes.
func (f tiffFile) number(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(f.order.Uint16(b))
	case 4:
		return uint64(f.order.Uint32(b))
	default:
		return f.order.Uint64(b)
	}
}

// integerSizes are the sizes of the unsigned types: BYTE, SHORT, LONG, IFD, LONG8, IFD8.
var integerSizes = map[uint16]uint64{1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8}

// add files one entry if [tiffHeader] goes by its tag; damage in the others harms nothing. A tag that occurs twice or
// holds no unsigned number is refused: libraries differ in what they then believe.
func (d *directory) add(raw []byte) error {
	order := d.file.order
	tag, size := order.Uint16(raw), integerSizes[order.Uint16(raw[2:])]
	if !tiffTags[tag] {
		return nil
	}
	if _, twice := d.entries[tag]; twice {
		return malformed("tag %d occurs twice", tag)
	}
	field, count := raw[8:], d.file.number(raw[4:8])
	if d.file.big {
		field, count = raw[12:], d.file.number(raw[4:12])
	}
	if size == 0 || count == 0 || count > uint64(len(d.file.data)) {
		return malformed("tag %d has %d values of type %d", tag, count, order.Uint16(raw[2:]))
	}
	length := count * size
	values := field[:min(length, uint64(len(field)))]
	if length > uint64(len(field)) {
		if values = d.file.at(d.file.number(field), length); values == nil {
			return malformed("tag %d lies outside the file", tag)
		}
	}
	d.entries[tag] = entry{size: size, data: values}
	return nil
}

func (d directory) has(tag uint16) bool {
	_, ok := d.entries[tag]
	return ok
}

// value is the first number of a tag, or fallback when the tag is absent.
func (d directory) value(tag uint16, fallback uint64) uint64 {
	for v := range d.values(tag) {
		return v
	}
	return fallback
}

// small is value as a number that is safe to reckon with: larger ones, which no limit allows, become 1<<32.
func (d directory) small(tag uint16, fallback uint64) int64 {
	return int64(min(d.value(tag, fallback), 1<<32))
}

func (d directory) values(tag uint16) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		e := d.entries[tag]
		for rest := e.data; len(rest) > 0; rest = rest[e.size:] {
			if !yield(d.file.number(rest[:e.size])) {
				return
			}
		}
	}
}
