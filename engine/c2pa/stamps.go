package c2pa

import (
	"context"
	"errors"
	"time"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/cose"
	"veracity/engine/c2pa/status"
	"veracity/engine/c2pa/timestamp"
)

// Bounds of what assertions bring along for signatures.
const (
	maxStamps      = 64
	maxStampsEach  = 4
	maxRevocations = 16
)

// readStamps takes the tokens of a time-stamp assertion, by the manifest whose signature each one stamps (specification
// 2.2, section 18.17).
func (r *reader) readStamps(m *manifest, a *assertion, v cbor.Value) {
	pairs := v.Pairs()
	if len(pairs) == 0 {
		m.add(status.TimestampMalformed, a.uri, "The assertion of time-stamps has none.")
		return
	}
	for _, p := range head(pairs, maxStamps) {
		label, _ := p.Key.Text()
		token, ok := p.Value.Bytes()
		if !ok {
			m.add(status.TimestampMalformed, a.uri, "A time-stamp of the assertion is not a string of bytes.")
			continue
		}
		if len(r.stamps[label]) < maxStampsEach {
			r.stamps[label] = append(r.stamps[label], token)
		}
	}
}

// readRevocations takes the OCSP answers of a certificate status assertion (specification 2.2, section 18.18).
func (r *reader) readRevocations(v cbor.Value) {
	for _, item := range v.Get("ocspVals").Elements() {
		if answer, ok := item.Bytes(); ok && len(r.ocsp) < maxRevocations {
			r.ocsp = append(r.ocsp, answer)
		}
	}
}

// checkStamps validates the time-stamps of a signature, and when none of them holds those that assertions have for its
// manifest (specification 2.2, section 15.8). It answers the time of the first that a trusted authority made.
func (r *reader) checkStamps(ctx context.Context, m *manifest, sig cose.Signature) *time.Time {
	uri := m.uri(signatureLabel)
	if len(sig.Stamps) > 1 || len(sig.Stamps2) > 1 {
		m.add(status.TimeStampMalformed, uri, "The signature has several time-stamps.")
	} else {
		for _, token := range sig.Stamps {
			if at := r.checkStamp(m, token, sig.Stamped(1, m.claim.content)); at != nil {
				return at
			}
		}
		for _, token := range sig.Stamps2 {
			if at := r.checkStamp(m, token, sig.Stamped(2, m.claim.content)); at != nil {
				return at
			}
		}
	}
	// Section 18.17.3 has the signature as it is stamped; c2pa-rs stamps it without its CBOR header (sdk/src/store.rs,
	// get_store_validation_info).
	stamped := sig.Stamped(2, m.claim.content)
	bare := stamped
	if v, err := cbor.Decode(stamped); err == nil {
		bare, _ = v.Bytes()
	}
	for _, token := range r.stamps[m.label] {
		if ctx.Err() != nil {
			break
		}
		if at := r.checkStamp(m, token, stamped, bare); at != nil {
			return at
		}
	}
	return nil
}

// checkStamp validates one time-stamp of one of the messages, and puts a trusted one down as the time of signing.
func (r *reader) checkStamp(m *manifest, token []byte, messages ...[]byte) *time.Time {
	uri := m.uri(signatureLabel)
	var stamp timestamp.Stamp
	err := timestamp.ErrMismatch
	for _, message := range messages {
		if errors.Is(err, timestamp.ErrMismatch) {
			stamp, err = timestamp.Verify(token, message)
		}
	}
	switch {
	case errors.Is(err, timestamp.ErrMismatch):
		m.add(status.TimeStampMismatch, uri, "The time-stamp is not one of this signature.")
		return nil
	case errors.Is(err, timestamp.ErrOutside):
		m.add(status.TimeStampOutsideValidity, uri, "The authority's certificate was not valid when it made the time-stamp.")
		return nil
	case err != nil:
		m.add(status.TimeStampMalformed, uri, "The time-stamp is malformed.")
		return nil
	}
	if !r.o.Lists.Judge(stamp.Chain, stamp.Time, certs.TimeStamps).Trusted {
		m.add(status.TimeStampUntrusted, uri, "No list of trust leads to the authority that made the time-stamp.")
		return nil
	}
	m.add(status.TimeStampValidated, uri, "")
	m.add(status.TimeStampTrusted, uri, "")
	at := stamp.Time.UTC()
	m.signer.SignedAt = &at
	if len(stamp.Chain) > 0 {
		m.signer.Authority = clean(stamp.Chain[0].Organization())
	}
	return &at
}
