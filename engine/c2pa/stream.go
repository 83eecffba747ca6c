package c2pa

import (
	"encoding/binary"

	"veracity/engine/probe"
)

// maxTopBoxes bounds the boxes at the top of a file that are looked at.
const maxTopBoxes = 1024

// initSegment tells a file that opens a stream and has none of its media: boxes of ISO base media (ISO/IEC 14496-12) with
// a moov, and neither mdat nor moof.
func (r *reader) initSegment() bool {
	if f := r.f.Format; f != probe.MP4 && f != probe.MOV && f != probe.M4A {
		return false
	}
	opens := false
	for at, n := int64(0), 0; at < r.f.Size; n++ {
		kind, size, ok := r.topBox(at)
		if !ok || n == maxTopBoxes || kind == "mdat" || kind == "moof" {
			return false
		}
		opens = opens || kind == "moov"
		at += size
	}
	return opens
}

// topBox reads the header of the box at an offset; ok is false when it does not fit into the file.
func (r *reader) topBox(at int64) (kind string, size int64, ok bool) {
	var header [16]byte
	n, _ := r.f.R.ReadAt(header[:], at)
	if n < 8 {
		return "", 0, false
	}
	left := uint64(r.f.Size - at) //nolint:gosec // at lies before the end
	length := uint64(binary.BigEndian.Uint32(header[:]))
	switch length {
	case 0:
		length = left
	case 1:
		length = binary.BigEndian.Uint64(header[8:])
	}
	if length < 8 || length > left {
		return "", 0, false
	}
	return string(header[4:8]), int64(length), true //nolint:gosec // not longer than the file
}
