package c2pa

import (
	"errors"
	"fmt"
	"strings"

	"veracity/engine/c2pa/jumbf"
)

// Labels of the boxes of a manifest (specification 2.2, section 11.1.4).
const (
	storeLabel      = "c2pa"
	assertionsLabel = "c2pa.assertions"
	signatureLabel  = "c2pa.signature"
	claimLabel      = "c2pa.claim"
	claimLabelV2    = "c2pa.claim.v2"
	databoxesLabel  = "c2pa.databoxes"
)

// standardAlso marks standard manifests too: consumers shall accept it (specification 2.2, section 11.2.2).
var standardAlso = [16]byte{'c', '2', 'm', 'd', 0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71}

// kind sorts manifests (specification 2.2, section 11.2).
type kind int

const (
	standard kind = iota
	update
	compressed
)

// kindOf tells the type UUIDs of manifests. Others are skipped (section 11.1.2), and so are the historical time-stamp
// manifests (section 15.11.2.3).
func kindOf(uuid [16]byte) (kind, bool) {
	switch uuid {
	case jumbf.Manifest, standardAlso:
		return standard, true
	case jumbf.UpdateManifest:
		return update, true
	case jumbf.CompressedMark:
		return compressed, true
	}
	return 0, false
}

// store is a manifest store: its manifests in their order, the active one last (specification 2.2, section 15.5.1).
type store struct {
	raw       []byte
	manifests []*manifest
	// labelled has nil for labels that several manifests bear: references to them do not resolve (section 8.4.1).
	labelled map[string]*manifest
	// read is how many bytes of claims and assertions were decoded.
	read int
}

// maxContent bounds the claims and assertions of a store that are decoded, in bytes: decoding costs a hundred times what
// hashing does. Those of long histories have some hundred kilobytes.
const maxContent = 4 << 20

// afford tells whether so much more may be decoded.
func (s *store) afford(content []byte) bool {
	s.read += len(content)
	return s.read <= maxContent
}

var errNoStore = errors.New("the box is no manifest store")

// parseStore reads the boxes of a manifest store.
func parseStore(data []byte) (*store, error) {
	root, err := jumbf.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read boxes: %w", err)
	}
	if root.UUID != jumbf.Store || root.Label != storeLabel {
		return nil, errNoStore
	}
	s := &store{raw: root.Raw, labelled: map[string]*manifest{}}
	for i := range root.Children {
		box := &root.Children[i]
		k, ok := kindOf(box.UUID)
		if !ok {
			continue
		}
		m := newManifest(box, k, s)
		s.manifests = append(s.manifests, m)
		if _, twice := s.labelled[m.label]; twice || !presentable(m.label) {
			s.labelled[m.label] = nil
			continue
		}
		s.labelled[m.label] = m
	}
	if len(s.manifests) == 0 {
		return nil, fmt.Errorf("%w: it holds no manifest", errNoStore)
	}
	return s, nil
}

// maxLabel bounds labels, in bytes. Those of C2PA have fewer than 90; a reference through two of them stays within a
// report's bounds.
const maxLabel = 120

// presentable tells labels that can be reported as they are. Longer ones would be cut, and two of them look the same.
func presentable(label string) bool {
	return label != "" && len(label) <= maxLabel && clean(label) == label
}

// shelf finds boxes by their labels.
type shelf struct {
	boxes []jumbf.Box
	at    map[string]int
}

// ambiguous marks labels that several boxes bear.
const ambiguous = -1

func newShelf(boxes []jumbf.Box) shelf {
	s := shelf{boxes: boxes, at: make(map[string]int, len(boxes))}
	for i := range boxes {
		label := boxes[i].Label
		if boxes[i].Type != superbox {
			continue
		}
		if _, twice := s.at[label]; twice || !presentable(label) {
			s.at[label] = ambiguous
			continue
		}
		s.at[label] = i
	}
	return s
}

// superbox is the type of boxes that hold others (ISO/IEC 19566-5).
const superbox = "jumb"

func (s shelf) get(label string) (*jumbf.Box, bool) {
	i, ok := s.at[label]
	if !ok || i == ambiguous {
		return nil, false
	}
	return &s.boxes[i], true
}

// find resolves the path of a URI within a manifest: the manifest itself, one of its boxes, or a box in one of these. No
// reference of C2PA goes deeper.
func (m *manifest) find(path string) (*jumbf.Box, bool) {
	if path == "" {
		return m.box, true
	}
	first, rest, deeper := strings.Cut(path, "/")
	box, ok := m.parts.get(first)
	if ok && first == assertionsLabel && box.UUID != jumbf.AssertionStore {
		return nil, false
	}
	if !ok || !deeper {
		return box, ok
	}
	inner, ok := m.inner[first]
	if !ok {
		inner = newShelf(box.Children)
		m.inner[first] = inner
	}
	return inner.get(rest)
}
