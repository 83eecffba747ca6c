package carrier

import (
	"encoding/binary"
	"fmt"
)

// Sizes within an APP11 segment (ISO 19566-5, annex D): the common identifier "JP", the box's instance and the packet's
// sequence number stand before a copy of the box's header, which each segment has.
const (
	ownFields = 8
	// maxShares bounds the segments that hold shares of boxes; 32 MB take some 500.
	maxShares = 1 << 14
)

// share is one segment's share of a box: the whole segment, and what of it belongs to the box.
type share struct{ segment, content Range }

// jpegBox is a box that segments share.
type jpegBox struct {
	shares []share
	// next is the sequence number of the next share.
	next uint32
	// torn: a share is missing, doubled or out of place.
	torn bool
}

// jpegBoxes gathers the JUMBF boxes of a JPEG. A box's shares have its instance and follow each other in number, from 0 or
// 1 on; other segments may stand between them.
type jpegBoxes struct {
	all  []*jpegBox
	open map[uint16]*jpegBox
	n    int
}

// add takes a segment's share, if it holds one.
func (b *jpegBoxes) add(w *window, s segment) error {
	const smallest = ownFields + 8
	length := s.End - s.body
	if s.marker != markerAPP11 || length < smallest {
		return nil
	}
	head, err := w.peek(s.body, min(smallest+8, length))
	if err != nil {
		return err
	}
	if string(head[:2]) != "JP" || string(head[12:16]) != "jumb" {
		return nil
	}
	if b.n++; b.n > maxShares {
		return fmt.Errorf("%w: it lies in more than %d segments", ErrBroken, maxShares)
	}
	instance, sequence := binary.BigEndian.Uint16(head[2:]), binary.BigEndian.Uint32(head[4:])
	repeated := int64(boxHeader(head[ownFields:]))
	x := share{segment: s.Range, content: Range{s.body + ownFields, s.End}}
	open := b.open[instance]
	switch {
	case open != nil && sequence == open.next:
		x.content.Start = min(x.content.Start+repeated, s.End)
		open.shares = append(open.shares, x)
		open.next++
	case sequence <= 1:
		if b.open == nil {
			b.open = map[uint16]*jpegBox{}
		}
		b.open[instance] = &jpegBox{shares: []share{x}, next: sequence + 1}
		b.all = append(b.all, b.open[instance])
	case open != nil:
		open.torn = true
	}
	return nil
}

// store is the box that is the manifest store, nil when none is.
func (b *jpegBoxes) store(w *window) (*jpegBox, error) {
	var found *jpegBox
	for _, x := range b.all {
		head, err := x.head(w)
		if err != nil {
			return nil, err
		}
		if !isStore(head) {
			continue
		}
		if found != nil {
			return nil, ErrSeveral
		}
		found = x
	}
	return found, nil
}

// head is the beginning of the box, however small its shares are.
func (x *jpegBox) head(w *window) ([]byte, error) {
	var head []byte
	for _, s := range x.shares {
		n := min(storeHead-int64(len(head)), s.content.Len())
		if n == 0 {
			break
		}
		part, err := w.peek(s.content.Start, n)
		if err != nil {
			return nil, whole(err)
		}
		head = append(head, part[:n]...)
	}
	return head, nil
}

// ranges are the segments of the box, those that touch as one.
func (x *jpegBox) ranges() []Range {
	var out []Range
	for _, s := range x.shares {
		if last := len(out) - 1; last >= 0 && out[last].End == s.segment.Start {
			out[last].End = s.segment.End
			continue
		}
		out = append(out, s.segment)
	}
	return out
}

func (x *jpegBox) found(f File) (*Found, error) {
	if x.torn {
		return nil, fmt.Errorf("%w: segments of it are missing or out of order", ErrBroken)
	}
	parts := make([]Range, 0, len(x.shares))
	for _, s := range x.shares {
		parts = append(parts, s.content)
	}
	store, err := f.gather(parts)
	if err != nil {
		return nil, err
	}
	return &Found{Store: store, Where: "jpeg:APP11", Ranges: x.ranges()}, nil
}
