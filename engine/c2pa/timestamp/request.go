package timestamp

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"

	"veracity/engine/c2pa/certs"
)

// request is a TimeStampReq (RFC 3161, section 2.4.1).
type request struct {
	Version      int
	Imprint      imprint
	Policy       asn1.ObjectIdentifier `asn1:"optional"`
	Nonce        *big.Int              `asn1:"optional"`
	Certificates bool                  `asn1:"optional"`
	Extensions   []pkix.Extension      `asn1:"optional,tag:0"`
}

var oidSHA256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}

// nonceBits is the length of the nonce that tells a fresh answer from an old one.
const nonceBits = 64

// Request is the DER TimeStampReq for the message with SHA-256, a random nonce and the wish for certificates.
func Request(message []byte) ([]byte, error) {
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), nonceBits))
	if err != nil {
		return nil, fmt.Errorf("make a nonce: %w", err)
	}
	digest := sha256.Sum256(message)
	der, err := asn1.Marshal(request{
		Version:      1,
		Imprint:      imprint{pkix.AlgorithmIdentifier{Algorithm: oidSHA256, Parameters: asn1.NullRawValue}, digest[:]},
		Nonce:        nonce,
		Certificates: true,
	})
	if err != nil {
		return nil, fmt.Errorf("write a time-stamp request: %w", err)
	}
	return der, nil
}

// Token checks a DER TimeStampResp against its request and the message, and answers its token, which Verify accepts. Its
// errors wrap those of Verify; an answer to another request is an ErrMismatch.
func Token(response, requested, message []byte) ([]byte, error) {
	var r request
	if !unmarshal(requested, &r) {
		return nil, malformed("no request")
	}
	t, err := parse(response)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(t.raw, response) {
		return nil, malformed("no response")
	}
	if _, err := Verify(t.raw, message); err != nil {
		return nil, err
	}
	hash, ok := certs.Hash(r.Imprint.Hash.Algorithm)
	if !ok || hash != t.info.hash || !bytes.Equal(r.Imprint.Message, t.info.imprint) {
		return nil, fmt.Errorf("%w: it was not asked for", ErrMismatch)
	}
	if r.Nonce != nil && (t.info.nonce == nil || r.Nonce.Cmp(t.info.nonce) != 0) {
		return nil, fmt.Errorf("%w: it answers another request", ErrMismatch)
	}
	return bytes.Clone(t.raw), nil
}
