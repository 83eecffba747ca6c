package binding

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
)

// Limits of an exclusion list; those of tools have six entries.
const (
	maxExclusions = 64
	maxDepth      = 16
	maxParts      = 256
	maxValue      = 4096
)

// exclusion says which boxes a BMFF binding leaves out, wholly or in part (specification 2.2, section 18.6.2).
type exclusion struct {
	path []step
	// length is that of the whole box, -1 for any.
	length int64
	data   []value
	// subset is relative to the start of the box; an end of math.MaxInt64 is that of the box.
	subset []carrier.Range
	// version is -1 for any, flags nil.
	version int64
	flags   []byte
	exact   bool
}

// value is what a box must hold at an offset from its start.
type value struct {
	offset int64
	value  []byte
}

// step is one node of an xpath: a kind of box and its position among its siblings of the kind, 0 for all.
type step struct {
	kind     string
	position int
}

// pick finds the boxes of a step among siblings.
func (s step) pick(siblings []box) []box {
	var out []box
	n := 0
	for _, x := range siblings {
		if x.kind != s.kind {
			continue
		}
		if n++; s.position == 0 || n == s.position {
			out = append(out, x)
		}
	}
	return out
}

func readExclusion(v cbor.Value) (exclusion, bool) {
	x := exclusion{length: -1, version: -1, exact: true}
	path, ok := v.Get("xpath").Text()
	if !ok {
		return x, false
	}
	if x.path, ok = readPath(path); !ok {
		return x, false
	}
	if given, present := given(v, "length"); present {
		if x.length, ok = given.Int(); !ok || x.length < 0 {
			return x, false
		}
	}
	if given, present := given(v, "version"); present {
		if x.version, ok = given.Int(); !ok || x.version < 0 {
			return x, false
		}
	}
	if given, present := given(v, "flags"); present {
		if x.flags, ok = given.Bytes(); !ok || len(x.flags) != 3 {
			return x, false
		}
	}
	if given, present := given(v, "exact"); present {
		if x.exact, ok = given.Bool(); !ok {
			return x, false
		}
	}
	return x, x.readData(v) && x.readSubset(v)
}

// readPath reads the little of XPath that the specification allows.
func readPath(path string) ([]step, bool) {
	nodes := strings.Split(path, "/")
	if len(nodes) < 2 || nodes[0] != "" || len(nodes) > 1+maxDepth {
		return nil, false
	}
	var out []step
	for _, node := range nodes[1:] {
		kind, position, found := strings.Cut(node, "[")
		s := step{kind: kind}
		if found {
			n, err := strconv.Atoi(strings.TrimSuffix(position, "]"))
			if err != nil || n < 1 || !strings.HasSuffix(position, "]") {
				return nil, false
			}
			s.position = n
		}
		if len(kind) != 4 {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

func (x *exclusion) readData(v cbor.Value) bool {
	list, present := given(v, "data")
	if !present {
		return true
	}
	if list.Kind() != cbor.Array || len(list.Elements()) > maxParts {
		return false
	}
	for _, d := range list.Elements() {
		offset, ok := number(d, "offset")
		want, known := d.Get("value").Bytes()
		if !ok || !known || len(want) > maxValue {
			return false
		}
		x.data = append(x.data, value{offset, want})
	}
	return true
}

// readSubset reads rising ranges that do not overlap; a length of zero is the rest of the box.
func (x *exclusion) readSubset(v cbor.Value) bool {
	list, present := given(v, "subset")
	if !present {
		return true
	}
	if list.Kind() != cbor.Array || len(list.Elements()) == 0 || len(list.Elements()) > maxParts {
		return false
	}
	end := int64(0)
	for _, s := range list.Elements() {
		offset, ok := number(s, "offset")
		length, known := number(s, "length")
		if !ok || !known || offset < end || length > math.MaxInt64-offset {
			return false
		}
		if end = offset + length; length == 0 {
			end = math.MaxInt64
		}
		x.subset = append(x.subset, carrier.Range{Start: offset, End: end})
	}
	return true
}

// fitsVersion compares version and flags with those that open a full box.
func (x *exclusion) fitsVersion(head []byte) bool {
	if x.version >= 0 && x.version != int64(head[0]) {
		return false
	}
	if x.flags == nil || x.exact {
		return x.flags == nil || bytes.Equal(head[1:4], x.flags)
	}
	for i, f := range x.flags {
		if head[1+i]&f != f {
			return false
		}
	}
	return true
}

// take is what the exclusion leaves out of a box that it matches.
func (x *exclusion) take(m box) hit {
	if x.subset == nil {
		return hit{box: m, whole: true, ranges: []carrier.Range{{Start: m.start, End: m.end}}}
	}
	h := hit{box: m}
	for _, s := range x.subset {
		if length := m.end - m.start; s.Start < length {
			h.ranges = append(h.ranges, carrier.Range{Start: m.start + s.Start, End: m.start + min(s.End, length)})
		}
	}
	return h
}
