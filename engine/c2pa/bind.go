package c2pa

import (
	"context"

	"veracity/engine/c2pa/binding"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/status"
)

// bind checks that the file is the one that the active manifest was made for (specification 2.2, section 15.12). That of
// an update manifest is bound by the nearest standard manifest among its parents.
func (r *reader) bind(ctx context.Context, active *manifest) error {
	if active.claim == nil {
		return nil
	}
	m := r.standardParent(active)
	if m == nil {
		active.add(status.ClaimHardBindingsMissing, active.claim.uri, "No parent of the manifest is bound to a file.")
		return nil
	}
	hard, _ := m.hardBindings()
	if len(hard) != 1 || !hard[0].intact {
		if m != active {
			active.add(status.ClaimHardBindingsMissing, active.claim.uri, "The parent of the manifest is not bound to a file.")
		}
		return nil
	}
	a := hard[0]
	active.binding, m.binding = a.label, a.label
	content, _ := a.box.First("cbor")
	v, err := cbor.Decode(content)
	if err != nil {
		return nil //nolint:nilerr // the assertion was found to be invalid when it was read, and the manifest is not bound
	}
	found, err := binding.Check(ctx, r.f, *r.found, a.label, v, m.claim.alg)
	if err != nil {
		return err
	}
	r.settleBinding(active, m, a, found)
	return nil
}

// mismatched are the failures of a binding after which the parts of a file are to be checked one by one (specification
// 2.2, section 15.12.4).
var mismatched = map[status.Code]bool{
	status.DataHashMismatch: true, status.BoxesHashMismatch: true, status.BMFFHashMismatch: true,
}

// settleBinding puts down what the check of m's binding a found, for the active manifest.
func (r *reader) settleBinding(active, m *manifest, a *assertion, found []status.Status) {
	failed := false
	for _, s := range found {
		failed = failed || s.Code.Kind() == status.Failure
		switch {
		case s.Code == status.GeneralError:
			active.skip(s.Code, a.uri, s.Explanation)
		case s.Code == status.BMFFHashMismatch && r.initSegment():
			active.skip(s.Code, a.uri, "The file opens a stream, whose media are not in it.")
		case mismatched[s.Code] && m.hasParts():
			active.skip(s.Code, a.uri, "The file has parts with hashes of their own, which are not checked here.")
		default:
			active.add(s.Code, a.uri, s.Explanation)
		}
	}
	active.bound = !failed && len(found) > 0
}

// standardParent follows the parents of update manifests to the first standard one, nil when there is none.
func (r *reader) standardParent(m *manifest) *manifest {
	for range maxDepth {
		if m == nil || m.claim == nil {
			return nil
		}
		if m.kind == standard {
			return m
		}
		var parent *manifest
		for _, in := range m.ingredients {
			if in.Relationship == "parentOf" {
				parent = r.target(in)
			}
		}
		m = parent
	}
	return nil
}

// hasParts tells of a multi-asset hash, for files whose parts may be taken off (specification 2.2, section 18.9).
func (m *manifest) hasParts() bool {
	for _, a := range m.assertions {
		if a.intact && a.base == multiAssetLabel {
			return true
		}
	}
	return false
}
