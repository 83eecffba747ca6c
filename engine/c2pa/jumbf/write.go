package jumbf

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Super writes a superbox with its description box (requestable, with a salt when one is given) and its children, which
// are whole boxes.
func Super(uuid [16]byte, label string, salt []byte, children ...[]byte) []byte {
	about := append(uuid[:len(uuid):len(uuid)], toggleRequestable|toggleLabel)
	about = append(append(about, label...), 0)
	if salt != nil {
		about[len(uuid)] |= togglePrivate
		about = append(about, Leaf(saltBox, salt)...)
	}
	return Leaf(superbox, append(Leaf(description, about), bytes.Join(children, nil)...))
}

// Leaf writes a box of four letters.
func Leaf(boxType string, content []byte) []byte {
	big := binary.BigEndian
	if len(content) > math.MaxUint32-header {
		out := append(big.AppendUint32(make([]byte, 0, longHeader+len(content)), 1), boxType...)
		return append(big.AppendUint64(out, uint64(longHeader+len(content))), content...)
	}
	out := big.AppendUint32(make([]byte, 0, header+len(content)), uint32(header+len(content))) //nolint:gosec // Just checked.
	return append(append(out, boxType...), content...)
}
