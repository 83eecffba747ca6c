package carriertest

import (
	"bytes"
	"encoding/binary"
)

// Flags of ID3v2 tags that tests use.
const (
	Unsynchronised = 0x80
	Extended       = 0x40
)

// Object is the body of a GEOB frame with texts in Latin-1.
func Object(media string, data []byte) []byte {
	return append([]byte("\x00"+media+"\x00c2pa\x00c2pa manifest store\x00"), data...)
}

// Frame is a frame of an ID3v2 tag of version 3 or 4, with its second byte of flags.
func Frame(version byte, id string, flags byte, body []byte) []byte {
	size := binary.BigEndian.AppendUint32(nil, uint32(len(body))) //nolint:gosec // Tests are small.
	if version == 4 {
		size = synchsafe(len(body))
	}
	return append(append([]byte(id), append(size, 0, flags)...), body...)
}

// Tag is an ID3v2 tag with some padding. Version 3 is unsynchronised as a whole when its flags say so.
func Tag(version, flags byte, frames ...[]byte) []byte {
	body := append(bytes.Join(frames, nil), make([]byte, 64)...)
	if flags&Extended != 0 {
		extended := []byte{0, 0, 0, 6, 0, 0, 0, 0, 0, 64} // Six bytes behind the length.
		if version == 4 {
			extended = []byte{0, 0, 0, 6, 1, 0} // Six bytes with the length.
		}
		body = append(extended, body...)
	}
	if version == 3 && flags&Unsynchronised != 0 {
		body = Unsynchronise(body)
	}
	return append(append([]byte{'I', 'D', '3', version, 0, flags}, synchsafe(len(body))...), body...)
}

// Unsynchronise puts a zero behind each byte FF.
func Unsynchronise(b []byte) []byte { return bytes.ReplaceAll(b, []byte{0xFF}, []byte{0xFF, 0}) }

func synchsafe(n int) []byte {
	return []byte{byte(n >> 21 & 0x7F), byte(n >> 14 & 0x7F), byte(n >> 7 & 0x7F), byte(n & 0x7F)}
}

// Entry is an entry of a TIFF directory whose bytes lie elsewhere in the file.
type Entry struct {
	Tag  uint16
	Type uint16
	Data []byte
}

// TIFF is a file of the order, classic or Big, with the directories in a chain.
func TIFF(order binary.AppendByteOrder, big bool, directories ...[]Entry) []byte {
	word := func(b []byte, n int) []byte {
		if big {
			return order.AppendUint64(b, uint64(n)) //nolint:gosec // Tests are small.
		}
		return order.AppendUint32(b, uint32(n)) //nolint:gosec // Tests are small.
	}
	out := []byte("II")
	if order.String() == binary.BigEndian.String() {
		out = []byte("MM")
	}
	first, entry, ends := 8, 12, 2+4
	if big {
		out = order.AppendUint16(order.AppendUint16(order.AppendUint16(out, 43), 8), 0)
		first, entry, ends = 16, 20, 8+8
	} else {
		out = order.AppendUint16(out, 42)
	}
	out = word(out, first)
	for i, d := range directories {
		at := len(out) + ends + entry*len(d)
		if big {
			out = order.AppendUint64(out, uint64(len(d)))
		} else {
			out = order.AppendUint16(out, uint16(len(d))) //nolint:gosec // Tests are small.
		}
		var values []byte
		for _, e := range d {
			out = order.AppendUint16(order.AppendUint16(out, e.Tag), e.Type)
			out = word(word(out, len(e.Data)), at+len(values))
			values = append(values, e.Data...)
		}
		next := at + len(values)
		if i == len(directories)-1 {
			next = 0
		}
		out = append(word(out, next), values...)
	}
	return out
}
