// Package cose reads, verifies and makes the COSE_Sign1 signatures (RFC 9052) of C2PA claims.
package cose

import (
	"errors"
	"fmt"

	"veracity/engine/c2pa/cbor"
)

// Errors of signatures.
var (
	// ErrInvalid wraps complaints about bytes that are no COSE_Sign1, or one that C2PA does not allow.
	ErrInvalid = errors.New("invalid COSE_Sign1")
	// ErrAlgorithm says that the algorithm is unknown or not allowed (claimSignature: algorithm.unsupported).
	ErrAlgorithm = errors.New("unsupported signature algorithm")
	// ErrMismatch says that the signature is not one of the payload by the key.
	ErrMismatch = errors.New("the signature does not match")
)

// Bounds of what is read. Real signatures have 4,000 to 26,000 bytes, most of them padding.
const (
	// MaxSize is the length of a signature in bytes.
	MaxSize = 1 << 20
	// maxStamps is how many time-stamps of a header are kept. C2PA allows one, so that a second is worth telling.
	maxStamps = 4
	maxOCSP   = 16
)

// tagSign1 marks a COSE_Sign1 (RFC 9052, section 2).
const tagSign1 = 18

// Algorithm is a COSE algorithm identifier (RFC 9053; IANA COSE Algorithms).
type Algorithm int64

// Algorithms that C2PA allows (specification 2.2, section 13.2).
const (
	ES256 Algorithm = -7
	EdDSA Algorithm = -8
	ES384 Algorithm = -35
	ES512 Algorithm = -36
	PS256 Algorithm = -37
	PS384 Algorithm = -38
	PS512 Algorithm = -39
)

var names = map[Algorithm]string{
	ES256: "ES256", EdDSA: "EdDSA", ES384: "ES384", ES512: "ES512", PS256: "PS256", PS384: "PS384", PS512: "PS512",
}

// String is the name that IANA has for it.
func (a Algorithm) String() string {
	if name, ok := names[a]; ok {
		return name
	}
	return fmt.Sprintf("COSE algorithm %d", int64(a))
}

// Signature is a parsed COSE_Sign1.
type Signature struct {
	Algorithm Algorithm
	// Chain are the DER certificates of x5chain, the signer's first, from the protected or (claims v1) unprotected header.
	Chain [][]byte
	// Payload is the attached payload, nil when it is detached. One that is attached must equal the claim.
	Payload []byte
	// Stamps are RFC 3161 tokens of sigTst (over what countersignatures sign) and Stamps2 of sigTst2 (over the
	// signature), in their order. A header that is there and holds no token counts as one empty token, which does not
	// verify.
	Stamps, Stamps2 [][]byte
	// OCSP are the DER responses of rVals.
	OCSP [][]byte

	protected, signature []byte
}

// Parse reads a COSE_Sign1, tagged 18 or not. Its errors wrap ErrInvalid or ErrAlgorithm. With ErrAlgorithm it answers
// what it read all the same, so that the signer can be named.
func Parse(data []byte) (Signature, error) {
	if len(data) > MaxSize {
		return Signature{}, invalid("longer than %d bytes", MaxSize)
	}
	v, err := cbor.Decode(data)
	if err != nil {
		return Signature{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if number, content, ok := v.Tagged(); ok {
		if number != tagSign1 {
			return Signature{}, invalid("tag %d", number)
		}
		v = content
	}
	parts := v.Elements()
	if len(parts) != 4 {
		return Signature{}, invalid("not of four parts")
	}
	var s Signature
	var fits [2]bool
	s.protected, fits[0] = parts[0].Bytes()
	s.signature, fits[1] = parts[3].Bytes()
	if !fits[0] || !fits[1] || parts[1].Kind() != cbor.Map {
		return Signature{}, invalid("its parts are of other kinds")
	}
	if parts[2].Kind() != cbor.Null {
		payload, ok := parts[2].Bytes()
		if !ok {
			return Signature{}, invalid("the payload is no byte string")
		}
		// An empty payload is attached too (specification 2.2, section 13.2.3).
		s.Payload = append([]byte{}, payload...)
	}
	h, err := readHeaders(s.protected, parts[1])
	if err != nil {
		return Signature{}, err
	}
	return s.fill(h)
}

// fill takes what counts out of the headers.
func (s Signature) fill(h headers) (Signature, error) {
	var err error
	if s.Chain, err = h.chain(); err != nil {
		return Signature{}, err
	}
	s.Stamps = stamps(h.text("sigTst"))
	s.Stamps2 = stamps(h.text("sigTst2"))
	s.OCSP = responses(h.text("rVals"))
	s.Algorithm, err = h.algorithm()
	return s, err
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
