package c2pa

import (
	"slices"

	"veracity/engine/c2pa/status"
)

// States of a file (specification 2.2, section 14.3).
const (
	invalid = "invalid"
	valid   = "valid"
	trusted = "trusted"
)

// state is that of the file: of its active manifest, its ingredients and its binding.
func (r *reader) state() string {
	active := r.active()
	if active.claim == nil || !active.bound || !active.has(status.ClaimSignatureInsideValidity) {
		return invalid
	}
	for _, s := range active.list {
		if s.Code.Kind() == status.Failure && s.Code != status.SigningCredentialUntrusted {
			return invalid
		}
	}
	if !active.verified || !r.ingredientsPass(active, nil, map[*manifest]bool{active: true}) {
		return invalid
	}
	if active.has(status.SigningCredentialTrusted) {
		return trusted
	}
	return valid
}

// ingredientsPass tells whether all that the ingredients of a manifest lead to is as it should be, or as those that took
// them in knew it to be. path are the ingredients that lead to the manifest; seen has the manifests that were followed.
func (r *reader) ingredientsPass(m *manifest, path []*ingredient, seen map[*manifest]bool) bool {
	judged := map[*manifest]bool{}
	for _, in := range m.ingredients {
		next := r.target(in)
		if next == nil || judged[next] {
			continue
		}
		judged[next] = true
		path := append(path[:len(path):len(path)], in)
		if next.beyond || !excused(next, path) {
			return false
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		if !r.ingredientsPass(next, path, seen) {
			return false
		}
	}
	return true
}

// excused tells whether every failure of an ingredient's manifest is one that the signers along the path wrote down, or
// one of trust or time: where the hash of the manifest holds, the specification has the word of the signer who took it in
// count (2.2, section 15.11.3.3.2).
func excused(m *manifest, path []*ingredient) bool {
	for _, s := range m.list {
		if s.Code.Kind() != status.Failure || timely[s.Code] {
			continue
		}
		if !slices.ContainsFunc(path, func(in *ingredient) bool { return in.knows(s) }) {
			return false
		}
	}
	return true
}

// timely are failures that come and go with time and with lists of trust.
var timely = map[status.Code]bool{
	status.SigningCredentialUntrusted:    true,
	status.SigningCredentialInvalid:      true,
	status.ClaimSignatureOutsideValidity: true,
}
