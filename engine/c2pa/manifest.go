package c2pa

import (
	"veracity/engine/c2pa/jumbf"
)

// manifest is one manifest of a store, and what was found of it.
type manifest struct {
	findings
	label string
	kind  kind
	box   *jumbf.Box
	store *store
	// parts are its boxes by their labels, inner what is in those.
	parts shelf
	inner map[string]shelf

	// claim is nil when it could not be read.
	claim            *claim
	assertions       []*assertion
	actions          []action
	ingredients      []*ingredient
	ingredientByPath map[string]*ingredient
	refers           []referral

	// loaded: its assertions were read. index is its place among those.
	loaded bool
	index  int
	// redactions are the assertions of it that manifests above took away, by their path.
	redactions map[string]bool

	signer *Signer
	// verified: the claim's signature is its signer's. bound: the file is the one that was signed, for the active manifest.
	verified, bound bool
	binding         string
}

func newManifest(box *jumbf.Box, k kind, s *store) *manifest {
	return &manifest{
		label: box.Label, kind: k, box: box, store: s, parts: newShelf(box.Children), inner: map[string]shelf{},
		ingredientByPath: map[string]*ingredient{}, redactions: map[string]bool{},
	}
}

// uri is the reference to the manifest, or to what lies at the path in it.
func (m *manifest) uri(path string) string { return target{m.label, path}.uri() }

// integrity sums up what the findings say. Intact must be shown: by a signature that verifies, and for the active
// manifest by a file that is the one it was made for.
func (m *manifest) integrity(active bool) Integrity {
	switch {
	case m.altered:
		return Altered
	case m.unchecked || !m.verified || active && !m.bound:
		return Unchecked
	}
	return Intact
}
