package certs

import (
	"bytes"
	"crypto"
	_ "crypto/sha1" //nolint:gosec // crypto.SHA1 names keys in OCSP (RFC 6960, section 4.1.1) and vouches for nothing
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"time"
)

// Revocation is what a stapled OCSP response says of a certificate.
type Revocation int

// Revocations. NotStated also stands for responses that do not verify, or speak of another certificate or time.
const (
	NotStated Revocation = iota
	Good
	Revoked
)

// Bounds of OCSP responses. Real ones have one answer, one certificate, and one or two thousand bytes.
const (
	MaxOCSP          = 64 << 10
	maxResponses     = 8
	maxAnswers       = 64
	maxResponders    = 2
	unboundedAnswers = 24 * time.Hour
)

// removeFromCRL is the reason of an answer which says that a certificate on hold is trusted again (RFC 5280, section
// 5.3.1).
const removeFromCRL = 8

// Structures of RFC 6960, section 4.2.1.
type ocspResponse struct {
	Status asn1.Enumerated
	Bytes  struct {
		Type     asn1.ObjectIdentifier
		Response []byte
	} `asn1:"explicit,tag:0,optional"`
}

type basicResponse struct {
	Data         responseData
	Algorithm    asn1.RawValue
	Signature    asn1.BitString
	Certificates []asn1.RawValue `asn1:"explicit,tag:0,optional"`
}

type responseData struct {
	Raw        asn1.RawContent
	Version    int `asn1:"optional,default:0,explicit,tag:0"`
	Responder  asn1.RawValue
	ProducedAt time.Time `asn1:"generalized"`
	Answers    []singleResponse
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
}

type singleResponse struct {
	ID         certID
	Good       asn1.Flag        `asn1:"tag:0,optional"`
	Revoked    revokedInfo      `asn1:"tag:1,optional"`
	Unknown    asn1.Flag        `asn1:"tag:2,optional"`
	ThisUpdate time.Time        `asn1:"generalized"`
	NextUpdate time.Time        `asn1:"generalized,explicit,tag:0,optional"`
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
}

type revokedInfo struct {
	Time   time.Time       `asn1:"generalized"`
	Reason asn1.Enumerated `asn1:"explicit,tag:0,optional"`
}

type certID struct {
	Hash      pkix.AlgorithmIdentifier
	NameHash  []byte
	KeyHash   []byte
	SerialNum *big.Int
}

var oidBasicResponse = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}

// Stapled reads OCSP responses (RFC 6960) on chain[0], issued by one of the others, as of the time of signing. Without the
// issuer nothing is stated; Lists.Stapled also finds it among the anchors.
//
// A response counts when the issuer signed it, or a responder whose certificate the issuer signed for that, valid when
// the response was made. It says Good when the certificate is good, or no longer on hold, and the time lies before
// thisUpdate, or before nextUpdate, or else within 24 hours of producedAt (specification 2.2, section 15.9.1); also when
// it was revoked after that time. A revocation before it is Revoked however old the response is. The newest answer wins.
func Stapled(responses [][]byte, chain []Certificate, at time.Time) Revocation {
	issuer, ok := issuerIn(chain)
	if !ok || len(responses) == 0 {
		return NotStated
	}
	result, newest := NotStated, time.Time{}
	for _, der := range responses[:min(len(responses), maxResponses)] {
		data, err := readOCSP(der, issuer)
		if err != nil {
			continue
		}
		for _, answer := range data.Answers {
			if !answer.ID.names(chain[0], issuer) || hasCritical(answer.Extensions) {
				continue
			}
			said := answer.at(at, data.ProducedAt)
			if said == NotStated || answer.ThisUpdate.Before(newest) || answer.ThisUpdate.Equal(newest) && said == Good {
				continue
			}
			result, newest = said, answer.ThisUpdate
		}
	}
	return result
}

// Stapled is Stapled also where an anchor issued chain[0] and was not sent along, as anchors should not be.
func (l *Lists) Stapled(responses [][]byte, chain []Certificate, at time.Time) Revocation {
	if len(chain) == 0 || chain[0].Certificate == nil || len(responses) == 0 {
		return NotStated
	}
	if _, ok := issuerIn(chain); l == nil || ok {
		return Stapled(responses, chain, at)
	}
	for _, a := range l.anchors[string(chain[0].RawIssuer)] {
		if chain[0].signedBy(a.Certificate) == nil {
			return Stapled(responses, []Certificate{chain[0], a.Certificate}, at)
		}
	}
	return NotStated
}

