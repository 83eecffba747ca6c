package c2pa

import (
	"veracity/engine/c2pa/status"
)

// formerly are codes of earlier versions, as ingredients record them, by what they are called now (specification 1.4,
// section 15.2.2).
var formerly = map[status.Code]status.Code{
	status.IngredientHashedURIMismatch: status.IngredientManifestMismatch,
	status.SigningCredentialExpired:    status.ClaimSignatureOutsideValidity,
	status.SigningCredentialRevoked:    status.OCSPRevoked,
	status.ClaimRequiredMissing:        status.ClaimMissing,
}

// fault is a failure of a manifest. Where in the manifest it lies differs between producers.
type fault struct {
	code     status.Code
	manifest string
}

// faultOf is the fault that a status with an absolute reference tells of.
func faultOf(s status.Status) (fault, bool) {
	t, ok := parseURI(s.URI, "")
	if now, old := formerly[s.Code]; old {
		s.Code = now
	}
	return fault{s.Code, t.manifest}, ok && t.manifest != ""
}

// knows tells whether the signer wrote a failure down when it took the ingredient in.
func (in *ingredient) knows(s status.Status) bool {
	f, ok := faultOf(s)
	return ok && in.faults[f]
}

// checkIngredients checks the references of a manifest's ingredients to their manifests (specification 2.2, section
// 15.11.3).
func (r *reader) checkIngredients(m *manifest, below []set) {
	for _, in := range m.ingredients {
		if in.manifest == nil {
			if in.Relationship != "inputTo" {
				m.add(status.IngredientUnknownProvenance, in.a.uri, "")
			}
			continue
		}
		next := r.store.labelled[in.to.manifest]
		if !in.ok || next == nil {
			m.add(status.IngredientManifestMissing, in.a.uri, "The ingredient's manifest is not there.")
			continue
		}
		if next == m || next.loaded && below[next.index].has(m.index) {
			m.add(status.IngredientMalformed, in.a.uri, "The ingredient leads back to where it came from.")
		}
		if len(next.redactions) > 0 {
			r.checkBySignature(m, in, next)
			continue
		}
		r.checkByManifest(m, in, next)
	}
}

// checkByManifest compares the ingredient's manifest with its hash (specification 2.2, section 15.11.3.3.2). Early
// producers hashed the claim alone (c2pa-rs, sdk/src/store.rs, ingredient_checks): all but the signature hangs on it, and
// the signature is verified by itself.
func (r *reader) checkByManifest(m *manifest, in *ingredient, next *manifest) {
	said := r.digests.check(*in.manifest, m.claim.alg, next.box.Body)
	if said == differs && (in.version == 1 || in.claimed) && next.claim != nil && next.claim.version == 1 {
		said = r.digests.check(*in.manifest, m.claim.alg, next.claim.content)
	}
	switch said {
	case matches:
		m.add(status.IngredientManifestValidated, in.a.uri, "")
	case unsupported:
		m.add(status.AlgorithmUnsupported, in.a.uri, "The hash of the ingredient's manifest has no known algorithm.")
	case differs:
		m.add(status.IngredientManifestMismatch, in.a.uri, "The ingredient's manifest is not the one that was signed.")
		next.altered = true
	}
}

// checkBySignature compares the signature of an ingredient's manifest of which something was redacted (specification
// 2.2, section 15.11.3.3.1).
func (r *reader) checkBySignature(m *manifest, in *ingredient, next *manifest) {
	if in.signature == nil {
		m.add(status.IngredientSignatureMissing, in.a.uri, "The ingredient was redacted, and names no signature.")
		return
	}
	t, ok := parseURI(in.signature.url, m.label)
	box, found := next.find(signatureLabel)
	if !ok || !found || t != (target{next.label, signatureLabel}) {
		m.add(status.IngredientSignatureMissing, in.a.uri, "The signature of the ingredient's manifest is not there.")
		return
	}
	switch r.digests.check(*in.signature, m.claim.alg, box.Body) {
	case matches:
		m.add(status.IngredientClaimSignatureValidated, in.a.uri, "")
	case unsupported:
		m.add(status.AlgorithmUnsupported, in.a.uri, "The hash of the ingredient's signature has no known algorithm.")
	case differs:
		m.add(status.IngredientSignatureMismatch, in.a.uri, "The signature of the ingredient's manifest is another one.")
		next.altered = true
	}
}
