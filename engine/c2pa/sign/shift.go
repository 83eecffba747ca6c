package sign

import (
	"encoding/binary"
	"hash"
	"io"
)

// shift moves what lies from start up to size back by n bytes, reading and writing every byte once, from front to end. seen
// gets each piece before it is written, with the place that it had, and may change it. It holds two pieces in memory,
// each as long as n or stride, whichever is more.
func shift(file interface {
	io.ReaderAt
	io.WriterAt
}, start, size, n int64, seen func(at int64, p []byte),
) error {
	block := max(n, stride)
	ahead, behind := make([]byte, min(block, size-start)), make([]byte, 0, min(block, size-start))
	for at := start; at < size || len(behind) > 0; {
		piece := ahead[:min(block, size-at)]
		if len(piece) > 0 {
			if _, err := file.ReadAt(piece, at); err != nil {
				return err
			}
		}
		// What this writes over has been read: block is n at least.
		if _, err := file.WriteAt(behind, at-int64(len(behind))+n); err != nil {
			return err
		}
		seen(at, piece)
		at += int64(len(piece))
		ahead, behind = behind[:cap(behind)], piece
	}
	return nil
}

// hasher hashes the boxes at the top of a file as c2pa.hash.bmff.v3 has it (specification 2.2, section 18.6.2): before
// each box its place of eight bytes, here that which it gets, and nothing of those left out.
type hasher struct {
	digest hash.Hash
	// boxes are those not yet hashed to their end, at the place of the next byte, both before they move by growth.
	boxes  []place
	at     int64
	growth int64
}

func (h *hasher) write(p []byte) {
	for len(p) > 0 && len(h.boxes) > 0 {
		box := h.boxes[0]
		counts := box.kind != "ftyp" && box.kind != "mfra"
		if counts && h.at == box.start {
			h.digest.Write(binary.BigEndian.AppendUint64(nil, uint64(h.at+h.growth))) //nolint:gosec // A place in a file.
		}
		part := p[:min(int64(len(p)), box.end-h.at)]
		if counts {
			h.digest.Write(part)
		}
		h.at += int64(len(part))
		p = p[len(part):]
		if h.at == box.end {
			h.boxes = h.boxes[1:]
		}
	}
}
