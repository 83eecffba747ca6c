package origin

import (
	"encoding/binary"
	"unicode/utf16"
)

// Tags of the EXIF that is written (Exif 2.32, section 4.6), in the rising order that TIFF demands.
const (
	tagImageDescription = 0x010E
	tagMake             = 0x010F
	tagModel            = 0x0110
	tagSoftware         = 0x0131
	tagArtist           = 0x013B
	tagExifIFD          = 0x8769
	tagUserComment      = 0x9286
)

// Types of values (TIFF 6.0, section 2).
const (
	typeASCII     = 2
	typeLong      = 4
	typeUndefined = 7
)

// entry is one value of a directory. Values here have one byte a unit, or are one number of four.
type entry struct {
	tag, kind uint16
	data      []byte
}

// block writes the tags as a big-endian TIFF structure, as the eXIf chunk holds it.
func (t tags) block() []byte {
	var main []entry
	for _, e := range []struct {
		tag   uint16
		value string
	}{
		{tagImageDescription, t.ImageDescription},
		{tagMake, t.Make},
		{tagModel, t.Model},
		{tagSoftware, t.Software},
		{tagArtist, t.Artist},
	} {
		if e.value != "" {
			main = append(main, entry{e.tag, typeASCII, append([]byte(e.value), 0)})
		}
	}
	const header = 8
	block := binary.BigEndian.AppendUint32([]byte("MM\x00*"), header)
	if t.UserComment == "" {
		return appendDirectory(block, main)
	}
	pointer := make([]byte, 4)
	main = append(main, entry{tagExifIFD, typeLong, pointer})
	binary.BigEndian.PutUint32(pointer, uint32(len(appendDirectory(block, main)))) //nolint:gosec // Six texts of 4 MB.
	block = appendDirectory(block, main)
	return appendDirectory(block, []entry{{tagUserComment, typeUndefined, comment(t.UserComment)}})
}

// comment is a UserComment with its character code: UTF-16 for all that is not ASCII.
func comment(value string) []byte {
	if isASCII(value) {
		return append([]byte("ASCII\x00\x00\x00"), value...)
	}
	out := []byte("UNICODE\x00")
	for _, unit := range utf16.Encode([]rune(value)) {
		out = binary.BigEndian.AppendUint16(out, unit)
	}
	return out
}

// appendDirectory adds a directory and the values that do not fit its entries.
func appendDirectory(block []byte, entries []entry) []byte {
	const entrySize, inline = 12, 4
	big := binary.BigEndian
	at := len(block) + 2 + entrySize*len(entries) + 4
	block = big.AppendUint16(block, uint16(len(entries))) //nolint:gosec // Six at most.
	var values []byte
	for _, e := range entries {
		count := len(e.data)
		if e.kind == typeLong {
			count /= 4
		}
		block = big.AppendUint16(block, e.tag)
		block = big.AppendUint16(block, e.kind)
		block = big.AppendUint32(block, uint32(count)) //nolint:gosec // Texts of 4 MB.
		if len(e.data) <= inline {
			block = append(block, append(e.data[:len(e.data):len(e.data)], 0, 0, 0, 0)[:inline]...)
			continue
		}
		block = big.AppendUint32(block, uint32(at+len(values))) //nolint:gosec // As above.
		values = append(values, e.data...)
		if len(values)%2 == 1 { // Values begin at even offsets.
			values = append(values, 0)
		}
	}
	return append(append(block, 0, 0, 0, 0), values...)
}
