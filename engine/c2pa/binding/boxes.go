package binding

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

// boxes checks c2pa.hash.boxes (specification 2.2, section 15.12.3): hashes over runs of the file's named pieces, which
// have to be all that there are, in their order. Bytes that no run covers are an unknown box: c2pa-rs lets pieces behind
// the last one pass.
func (c *check) boxes(ctx context.Context, assertion cbor.Value) ([]status.Status, error) {
	runs, ok := readRuns(assertion, c.alg)
	if !ok {
		return say(status.BoxesHashMalformed, "its boxes are no list of names with their hashes"), nil
	}
	pieces, ok, err := listPieces(c.file)
	if err != nil {
		return nil, err
	}
	if !ok {
		return say(status.BoxesHashMismatch, "the file is not one of boxes"), nil
	}
	m := &matching{pieces: pieces, runs: runs}
	if fault := m.match(); fault != nil {
		return fault, nil
	}
	told := []status.Status{}
	for _, r := range runs {
		if r.store || r.excluded {
			if r.excluded && !r.store {
				told = say(status.AdditionalExclusions, "metadata beside the manifest store are left out of the hashes")
			}
			continue
		}
		h, ok := newHash(r.alg)
		if !ok {
			return unsupported(r.alg), nil
		}
		if err := c.feed.into(ctx, h, r.span); err != nil {
			return nil, err
		}
		if !bytes.Equal(h.Sum(nil), r.hash) {
			return append(told, say(status.BoxesHashMismatch, "%s is not what was signed", strings.Join(r.names[:1], ""))...), nil
		}
	}
	return append(told, say(status.BoxesHashMatch, "the file's boxes are those that were signed")...), nil
}

// listPieces lists the pieces of a file; ok is false for those that have none, or no readable structure.
func listPieces(f carrier.File) (pieces []carrier.Piece, ok bool, err error) {
	pieces, ok, err = carrier.Pieces(f)
	if errors.Is(err, carrier.ErrBroken) || errors.Is(err, carrier.ErrSeveral) {
		return nil, false, nil
	}
	return pieces, ok, err
}

// run is one entry of the assertion: names of pieces in a row and one hash over them.
type run struct {
	names    []string
	alg      string
	hash     []byte
	excluded bool
	// store says that it is the manifest store's, which has no hash.
	store bool
	span  carrier.Range
}

func readRuns(assertion cbor.Value, alg string) ([]*run, bool) {
	var runs []*run
	for _, v := range assertion.Get("boxes").Elements() {
		r := &run{alg: alg}
		if own, ok := given(v, "alg"); ok {
			r.alg, _ = own.Text()
		}
		for _, n := range v.Get("names").Elements() {
			name, ok := n.Text()
			if !ok || name == "" {
				return nil, false
			}
			r.names = append(r.names, name)
		}
		r.hash, _ = v.Get("hash").Bytes()
		r.excluded, _ = v.Get("excluded").Bool()
		r.store = slices.Contains(r.names, carrier.StorePiece)
		if len(r.names) == 0 || r.store && len(r.names) > 1 {
			return nil, false
		}
		runs = append(runs, r)
	}
	return runs, len(runs) > 0
}

// matching lays the runs over the pieces.
type matching struct {
	pieces []carrier.Piece
	runs   []*run
	// next is the piece to come.
	next int
}

// match finds the span of each run, or what is wrong.
func (m *matching) match() []status.Status {
	// c2pa-rs takes lists that begin behind a PNG's signature, which is the same in every file.
	if len(m.pieces) > 0 && m.pieces[0].Name == "PNGh" && m.runs[0].names[0] != "PNGh" {
		m.next = 1
	}
	for i, r := range m.runs {
		for j, name := range r.names {
			for m.next < len(m.pieces) && m.pieces[m.next].Name == "" && j > 0 {
				m.next++ // Bytes between two boxes of one run are hashed with them.
			}
			if fault := m.wrong(name, r); fault != nil {
				return fault
			}
			p := m.pieces[m.next]
			if m.next++; j == 0 {
				r.span.Start = p.Start
			}
			r.span.End = p.End
			if name == "SOS" && !strings.HasPrefix(m.following(i, j), "RST") {
				r.span.End = m.restarts(p.End)
			}
		}
	}
	if m.next < len(m.pieces) {
		return say(status.BoxesHashUnknownBox, "the file has %s, which was not signed", title(m.pieces[m.next]))
	}
	return nil
}

// wrong says why the piece to come is not the one of the name, nil when it is.
func (m *matching) wrong(name string, r *run) []status.Status {
	if m.next == len(m.pieces) {
		return say(status.BoxesHashMismatch, "the file has no further %s", name)
	}
	p := m.pieces[m.next]
	if p.Name != name {
		if !slices.ContainsFunc(m.runs, func(r *run) bool { return slices.Contains(r.names, p.Name) }) {
			return say(status.BoxesHashUnknownBox, "the file has %s, which was not signed", title(p))
		}
		return say(status.BoxesHashMismatch, "the file has %s where %s was signed", title(p), name)
	}
	if r.excluded && !r.store && p.Metadata.Len() == 0 {
		return say(status.BoxesHashMismatch, "it leaves out %s, which is no metadata", name)
	}
	return nil
}

// following is the name behind the one at j of run i.
func (m *matching) following(i, j int) string {
	if j+1 < len(m.runs[i].names) {
		return m.runs[i].names[j+1]
	}
	if i+1 < len(m.runs) {
		return m.runs[i+1].names[0]
	}
	return ""
}

// restarts passes over restart markers for those who count them to the scan, as decoders do, and do not list them.
func (m *matching) restarts(end int64) int64 {
	for ; m.next < len(m.pieces) && strings.HasPrefix(m.pieces[m.next].Name, "RST"); m.next++ {
		end = m.pieces[m.next].End
	}
	return end
}

func title(p carrier.Piece) string {
	switch p.Name {
	case "":
		return "bytes between its boxes"
	case carrier.RestPiece:
		return "bytes behind its end"
	}
	return p.Name
}
