package binding

import (
	"bytes"
	"context"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/probe"
)

// maxProof bounds the data of a merkle box in bytes: its hashes are as many as a tree is high.
const maxProof = 16 << 10

// opening checks an initialization segment that is alone: its fragments are files of their own, which are not here.
// Media that are bound and absent are a failure (specification 2.2, section 15.12.2).
func (v *bmffCheck) opening(ctx context.Context) ([]status.Status, error) {
	result, err := v.initHashes(ctx, v.size)
	if err != nil || result != nil {
		return result, err
	}
	return mismatch("an initialization segment as it was signed; the media that belong to it are not in this file"), nil
}

// initHashes checks what comes before the fragments; nil when all trees agree.
func (v *bmffCheck) initHashes(ctx context.Context, end int64) ([]status.Status, error) {
	sums := map[string][]byte{}
	for _, t := range v.trees {
		if t.initHash == nil {
			return say(status.BMFFHashMalformed, "it has no hash of what comes before the fragments"), nil
		}
		sum, known := sums[t.alg]
		if !known {
			var result []status.Status
			var err error
			if sum, result, err = v.sum(ctx, t.alg, carrier.Range{End: end}); err != nil || result != nil {
				return result, err
			}
			sums[t.alg] = sum
		}
		if !bytes.Equal(sum, t.initHash) {
			return mismatch("what comes before the fragments is not what was signed"), nil
		}
	}
	return nil, nil
}

// fragments checks a file of fragments (specification 2.2, section 15.12.2.2 and appendix A.5.4.1.2): what comes before
// the first moof box, and each fragment, up to the next moof box, as a leaf of the tree that the merkle box before it
// names. All leaves are at hand, so that each tree is built from them, and none may be missing.
func (v *bmffCheck) fragments(ctx context.Context) ([]status.Status, error) {
	cuts, result, err := v.cuts()
	if err != nil || result != nil {
		return result, err
	}
	if result, err = v.initHashes(ctx, cuts[0].Start); err != nil || result != nil {
		return result, err
	}
	leaves := make([][][]byte, len(v.trees))
	for _, cut := range cuts {
		sum, result, err := v.sum(ctx, v.trees[cut.tree].alg, cut.Range)
		if err != nil || result != nil {
			return result, err
		}
		leaves[cut.tree] = append(leaves[cut.tree], sum)
	}
	for i := range v.trees {
		h, _ := newHash(v.trees[i].alg) // Known to be one: its initial hash held.
		if !v.trees[i].holds(leaves[i], h) {
			return mismatch("the fragments are not those that were signed"), nil
		}
	}
	return match(), nil
}

// cut is a fragment and the tree that it belongs to.
type cut struct {
	carrier.Range
	tree int
}

// cuts lists the fragments. The merkle boxes say which tree each belongs to, and count them up for each.
func (v *bmffCheck) cuts() ([]cut, []status.Status, error) {
	var cuts []cut
	next := make([]int64, len(v.trees))
	pending := -1
	for _, x := range v.top {
		if x.kind == "moof" {
			if pending < 0 {
				return nil, say(status.BMFFHashMalformed, "a fragment says nothing of its place in the tree of hashes"), nil
			}
			if n := len(cuts); n > 0 {
				cuts[n-1].End = x.start
			}
			cuts, pending = append(cuts, cut{carrier.Range{Start: x.start, End: v.size}, pending}), -1
			continue
		}
		proof, err := v.proof(x)
		if err != nil {
			return nil, nil, err
		}
		if proof.Kind() != cbor.Map {
			continue
		}
		which, location := v.named(proof)
		if which < 0 || pending >= 0 || location != next[which] {
			return nil, mismatch("the fragments are not in the order that was signed"), nil
		}
		next[which]++
		pending = which
	}
	return cuts, nil, nil
}

// proof reads the data of a merkle box, absent for all other boxes and for those that hold something else.
func (v *bmffCheck) proof(x box) (cbor.Value, error) {
	purpose, data, err := carrier.Purpose(v.Blocks, probe.Box{Kind: x.kind, Body: x.body, End: x.end})
	if err != nil || purpose != carrier.PurposeMerkle || data.Len() > maxProof {
		return cbor.Value{}, err
	}
	raw, err := v.Bytes(data.Start, data.Len())
	if err != nil {
		return cbor.Value{}, err
	}
	return unpadded(raw), nil
}

// unpadded reads an item that zeros may follow. Each zero is an item too, so that all of them make a list.
func unpadded(raw []byte) cbor.Value {
	const listOfAnyLength, end = 0x9F, 0xFF
	list, err := cbor.Decode(append(append([]byte{listOfAnyLength}, raw...), end))
	if err != nil || len(list.Elements()) == 0 {
		return cbor.Value{}
	}
	for _, zero := range list.Elements()[1:] {
		if n, ok := zero.Int(); !ok || n != 0 {
			return cbor.Value{}
		}
	}
	return list.Elements()[0]
}

// named finds the tree that a proof names and the location that it states.
func (v *bmffCheck) named(proof cbor.Value) (tree int, location int64) {
	unique, okUnique := proof.Get("uniqueId").Int()
	local, okLocal := proof.Get("localId").Int()
	location, ok := number(proof, "location")
	for i, t := range v.trees {
		if ok && okUnique && okLocal && t.unique == unique && t.local == local {
			return i, location
		}
	}
	return -1, 0
}
