package exif

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"

	"veracity/engine/provenance/ifd"
)

// Character codes that open a UserComment (Exif 2.32, section 4.6.5), eight bytes each.
var (
	codeASCII     = []byte("ASCII\x00\x00\x00")
	codeUnicode   = []byte("UNICODE\x00")
	codeJIS       = []byte("JIS\x00\x00\x00\x00\x00")
	codeUndefined = make([]byte, codeSize)
)

const (
	codeSize = 8
	// orderSample is how many bytes of a UNICODE comment decide its byte order.
	orderSample = 4096
)

// decodeComment reads a UserComment. Writers that leave the character code out are read as UTF-8.
func decodeComment(b []byte, order binary.ByteOrder) string {
	var code []byte
	if len(b) >= codeSize {
		code = b[:codeSize]
	}
	var text string
	switch {
	case bytes.Equal(code, codeUnicode):
		text = decodeUnicode(b[codeSize:], order)
	case bytes.Equal(code, codeJIS):
		text = decodeJIS(b[codeSize:])
	case bytes.Equal(code, codeASCII), bytes.Equal(code, codeUndefined):
		text = ifd.Decode(b[codeSize:])
	default:
		text = ifd.Decode(b)
	}
	return strings.TrimSpace(text)
}

func decodeJIS(b []byte) string {
	text, err := japanese.ISO2022JP.NewDecoder().Bytes(b)
	if err != nil {
		return ifd.Decode(b)
	}
	return ifd.Decode(text)
}

// decodeUnicode reads UTF-16, and UTF-8 where a writer put that under the same code. UTF-16 that passes for UTF-8 has
// no zero byte, so no Latin letter, and no generator's record is without them.
func decodeUnicode(b []byte, order binary.ByteOrder) string {
	if bytes.IndexByte(b, 0) < 0 && utf8.Valid(b) {
		return string(b)
	}
	b, order = utf16Order(b, order)
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		unit := order.Uint16(b)
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}

// utf16Order tells the byte order of UTF-16 text by its mark, else by the side on which the zero bytes of its Latin
// letters lie: many writers use big-endian text in a little-endian file. Text without either follows the file.
func utf16Order(b []byte, fallback binary.ByteOrder) ([]byte, binary.ByteOrder) {
	switch {
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		return b[2:], binary.BigEndian
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		return b[2:], binary.LittleEndian
	}
	var even, odd int
	for i, c := range b[:min(len(b), orderSample)] {
		switch {
		case c != 0:
		case i%2 == 0:
			even++
		default:
			odd++
		}
	}
	switch {
	case even > odd:
		return b, binary.BigEndian
	case odd > even:
		return b, binary.LittleEndian
	}
	return b, fallback
}
