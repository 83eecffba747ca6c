// Package ifd reads TIFF image file directories: the structure of TIFF files and of EXIF blocks alike. It knows no tag's
// meaning. Values are slices of the input, so a hostile directory costs no more memory than its list of entries; sizes
// and offsets that leave the input drop the entry that states them.
package ifd

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

const (
	headerSize = 8
	entrySize  = 12
	// maxEntries is far above what cameras write (about 100) and bounds the entries kept of one directory.
	maxEntries = 1024
	magic      = 42
	// MaxText bounds a text in bytes. Longer ones are read as absent: several entries may point at the same bytes.
	MaxText = 4 << 20
)

// Types of values, TIFF 6.0 section 2, as far as the callers tell them apart.
const (
	typeASCII = 2
	typeShort = 3
	typeLong  = 4
)

// sizes holds the width in bytes of one value of each type (TIFF 6.0 section 2; 13 is the IFD type of TIFF TechNote 1).
var sizes = [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}

// File is an opened TIFF structure.
type File struct {
	data  []byte
	order binary.ByteOrder
}

// Open reads the TIFF header. It answers false for anything else, BigTIFF included.
func Open(data []byte) (File, bool) {
	if len(data) < headerSize {
		return File{}, false
	}
	var order binary.ByteOrder
	switch string(data[:2]) {
	case "II":
		order = binary.LittleEndian
	case "MM":
		order = binary.BigEndian
	default:
		return File{}, false
	}
	if order.Uint16(data[2:]) != magic {
		return File{}, false
	}
	return File{data: data, order: order}, true
}

// Order is the byte order of the header.
func (f File) Order() binary.ByteOrder { return f.order }

// First is the offset of the first directory.
func (f File) First() uint32 { return f.order.Uint32(f.data[4:]) }

// Directory reads the directory at offset: the entries whose values lie whole within the input, by tag. Of a tag that
// occurs twice the first counts, as in libtiff.
func (f File) Directory(offset uint32) map[uint16]Entry {
	at := uint64(offset)
	if offset < headerSize || at+2 > uint64(len(f.data)) {
		return nil
	}
	count := min(int(f.order.Uint16(f.data[at:])), maxEntries)
	at += 2
	entries := make(map[uint16]Entry, count)
	for ; count > 0 && at+entrySize <= uint64(len(f.data)); count-- {
		tag := f.order.Uint16(f.data[at:])
		if _, seen := entries[tag]; !seen {
			if e, ok := f.entry(at); ok {
				entries[tag] = e
			}
		}
		at += entrySize
	}
	return entries
}

func (f File) entry(at uint64) (Entry, bool) {
	typ := f.order.Uint16(f.data[at+2:])
	if int(typ) >= len(sizes) || sizes[typ] == 0 {
		return Entry{}, false
	}
	size := sizes[typ] * uint64(f.order.Uint32(f.data[at+4:]))
	start := at + 8
	if size > 4 {
		start = uint64(f.order.Uint32(f.data[at+8:]))
	}
	if start+size > uint64(len(f.data)) {
		return Entry{}, false
	}
	return Entry{Data: f.data[start : start+size], typ: typ, order: f.order}, true
}

// Entry is one value of a directory.
type Entry struct {
	// Data is the value as it stands in the file.
	Data  []byte
	typ   uint16
	order binary.ByteOrder
}

// Uint is the first number of a SHORT or LONG value, 0 for other types.
func (e Entry) Uint() uint32 {
	switch {
	case e.typ == typeShort && len(e.Data) >= 2:
		return uint32(e.order.Uint16(e.Data))
	case e.typ == typeLong && len(e.Data) >= 4:
		return e.order.Uint32(e.Data)
	}
	return 0
}

// Text is an ASCII value as UTF-8, without the closing NUL and surrounding blanks; empty for other types.
func (e Entry) Text() string {
	if e.typ != typeASCII || len(e.Data) > MaxText {
		return ""
	}
	return strings.TrimSpace(Decode(e.Data))
}

// Decode reads bytes that call themselves ASCII as what writers put there: UTF-8 when valid, else Latin-1. It ends at
// the first NUL.
func Decode(b []byte) string {
	s := string(b)
	if end := strings.IndexByte(s, 0); end >= 0 {
		s = s[:end]
	}
	if utf8.ValidString(s) {
		return s
	}
	// Latin-1 maps every byte, so its decoder has no error to give.
	latin, err := charmap.ISO8859_1.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "")
	}
	return latin
}