func issuerIn(chain []Certificate) (Certificate, bool) {
	if len(chain) == 0 || chain[0].Certificate == nil {
		return Certificate{}, false
	}
	for i, c := range chain[:min(len(chain), MaxChain)] {
		if i > 0 && c.Certificate != nil && bytes.Equal(c.RawSubject, chain[0].RawIssuer) && chain[0].signedBy(c) == nil {
			return c, true
		}
	}
	return Certificate{}, false
}

// at is what the answer says of that time.
func (s singleResponse) at(at, produced time.Time) Revocation {
	revoked := !s.Revoked.Time.IsZero()
	if !revoked && !bool(s.Good) {
		return NotStated
	}
	if revoked && s.Revoked.Reason != removeFromCRL && !s.Revoked.Time.After(at) {
		return Revoked
	}
	until := s.NextUpdate
	if until.IsZero() {
		until = produced.Add(unboundedAnswers)
	}
	if at.After(until) {
		return NotStated
	}
	return Good
}

// names says whether the answer is on the certificate of that issuer (RFC 6960, section 4.1.1).
func (id certID) names(c, issuer Certificate) bool {
	hash, ok := Hash(id.Hash.Algorithm)
	if id.Hash.Algorithm.Equal(oidSHA1) {
		hash, ok = crypto.SHA1, true
	}
	if !ok || id.SerialNum == nil || id.SerialNum.Cmp(c.SerialNumber) != 0 {
		return false
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(issuer.RawSubjectPublicKeyInfo, &info); err != nil {
		return false
	}
	return bytes.Equal(id.NameHash, sum(hash, c.RawIssuer)) && bytes.Equal(id.KeyHash, sum(hash, info.Key.RightAlign()))
}

var oidSHA1 = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}

func sum(h crypto.Hash, data []byte) []byte {
	state := h.New()
	state.Write(data)
	return state.Sum(nil)
}

// readOCSP reads a response that the issuer or a responder of its choice signed.
func readOCSP(der []byte, issuer Certificate) (responseData, error) {
	if len(der) > MaxOCSP {
		return responseData{}, fmt.Errorf("%w: OCSP response longer than %d bytes", ErrInvalid, MaxOCSP)
	}
	var response ocspResponse
	if err := unmarshal(der, &response); err != nil {
		return responseData{}, err
	}
	if response.Status != 0 || !response.Bytes.Type.Equal(oidBasicResponse) {
		return responseData{}, fmt.Errorf("%w: OCSP response without an answer", ErrInvalid)
	}
	var basic basicResponse
	if err := unmarshal(response.Bytes.Response, &basic); err != nil {
		return responseData{}, err
	}
	if len(basic.Data.Answers) > maxAnswers || hasCritical(basic.Data.Extensions) {
		return responseData{}, fmt.Errorf("%w: OCSP response of an unknown kind", ErrInvalid)
	}
	if err := basic.verify(issuer); err != nil {
		return responseData{}, err
	}
	return basic.Data, nil
}

// verify checks the signature with the keys of the authorized responders (RFC 6960, section 4.2.2.2).
func (b basicResponse) verify(issuer Certificate) error {
	algorithm, err := ParseAlgorithm(b.Algorithm.FullBytes)
	if err != nil {
		return err
	}
	signature := b.Signature.RightAlign()
	if err = algorithm.Verify(issuer.Key, b.Data.Raw, signature); err == nil {
		return nil
	}
	for _, raw := range b.Certificates[:min(len(b.Certificates), maxResponders)] {
		responder, parseErr := Parse(raw.FullBytes)
		if parseErr != nil || !responder.mayAnswerFor(issuer, b.Data.ProducedAt) {
			continue
		}
		if err = algorithm.Verify(responder.Key, b.Data.Raw, signature); err == nil {
			return nil
		}
	}
	return fmt.Errorf("verify OCSP response: %w", err)
}

// mayAnswerFor says whether the issuer made it a responder.
func (c Certificate) mayAnswerFor(issuer Certificate, at time.Time) bool {
	return !c.IsCA && c.validAt(at) && c.hasUsage(usageOCSP) && len(c.UnhandledCriticalExtensions) == 0 &&
		(c.KeyUsage == 0 || c.KeyUsage&x509.KeyUsageDigitalSignature != 0) &&
		bytes.Equal(c.RawIssuer, issuer.RawSubject) && c.signedBy(issuer) == nil
}

func hasCritical(extensions []pkix.Extension) bool {
	for _, e := range extensions {
		if e.Critical {
			return true
		}
	}
	return false
}

// unmarshal reads DER with nothing behind it.
func unmarshal(der []byte, into any) error {
	rest, err := asn1.Unmarshal(der, into)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if len(rest) != 0 {
		return fmt.Errorf("%w: bytes behind it", ErrInvalid)
	}
	return nil
}
