package clip

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"veracity/engine/provenance/ifd"
)

// maxTexts bounds the values of one field: languages, or repetitions.
const maxTexts = 8

// decode reads bytes as what writers put there: UTF-16 after a byte order mark, else UTF-8 when valid, else Latin-1. It
// ends at the first NUL.
func decode(b []byte) string {
	if len(b) >= 2 {
		switch {
		case b[0] == 0xFE && b[1] == 0xFF:
			return decodeUTF16(b[2:], binary.BigEndian)
		case b[0] == 0xFF && b[1] == 0xFE:
			return decodeUTF16(b[2:], binary.LittleEndian)
		}
	}
	return ifd.Decode(b)
}

// decodeUTF16 reads units up to the first NUL.
func decodeUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		unit := order.Uint16(b)
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return strings.ToValidUTF8(string(utf16.Decode(units)), "")
}
