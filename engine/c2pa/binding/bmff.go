package binding

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
	"veracity/engine/probe"
)

// bmff checks c2pa.hash.bmff (specification 2.2, section 15.12.2): a hash over the boxes of an ISO base media file without
// those that it excludes, or trees of hashes over fragments or the media, or both.
func (c *check) bmff(ctx context.Context, version string, assertion cbor.Value) ([]status.Status, error) {
	b := bmffBinding{version: version, alg: c.alg}
	if !b.read(assertion) {
		return say(status.BMFFHashMalformed, "its fields are not those of a BMFF hash"), nil
	}
	file, err := openBoxes(c.file)
	if err != nil {
		return tooMuch(err)
	}
	hits, err := file.match(b.exclusions)
	if err != nil {
		return tooMuch(err)
	}
	v := &bmffCheck{bmffBinding: b, boxes: file, feed: c.feed}
	if refused := v.exclude(hits); refused != "" {
		return say(status.BMFFHashMalformed, "it leaves out %s, so that it binds no media", refused), nil
	}
	result, err := v.verdict(ctx)
	if err != nil {
		return nil, err
	}
	if result[0].Code != status.BMFFHashMatch {
		return result, nil
	}
	// Version 1 does not hash where boxes stand: who puts padding before the media has the tables point into it.
	if v.unsafe || v.tables || version == "v1" {
		if ok, err := believable(c.file, file.top); err != nil || v.unsafe || !ok {
			return say(status.AlgorithmUnsupported, "as earlier versions asked, it leaves out what says where the media lie"), err
		}
	}
	if v.more || v.tables {
		result = append(say(status.AdditionalExclusions, "metadata beside the manifest store are left out of the hash"), result...)
	}
	return result, nil
}

// tooMuch tells of files with more boxes than are looked at. Any other error is one of reading.
func tooMuch(err error) ([]status.Status, error) {
	if errors.Is(err, probe.ErrExcessive) || errors.Is(err, probe.ErrMalformed) {
		return say(status.AlgorithmUnsupported, "the file's boxes cannot be walked: %v", err), nil
	}
	return nil, err
}

// bmffBinding is the assertion (specification 2.2, section 18.6.3).
type bmffBinding struct {
	version    string
	alg        string
	hash       []byte
	exclusions []exclusion
	trees      []tree
}

func (b *bmffBinding) read(assertion cbor.Value) bool {
	list, ok := given(assertion, "exclusions")
	if !ok || len(list.Elements()) == 0 || len(list.Elements()) > maxExclusions {
		return false
	}
	for _, v := range list.Elements() {
		x, ok := readExclusion(v)
		if !ok {
			return false
		}
		b.exclusions = append(b.exclusions, x)
	}
	if v, ok := given(assertion, "hash"); ok {
		if b.hash, ok = v.Bytes(); !ok {
			return false
		}
	}
	trees, ok := given(assertion, "merkle")
	if len(trees.Elements()) > maxTrees {
		return false
	}
	for _, v := range trees.Elements() {
		t, ok := readTree(v, b.alg)
		if !ok {
			return false
		}
		b.trees = append(b.trees, t)
	}
	return (!ok || len(b.trees) > 0) && (b.hash != nil || len(b.trees) > 0)
}

// bmffCheck is a BMFF binding laid over a file.
type bmffCheck struct {
	bmffBinding
	*boxes
	feed *feed
	// out are the bytes that are excluded, gone the boxes at the top that are wholly.
	out  []carrier.Range
	gone map[int64]bool
	// media says that bytes of mdat boxes are left to the trees, more that metadata are left out, tables that tables of
	// chunks are, and unsafe that other tables of places are.
	media, more, tables, unsafe bool
}

// exclude takes in what the exclusions match. It names the first that the binding may not leave out.
func (v *bmffCheck) exclude(hits []hit) (refused string) {
	v.gone = map[int64]bool{}
	for _, h := range hits {
		switch v.judge(h) {
		case framing:
		case metadata:
			v.more = true
		case media:
			v.media = true
		case places:
			v.tables = true
		case unsafe:
			v.unsafe = true
		case essential:
			return h.path
		}
		v.out = append(v.out, h.ranges...)
		if h.whole && h.depth == 1 {
			v.gone[h.start] = true
		}
	}
	v.out = merged(v.out)
	return ""
}

// verdict compares the hashes.
func (v *bmffCheck) verdict(ctx context.Context) ([]status.Status, error) {
	fragments := slices.ContainsFunc(v.top, func(x box) bool { return x.kind == "moof" })
	switch {
	case v.hash == nil && fragments:
		return v.fragments(ctx)
	case v.hash == nil:
		return v.opening(ctx)
	}
	ok, result, err := v.compare(ctx, v.alg, v.hash, carrier.Range{End: v.size})
	if err != nil || result != nil {
		return result, err
	}
	if !ok {
		return mismatch("the file's boxes are not those that were signed"), nil
	}
	if v.media {
		return v.pieces(ctx)
	}
	return match(), nil
}

func match() []status.Status {
	return say(status.BMFFHashMatch, "the file's boxes are those that were signed")
}

func mismatch(explanation string) []status.Status {
	return say(status.BMFFHashMismatch, "%s", explanation)
}

// compare says whether a range of the file, minus what is excluded, has the hash. A status says that it cannot be told.
func (v *bmffCheck) compare(ctx context.Context, alg string, want []byte, x carrier.Range) (bool, []status.Status, error) {
	sum, result, err := v.sum(ctx, alg, x)
	return bytes.Equal(sum, want), result, err
}

// sum hashes the boxes that lie in a range: from version 2 on the place of each box at the top goes before its bytes,
// unless it is wholly excluded (specification 2.2, section 18.6.2). What follows the last box is hashed as it is.
func (v *bmffCheck) sum(ctx context.Context, alg string, within carrier.Range) ([]byte, []status.Status, error) {
	h, ok := newHash(alg)
	if !ok {
		return nil, unsupported(alg), nil
	}
	first, _ := slices.BinarySearchFunc(v.top, within.Start, func(x box, start int64) int { return cmp.Compare(x.start, start) })
	end := within.Start
	for _, x := range v.top[first:] {
		if x.end > within.End {
			break
		}
		if end = x.end; v.gone[x.start] {
			continue
		}
		if v.version != "v1" {
			// A hash takes every write.
			_, _ = h.Write(bigEndian(x.start))
		}
		for _, part := range minus(carrier.Range{Start: x.start, End: x.end}, v.out) {
			if err := v.feed.into(ctx, h, part); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := v.feed.into(ctx, h, carrier.Range{Start: end, End: within.End}); err != nil {
		return nil, nil, err
	}
	return h.Sum(nil), nil, nil
}
