package clips

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// matrices are the upper left four values of a track's matrix (ISO/IEC 14496-12, 8.3.2) by degrees clockwise.
var matrices = map[int][4]int32{
	90:  {0, 1, -1, 0},
	180: {-1, 0, 0, -1},
	270: {0, -1, 1, 0},
}

// rotate writes the matrix of the first track. Command lines for it differ between versions of ffmpeg; the box does not.
func rotate(file []byte, degrees int) ([]byte, error) {
	// From the box's type: version and flags, then for version 0 five fields, 16 more bytes, and the matrix.
	const fromType, size = 4 + 4 + 20 + 16, 36
	at := bytes.Index(file, []byte("tkhd"))
	m, known := matrices[degrees]
	if !known || at < 0 || at+fromType+size > len(file) || file[at+4] != 0 {
		return nil, errors.New("turn the picture: no track of version 0, or no right angle")
	}
	out := bytes.Clone(file)
	for i, place := range []int{0, 4, 12, 16} {
		binary.BigEndian.PutUint32(out[at+fromType+place:], uint32(m[i])<<16) //nolint:gosec // The sign is meant to go over.
	}
	return out, nil
}
