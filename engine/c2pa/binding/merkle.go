package binding

import (
	"bytes"
	"context"
	"hash"
	"slices"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

const (
	// mdatHead is how much of an mdat box stays with the hash of the file where trees cover the rest: the longer of the two
	// headers, whichever the box has (specification 2.2, appendix A.5.6; c2pa-rs, sdk/src/assertions/bmff_hash.rs).
	mdatHead = 16
	// maxLeaves bounds the leaves of all trees of a binding: at 64 bytes each they take 16 MB.
	maxLeaves = 1 << 18
	// maxTrees bounds the trees; there is one for each mdat box or track.
	maxTrees = 1024
)

// tree is a row of a tree of hashes (specification 2.2, section 18.6.3: merkle-map).
type tree struct {
	unique, local int64
	// count is how many leaves there are.
	count    int64
	alg      string
	initHash []byte
	row      [][]byte
	// fixed is the size of a leaf, 0 when none is stated. variable are those of all leaves.
	fixed    int64
	variable []int64
}

func readTree(v cbor.Value, alg string) (tree, bool) {
	t := tree{alg: alg}
	if own, ok := given(v, "alg"); ok {
		t.alg, _ = own.Text()
	}
	unique, okUnique := v.Get("uniqueId").Int()
	local, okLocal := v.Get("localId").Int()
	count, okCount := number(v, "count")
	if t.unique, t.local, t.count = unique, local, count; !okUnique || !okLocal || !okCount {
		return t, false
	}
	if init, ok := given(v, "initHash"); ok {
		if t.initHash, ok = init.Bytes(); !ok {
			return t, false
		}
	}
	for _, h := range v.Get("hashes").Elements() {
		sum, ok := h.Bytes()
		if !ok {
			return t, false
		}
		t.row = append(t.row, sum)
	}
	fixed, isFixed := given(v, "fixedBlockSize")
	variable, isVariable := given(v, "variableBlockSizes")
	if isFixed {
		if n, ok := fixed.Int(); !ok || n < 1 {
			return t, false
		}
		t.fixed, _ = fixed.Int()
	}
	for _, s := range variable.Elements() {
		n, ok := s.Int()
		if !ok || n < 0 {
			return t, false
		}
		t.variable = append(t.variable, n)
	}
	return t, len(t.row) > 0 && int64(len(t.row)) <= t.count && (!isFixed || !isVariable) &&
		(!isVariable || int64(len(t.variable)) == t.count)
}

// holds says whether the leaves give the row: each row has the hashes of two neighbours of the one below, and one
// without a neighbour goes up as it is (c2pa-rs, sdk/src/utils/merkle.rs).
func (t *tree) holds(leaves [][]byte, h hash.Hash) bool {
	if int64(len(leaves)) != t.count {
		return false
	}
	for len(leaves) > len(t.row) {
		above := leaves[:0:0]
		for pair := range slices.Chunk(leaves, 2) {
			if len(pair) == 1 {
				above = append(above, pair[0])
				continue
			}
			h.Reset()
			// A hash takes every write.
			_, _ = h.Write(pair[0])
			_, _ = h.Write(pair[1])
			above = append(above, h.Sum(nil))
		}
		leaves = above
	}
	return slices.EqualFunc(leaves, t.row, bytes.Equal)
}

// pieces checks the media of a file in one piece: a tree for each mdat box, in their order (specification 2.2, section
// 15.12.2.1). The proofs that boxes of the purpose merkle hold are for those who see only part of the media.
func (v *bmffCheck) pieces(ctx context.Context) ([]status.Status, error) {
	var places []box
	for _, x := range v.top {
		if x.kind == "mdat" {
			places = append(places, x)
		}
	}
	if len(places) != len(v.trees) {
		return mismatch("it has hashes for another number of mdat boxes"), nil
	}
	order, left := v.order(), int64(maxLeaves)
	for i, x := range places {
		t := &v.trees[order[i]]
		if t.fixed == 0 && t.variable == nil && t.count > 1 {
			return say(status.AlgorithmUnsupported, "hashes over chunks of samples are not checked here"), nil
		}
		if left -= t.count; left < 0 {
			return say(status.AlgorithmUnsupported, "it has more than %d hashes over the media", maxLeaves), nil
		}
		leaves, ok := t.cut(x)
		if !ok {
			return say(status.BMFFHashMalformed, "its blocks are not those of the mdat box"), nil
		}
		result, err := v.leaves(ctx, t, leaves)
		if err != nil || result != nil {
			return result, err
		}
	}
	return match(), nil
}

// order is the tree of each mdat box: the local ids say so where they are the boxes' positions, else they stand in order.
func (v *bmffCheck) order() []int {
	order := make([]int, len(v.trees))
	for i := range order {
		order[i] = -1
	}
	for i, t := range v.trees {
		if t.local < 0 || t.local >= int64(len(order)) || order[t.local] >= 0 {
			for n := range order {
				order[n] = n
			}
			return order
		}
		order[t.local] = i
	}
	return order
}

// cut divides an mdat box into leaves.
func (t *tree) cut(x box) ([]carrier.Range, bool) {
	start := min(x.start+mdatHead, x.end)
	switch {
	case t.fixed > 0:
		length := x.end - start
		if length/t.fixed+min(length%t.fixed, 1) != t.count {
			return nil, false
		}
		var out []carrier.Range
		for size := min(t.fixed, length); start < x.end; start += size {
			out = append(out, carrier.Range{Start: start, End: min(start+size, x.end)})
		}
		return out, true
	case t.variable != nil:
		return t.cutVariable(x, start)
	}
	return []carrier.Range{{Start: start, End: x.end}}, t.count == 1
}

// cutVariable takes the payload to begin where the sizes fill it: the specification lets it begin behind the box's own
// header, c2pa-rs always at the sixteenth byte.
func (t *tree) cutVariable(x box, start int64) ([]carrier.Range, bool) {
	var sum int64
	for _, n := range t.variable {
		if n > x.end-x.start-sum {
			return nil, false
		}
		sum += n
	}
	switch sum {
	case x.end - start:
	case x.end - x.body:
		start = x.body
	default:
		return nil, false
	}
	var out []carrier.Range
	for _, n := range t.variable {
		out = append(out, carrier.Range{Start: start, End: start + n})
		start += n
	}
	return out, true
}

// leaves hashes ranges of the file as they are and compares the tree; nil when it holds.
func (v *bmffCheck) leaves(ctx context.Context, t *tree, ranges []carrier.Range) ([]status.Status, error) {
	h, ok := newHash(t.alg)
	if !ok {
		return unsupported(t.alg), nil
	}
	sums := make([][]byte, 0, len(ranges))
	for _, x := range ranges {
		h.Reset()
		if err := v.feed.into(ctx, h, x); err != nil {
			return nil, err
		}
		sums = append(sums, h.Sum(nil))
	}
	if !t.holds(sums, h) {
		return mismatch("the media are not those that were signed"), nil
	}
	return nil, nil
}
