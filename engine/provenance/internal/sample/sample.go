// Package sample makes small files with metadata for the tests of the packages around it: structurally sound
// containers with one pixel or none. Nothing but tests imports it.
package sample

import (
	"bytes"
	"encoding/binary"
)

// Join joins pieces of a file.
func Join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// size32 is a length as the formats write it. Samples are far below 4 GB.
func size32(order binary.AppendByteOrder, n int) []byte {
	return order.AppendUint32(nil, uint32(n)) //nolint:gosec // Lengths of samples.
}

// size16 is a short length. Callers keep samples within it.
func size16(order binary.AppendByteOrder, n int) []byte {
	return order.AppendUint16(nil, uint16(n)) //nolint:gosec // Lengths of samples.
}

// ManifestStore is the beginning of a C2PA manifest store: a JUMBF superbox with its description and nothing else.
func ManifestStore() []byte {
	description := Join([]byte("jumdc2pa\x00\x11\x00\x10\x80\x00\x00\xAA\x008\x9Bq\x03c2pa\x00"))
	description = Join(size32(binary.BigEndian, len(description)+4), description)
	return Join(size32(binary.BigEndian, len(description)+8), []byte("jumb"), description)
}
