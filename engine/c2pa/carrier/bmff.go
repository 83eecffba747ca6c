package carrier

import (
	"bytes"
	"errors"
	"fmt"

	"veracity/engine/probe"
)

// Limits of the look at the top of an ISO base media file: one in fragments has some ten thousand boxes.
const (
	MaxBoxes     = 1 << 17
	boxBlock     = 256
	boxAllowance = 64 << 20
)

// Purposes of C2PA's boxes (specification 2.2, appendix A.5).
const (
	PurposeManifest = "manifest"
	PurposeOriginal = "original"
	PurposeUpdate   = "update"
	PurposeMerkle   = "merkle"
)

// ProvenanceBox is the type of C2PA's uuid boxes.
const ProvenanceBox = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"

// NewBlocks reads the headers of an ISO base media file's boxes.
func (f File) NewBlocks() *probe.Blocks { return probe.NewBlocks(f.R, f.Size, boxBlock, boxAllowance) }

// Purpose reads what a C2PA box is for, and where its data are; it is empty for other boxes and for damaged ones. The
// data of a manifest, original or update box begin with an offset of eight bytes.
func Purpose(blocks *probe.Blocks, x probe.Box) (purpose string, data Range, err error) {
	const head, longest = 16 + 4, len(PurposeManifest) + 1
	if x.Kind != "uuid" || x.Len() < head {
		return "", Range{}, nil
	}
	opening, err := blocks.Bytes(x.Body, min(head+int64(longest), x.Len()))
	if err != nil || string(opening[:16]) != ProvenanceBox {
		return "", Range{}, boxError(err)
	}
	text, _, ok := bytes.Cut(opening[head:], []byte{0})
	if !ok {
		return "", Range{}, nil
	}
	return string(text), Range{x.Body + head + int64(len(text)) + 1, x.End}, nil
}

// boxError drops what is wrong with a file's boxes from the errors of reading them.
func boxError(err error) error {
	if errors.Is(err, probe.ErrMalformed) || errors.Is(err, probe.ErrExcessive) {
		return nil
	}
	return err
}

// bmffStore is one box with a store.
type bmffStore struct{ framed, content Range }

// findBMFF reads the store out of the uuid boxes at the top. An update box goes with an original one, whose store it adds
// its manifests to: alone, either is broken.
func findBMFF(f File) (*Found, error) {
	const offset = 8
	stores := map[string]bmffStore{}
	blocks, start := f.NewBlocks(), int64(0)
	for x, err := range blocks.Boxes(0, f.Size, MaxBoxes) {
		if err != nil {
			if boxError(err) != nil {
				return nil, err
			}
			break
		}
		purpose, data, err := Purpose(blocks, x)
		if err != nil {
			return nil, err
		}
		switch purpose {
		case PurposeManifest, PurposeOriginal, PurposeUpdate:
			if _, twice := stores[purpose]; twice {
				return nil, ErrSeveral
			}
			stores[purpose] = bmffStore{Range{start, x.End}, Range{min(data.Start+offset, x.End), x.End}}
		}
		start = x.End
	}
	const where = "bmff:uuid:c2pa"
	manifest, plain := stores[PurposeManifest]
	original, kept := stores[PurposeOriginal]
	update, updated := stores[PurposeUpdate]
	switch {
	case plain && kept:
		return nil, ErrSeveral
	case kept != updated:
		return nil, fmt.Errorf("%w: an update and what it updates are not both there", ErrBroken)
	case kept:
		return f.merged(where, original, update)
	case !plain:
		return nil, nil
	}
	return f.only(where, manifest.framed, manifest.content)
}

// merged makes one store of two: the manifests of the update follow those of the original.
func (f File) merged(where string, original, update bmffStore) (*Found, error) {
	if original.content.Len()+update.content.Len() > MaxStore {
		return nil, fmt.Errorf("%w: its parts have more than %d bytes", ErrBroken, MaxStore)
	}
	first, err := f.only(where, original.framed, original.content)
	if err != nil {
		return nil, err
	}
	second, err := f.only(where, update.framed, update.content)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(complete(first.Store), complete(second.Store)); err != nil {
		return nil, err
	}
	store, ok := joinStores(first.Store, second.Store)
	if !ok {
		return nil, fmt.Errorf("%w: its update says nothing", ErrBroken)
	}
	ranges := []Range{original.framed, update.framed}
	if update.framed.Start < original.framed.Start {
		ranges[0], ranges[1] = ranges[1], ranges[0]
	}
	return &Found{Store: store, Where: where, Ranges: ranges}, nil
}
