package binding

import (
	"bytes"
	"context"
	"math"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

// data checks c2pa.hash.data (specification 2.2, section 15.12.1): a hash over the file without the ranges that it
// excludes.
func (c *check) data(ctx context.Context, assertion cbor.Value) ([]status.Status, error) {
	excluded, ok := exclusions(assertion)
	if assertion.Kind() != cbor.Map || !ok {
		return say(status.DataHashMalformed, "its exclusions are no rising list of ranges"), nil
	}
	h, ok := newHash(c.alg)
	if !ok {
		return unsupported(c.alg), nil
	}
	want, ok := assertion.Get("hash").Bytes()
	if !ok {
		return say(status.DataHashMismatch, "it has no hash"), nil
	}
	if c.found.Updated {
		excluded = c.grown(excluded)
	}
	if n := len(excluded); n > 0 && excluded[n-1].End > c.file.Size {
		return say(status.DataHashMismatch, "an exclusion reaches beyond the end of the file"), nil
	}
	more, refused, err := c.beyondStore(excluded)
	if err != nil {
		return nil, err
	}
	if refused {
		return say(status.DataHashMismatch, "it leaves out bytes that are neither the manifest store nor metadata"), nil
	}
	for _, x := range minus(carrier.Range{End: c.file.Size}, merged(excluded)) {
		if err := c.feed.into(ctx, h, x); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(h.Sum(nil), want) {
		return append(more, say(status.DataHashMismatch, "the file's bytes are not those that were signed")...), nil
	}
	return append(more, say(status.DataHashMatch, "the file's bytes are those that were signed")...), nil
}

// exclusions reads the ranges. False: they are not what the specification says, or do not rise.
func exclusions(assertion cbor.Value) ([]carrier.Range, bool) {
	list, ok := given(assertion, "exclusions")
	if !ok {
		return nil, true
	}
	if list.Kind() != cbor.Array {
		return nil, false
	}
	var out []carrier.Range
	var end int64
	for _, v := range list.Elements() {
		start, ok := number(v, "start")
		length, known := number(v, "length")
		if !ok || !known || length > math.MaxInt64-start || start < end {
			return nil, false
		}
		end = start + length
		out = append(out, carrier.Range{Start: start, End: end})
	}
	return out, true
}

// grown stretches the exclusion of the store to the length that it has since update manifests joined it; what follows
// moves along (specification 2.2, section 15.12.1.1).
func (c *check) grown(excluded []carrier.Range) []carrier.Range {
	if len(c.found.Ranges) != 1 {
		return excluded
	}
	store, growth := c.found.Ranges[0], int64(0)
	for i, x := range excluded {
		switch {
		case x.Start == store.Start:
			growth = store.End - x.End
			excluded[i] = store
		case growth > 0:
			excluded[i] = carrier.Range{Start: x.Start + growth, End: x.End + growth}
		}
	}
	return excluded
}

// beyondStore looks at what is excluded beside the store. Each range has to lie within the payload of one piece that
// holds metadata, its framing left out (specification 2.2, section 18.5.1): who could change the length of a segment could
// hide what follows. refused says that one does not.
func (c *check) beyondStore(excluded []carrier.Range) (told []status.Status, refused bool, err error) {
	var beyond []carrier.Range
	store := merged(c.found.Ranges)
	for _, x := range excluded {
		beyond = append(beyond, minus(x, store)...)
	}
	if len(beyond) == 0 {
		return nil, false, nil
	}
	pieces, ok, err := listPieces(c.file)
	if err != nil || !ok {
		return nil, true, err
	}
	var metadata []carrier.Range
	for _, p := range pieces {
		if p.Metadata.Len() > 0 {
			metadata = append(metadata, p.Metadata)
		}
	}
	for _, x := range beyond {
		if !inside(x, metadata) {
			return nil, true, nil
		}
	}
	return say(status.AdditionalExclusions, "metadata beside the manifest store are left out of the hash"), false, nil
}
