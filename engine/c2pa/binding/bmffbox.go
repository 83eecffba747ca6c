package binding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/probe"
)

const (
	// maxVisits bounds how many boxes all exclusions of a binding look at together.
	maxVisits = 1 << 19
	// maxHits bounds the ranges that they leave out together: at about 100 bytes each they take 26 MB. A file in fragments
	// has some ten thousand.
	maxHits = 1 << 18
)

// box is a box by its place, and its place in its file as xpaths say it.
type box struct {
	kind             string
	start, body, end int64
	path             string
	depth            int
}

// boxes are the boxes of a file.
type boxes struct {
	*probe.Blocks
	size   int64
	top    []box
	visits int
}

// openBoxes lists the boxes at the top. What cannot be a box ends the list; an mdat box that runs past the file, which
// cameras leave that lose power, ends with it.
func openBoxes(f carrier.File) (*boxes, error) {
	b := &boxes{Blocks: f.NewBlocks(), size: f.Size}
	for x, err := range b.in(box{body: 0, end: f.Size}) {
		if errors.Is(err, probe.ErrMalformed) {
			break
		}
		if err != nil {
			return nil, err
		}
		b.top = append(b.top, x)
	}
	end := int64(0)
	if n := len(b.top); n > 0 {
		end = b.top[n-1].end
	}
	if f.Size-end < 16 {
		return b, nil
	}
	head, err := b.Bytes(end, 16)
	if err != nil {
		return nil, err
	}
	if string(head[4:8]) == "mdat" {
		cut := box{kind: "mdat", start: end, body: end + 8, end: f.Size, path: "/mdat", depth: 1}
		if binary.BigEndian.Uint32(head) == 1 {
			cut.body += 8
		}
		b.top = append(b.top, cut)
	}
	return b, nil
}

// in walks the boxes within a box.
func (b *boxes) in(parent box) iter.Seq2[box, error] {
	return func(yield func(box, error) bool) {
		start := parent.body
		for x, err := range b.Boxes(start, parent.end, carrier.MaxBoxes) {
			if b.visits++; err == nil && b.visits > maxVisits {
				err = fmt.Errorf("%w: more than %d boxes", probe.ErrExcessive, maxVisits)
			}
			child := box{kind: x.Kind, start: start, body: x.Body, end: x.End, path: parent.path + "/" + x.Kind, depth: parent.depth + 1}
			if !yield(child, err) || err != nil {
				return
			}
			start = x.End
		}
	}
}

// containers hold boxes and nothing else (ISO/IEC 14496-12); meta does too, behind the version that QuickTime's lacks.
var containers = map[string]bool{
	"moov": true, "trak": true, "mdia": true, "minf": true, "stbl": true, "moof": true, "traf": true, "edts": true,
	"udta": true, "dinf": true, "tref": true, "mvex": true, "mfra": true, "schi": true, "meta": true,
}

// open is a container ready to be walked; false for boxes of other kinds.
func (b *boxes) open(x box) (box, bool, error) {
	if !containers[x.kind] {
		return x, false, nil
	}
	if x.kind != "meta" || x.end-x.body < 8 {
		return x, true, nil
	}
	head, err := b.Bytes(x.body, 8)
	if err != nil {
		return x, false, err
	}
	if !bytes.Equal(head[4:], []byte("hdlr")) {
		x.body += 4
	}
	return x, true, nil
}

// hit is a box, or parts of one, that an exclusion matches.
type hit struct {
	box
	ranges []carrier.Range
	// whole: the box is excluded with its header.
	whole bool
}

// match finds what the exclusions match.
func (b *boxes) match(exclusions []exclusion) ([]hit, error) {
	var hits []hit
	left := maxHits
	for _, x := range exclusions {
		matched, err := b.follow(x, b.top)
		if err != nil {
			return nil, err
		}
		for _, m := range matched {
			ok, err := b.fits(x, m)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if left -= max(1, len(x.subset)); left < 0 {
				return nil, fmt.Errorf("%w: more than %d ranges are left out", probe.ErrExcessive, maxHits)
			}
			hits = append(hits, x.take(m))
		}
	}
	return hits, nil
}

// follow finds the boxes that the path of an exclusion leads to. Positions count among siblings of a kind.
func (b *boxes) follow(x exclusion, among []box) ([]box, error) {
	matched := x.path[0].pick(among)
	for _, s := range x.path[1:] {
		var next []box
		for _, m := range matched {
			parent, ok, err := b.open(m)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			var children []box
			for child, err := range b.in(parent) {
				if errors.Is(err, probe.ErrMalformed) {
					break
				}
				if err != nil {
					return nil, err
				}
				children = append(children, child)
			}
			next = append(next, s.pick(children)...)
		}
		matched = next
	}
	return matched, nil
}

// fits says whether the box is what else the exclusion asks for.
func (b *boxes) fits(x exclusion, m box) (bool, error) {
	if x.length >= 0 && x.length != m.end-m.start {
		return false, nil
	}
	if x.version >= 0 || x.flags != nil {
		at := m.body
		if m.kind == "uuid" {
			at += 16
		}
		if !fullBoxes[m.kind] || m.end-at < 4 {
			return false, nil
		}
		head, err := b.Bytes(at, 4)
		if err != nil {
			return false, err
		}
		if !x.fitsVersion(head) {
			return false, nil
		}
	}
	for _, d := range x.data {
		length := int64(len(d.value))
		if d.offset > m.end-m.start-length {
			return false, nil
		}
		got, err := b.Bytes(m.start+d.offset, length)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(got, d.value) {
			return false, nil
		}
	}
	return true, nil
}

// fullBoxes are those with a version and flags that bindings name: the tables of earlier versions' exclusions, and
// those of the specification's own examples.
var fullBoxes = map[string]bool{
	"uuid": true, "meta": true, "emsg": true, "iloc": true, "tfra": true, "stco": true, "co64": true, "tfhd": true,
	"trun": true, "saio": true, "sidx": true, "pssh": true, "prft": true, "mvhd": true, "tkhd": true, "mdhd": true,
	"hdlr": true, "stsz": true, "stsc": true, "stts": true, "stsd": true, "tfdt": true, "mfhd": true, "elst": true,
}

func bigEndian(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n)) //nolint:gosec // Places are not negative.
}
