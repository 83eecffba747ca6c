package sample

import "encoding/binary"

// WebP has the chunks behind the image data.
func WebP(chunks ...[]byte) []byte {
	return RIFF("WEBP", append([][]byte{RIFFChunk("VP8L", []byte{0x2F, 0, 0, 0, 0})}, chunks...)...)
}

// RIFF is a file of any form.
func RIFF(form string, chunks ...[]byte) []byte {
	body := Join([]byte(form), Join(chunks...))
	return Join([]byte("RIFF"), size32(binary.LittleEndian, len(body)), body)
}

// RIFFChunk is one chunk, padded to an even length.
func RIFFChunk(name string, payload []byte) []byte {
	chunk := Join([]byte(name), size32(binary.LittleEndian, len(payload)), payload)
	if len(payload)%2 == 1 {
		chunk = append(chunk, 0)
	}
	return chunk
}
