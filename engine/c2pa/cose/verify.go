package cose

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	_ "crypto/sha256" // for crypto.SHA256
	_ "crypto/sha512" // for crypto.SHA384 and crypto.SHA512
	"fmt"
	"math/big"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
)

// Contexts of a Sig_structure (RFC 9052, section 4.4).
const (
	contextSign1            = "Signature1"
	contextCounterSignature = "CounterSignature"
)

// hashes of the algorithms. EdDSA hashes by itself.
var hashes = map[Algorithm]crypto.Hash{
	ES256: crypto.SHA256, ES384: crypto.SHA384, ES512: crypto.SHA512,
	PS256: crypto.SHA256, PS384: crypto.SHA384, PS512: crypto.SHA512,
}

// Verify checks the signature over the payload with the signer's key. Its errors wrap ErrMismatch or ErrAlgorithm. A
// payload that is attached must be the same.
func (s Signature) Verify(payload []byte, signer certs.Certificate) error {
	if s.Payload != nil && !bytes.Equal(s.Payload, payload) {
		return fmt.Errorf("%w: another payload is attached", ErrMismatch)
	}
	if _, ok := names[s.Algorithm]; !ok {
		return fmt.Errorf("%w: %s", ErrAlgorithm, s.Algorithm)
	}
	if err := certs.CheckKey(signer.Key); err != nil {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	if !s.Algorithm.verify(signer.Key, s.structure(contextSign1, payload), s.signature) {
		return fmt.Errorf("%w: by %s", ErrMismatch, s.Algorithm)
	}
	return nil
}

// Stamped is what a time-stamp of sigTst (v1) or sigTst2 (v2) stamps (specification 2.2, sections 10.3.2.5.2 and
// 10.3.2.5.3): the Sig_structure of a countersignature over the claim, or over the signature as the CBOR byte string
// that it stands there as.
func (s Signature) Stamped(version int, payload []byte) []byte {
	if version != 1 {
		payload = cbor.Encode(s.signature)
	}
	return s.structure(contextCounterSignature, payload)
}

// structure is the Sig_structure with the protected header as it stands, without external data.
func (s Signature) structure(context string, payload []byte) []byte {
	return cbor.Encode([]any{context, s.protected, []byte{}, payload})
}

// verify checks a signature by a key whose strength is known to do. The curve of an ECDSA key is free (specification 2.2,
// section 13.2.1), its signature has exactly twice the curve's length (RFC 9053, section 2.1).
func (a Algorithm) verify(key crypto.PublicKey, message, signature []byte) bool {
	digest := message
	if h := hashes[a]; h != 0 {
		state := h.New()
		state.Write(message)
		digest = state.Sum(nil)
	}
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		half := coordinateLength(k)
		if a != ES256 && a != ES384 && a != ES512 || len(signature) != 2*half {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])
		return ecdsa.Verify(k, digest, r, s)
	case *rsa.PublicKey:
		if a != PS256 && a != PS384 && a != PS512 {
			return false
		}
		return rsa.VerifyPSS(k, hashes[a], digest, signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil
	case ed25519.PublicKey:
		return a == EdDSA && len(k) == ed25519.PublicKeySize && ed25519.Verify(k, message, signature)
	}
	return false
}

func coordinateLength(k *ecdsa.PublicKey) int { return (k.Curve.Params().BitSize + 7) / 8 }
