package c2pa

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/cose"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
)

// checkSignature validates the claim's signature, its time-stamp, its signer's certificate and what is known of its
// revocation (specification 2.2, sections 15.7 to 15.9). When ctx ends, it ends early, and its findings are of no use.
func (r *reader) checkSignature(ctx context.Context, m *manifest) {
	uri := m.uri(signatureLabel)
	content, ok := m.signatureBox()
	if !ok {
		m.add(status.ClaimSignatureMissing, uri, "The claim names no signature of its manifest.")
		return
	}
	sig, err := cose.Parse(content)
	switch {
	case errors.Is(err, cose.ErrAlgorithm):
		m.add(status.AlgorithmUnsupported, uri, "The algorithm of the signature is not supported.")
		return
	case err != nil:
		m.add(status.ClaimSignatureMismatch, uri, "The signature is malformed.")
		return
	}
	chain, err := certs.ParseChain(sig.Chain)
	if err != nil {
		m.add(status.SigningCredentialInvalid, uri, "The signer's certificate cannot be read.")
		m.altered = true
		return
	}
	m.signer = signerOf(chain[0], sig.Algorithm)
	if !m.verify(sig, chain[0]) {
		return
	}
	at := r.checkStamps(ctx, m, sig)
	if ctx.Err() == nil {
		r.checkCertificate(ctx, m, sig, chain, at)
	}
}

// signatureBox is the content of the box that the claim's signature field leads to (specification 2.2, section 15.7).
func (m *manifest) signatureBox() ([]byte, bool) {
	t, ok := parseURI(m.claim.signature, m.label)
	if !ok || t.manifest != m.label || t.path != signatureLabel {
		return nil, false
	}
	boxes := 0
	for i := range m.box.Children {
		if m.box.Children[i].UUID == jumbf.Signature {
			boxes++
		}
	}
	box, ok := m.find(signatureLabel)
	if !ok || boxes != 1 || box.UUID != jumbf.Signature || len(box.Children) != 1 {
		return nil, false
	}
	return box.First("cbor")
}

func signerOf(c certs.Certificate, algorithm cose.Algorithm) *Signer {
	return &Signer{
		Organization: clean(c.Organization()), CommonName: clean(c.CommonName()), Issuer: clean(c.IssuerOrganization()),
		Algorithm: algorithmNames[algorithm], Validity: Valid, NotBefore: c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(),
	}
}

// algorithmNames are the names of the IANA COSE registry.
var algorithmNames = map[cose.Algorithm]string{
	cose.ES256: "ES256", cose.ES384: "ES384", cose.ES512: "ES512", cose.EdDSA: "EdDSA",
	cose.PS256: "PS256", cose.PS384: "PS384", cose.PS512: "PS512",
}

// verify checks the signature over the claim. What an unverified signature says of trust and time is worth nothing, so
// that nothing of it is read then.
func (m *manifest) verify(sig cose.Signature, signer certs.Certificate) bool {
	uri := m.uri(signatureLabel)
	err := sig.Verify(m.claim.content, signer)
	switch {
	case errors.Is(err, cose.ErrAlgorithm):
		m.add(status.AlgorithmUnsupported, uri, "The key does not fit the algorithm of the signature.")
		return false
	case err != nil:
		m.add(status.ClaimSignatureMismatch, uri, "The signature does not match the claim.")
		return false
	}
	m.verified = true
	m.add(status.ClaimSignatureValidated, uri, "")
	return true
}

// checkCertificate judges the signer's certificate at the time of signing: that of a trusted stamp, or now.
func (r *reader) checkCertificate(ctx context.Context, m *manifest, sig cose.Signature, chain []certs.Certificate, stamped *time.Time) {
	uri := m.uri(signatureLabel)
	at := r.o.Now
	if stamped != nil {
		at = *stamped
	}
	if inside(chain, at) {
		m.add(status.ClaimSignatureInsideValidity, uri, "")
	} else {
		m.signer.Validity = Expired
		m.add(status.ClaimSignatureOutsideValidity, uri, "The certificate was not valid when it signed, as far as is known.")
	}
	if err := r.o.Lists.CheckProfile(chain[0], certs.Claims); err != nil {
		m.signer.Validity = Unfit
		m.add(status.SigningCredentialInvalid, uri, "The certificate is not one for signing claims.")
		return
	}
	path, trust := r.o.Lists.Path(chain, at, certs.Claims)
	if trust.Trusted {
		m.add(status.SigningCredentialTrusted, uri, "")
	} else {
		m.add(status.SigningCredentialUntrusted, uri, "No list of trust leads to the signer.")
	}
	m.signer.Trust = certs.Trust{Trusted: trust.Trusted, List: trust.List, Anchor: clean(trust.Anchor)}
	switch r.revocation(ctx, sig.OCSP, append(path, chain...), at) {
	case certs.Good:
		m.add(status.OCSPNotRevoked, uri, "")
	case certs.Revoked:
		m.signer.Validity = Revoked
		m.add(status.OCSPRevoked, uri, "The certificate was revoked.")
	case certs.NotStated:
		m.add(status.OCSPSkipped, uri, "")
	}
}

// revocation asks the stapled answers, and when these say nothing those that assertions brought along (specification 2.2,
// section 15.9).
func (r *reader) revocation(ctx context.Context, stapled [][]byte, chain []certs.Certificate, at time.Time) certs.Revocation {
	if said := certs.Stapled(stapled, chain, at); said != certs.NotStated {
		return said
	}
	for answer := range slices.Chunk(r.ocsp, 1) {
		if ctx.Err() != nil {
			break
		}
		if said := certs.Stapled(answer, chain, at); said != certs.NotStated {
			return said
		}
	}
	return certs.NotStated
}

// inside tells whether a chain was valid at a time: the signer's certificate and those that issued it, as far as they
// were sent along and are no anchors of their own (specification 2.2, section 15.8.2).
func inside(chain []certs.Certificate, at time.Time) bool {
	for i, c := range chain {
		if i > 0 && (!bytes.Equal(chain[i-1].RawIssuer, c.RawSubject) || bytes.Equal(c.RawIssuer, c.RawSubject)) {
			break
		}
		if at.Before(c.NotBefore) || at.After(c.NotAfter) {
			return false
		}
	}
	return true
}
