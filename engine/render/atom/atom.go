// Package atom takes boxes of ISO base media files apart that lie in memory, and moves the offsets that they hold.
package atom

import (
	"bytes"
	"encoding/binary"
	"errors"

	"veracity/engine/probe"
)

// MaxBoxes bounds the boxes side by side.
const MaxBoxes = 4096

// Errors of files.
var (
	// ErrNoMP4 says that a file is none whose offsets can be moved.
	ErrNoMP4 = errors.New("the file is no MP4 with one movie and without fragments")
	// ErrFar says that media would lie further than a table of 32-bit offsets reaches.
	ErrFar = errors.New("the file is too long for its tables of offsets")
)

// Atom is a box within bytes in memory: whole, and its body alone.
type Atom struct {
	Kind        string
	Whole, Body []byte
}

// Box writes one box (ISO/IEC 14496-12, section 4.2). It is far below 4 GB.
func Box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	out := binary.BigEndian.AppendUint32(make([]byte, 0, 8+len(body)), uint32(8+len(body))) //nolint:gosec // Far below 4 GB.
	return append(append(out, kind...), body...)
}

// List lists the boxes side by side in b, which must be all of it. Boxes of unstated length are none that an encoder
// puts into moov. Its errors wrap ErrNoMP4.
func List(b []byte) ([]Atom, error) {
	blocks := probe.NewBlocks(bytes.NewReader(b), int64(len(b)), 16, int64(len(b))*16)
	var list []Atom
	at := int64(0)
	for x, err := range blocks.Boxes(0, int64(len(b)), MaxBoxes) {
		if err != nil || binary.BigEndian.Uint32(b[at:]) == 0 {
			return nil, errors.Join(ErrNoMP4, err)
		}
		list = append(list, Atom{Kind: x.Kind, Whole: b[at:x.End], Body: b[x.Body:x.End]})
		at = x.End
	}
	if at != int64(len(b)) {
		return nil, ErrNoMP4
	}
	return list, nil
}

// Descend lists the boxes within all boxes that lie on the path.
func Descend(b []byte, path ...string) ([]Atom, error) {
	list, err := List(b)
	if err != nil {
		return nil, err
	}
	for _, kind := range path {
		var inner []Atom
		for _, a := range list {
			if a.Kind != kind {
				continue
			}
			more, err := List(a.Body)
			if err != nil {
				return nil, err
			}
			inner = append(inner, more...)
		}
		list = inner
	}
	return list, nil
}
