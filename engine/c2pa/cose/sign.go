package cose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"fmt"
	"math/big"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
)

// Stamper answers the RFC 3161 token for a message, as a DER TimeStampToken.
type Stamper func(message []byte) ([]byte, error)

// Signer makes signatures with one key.
type Signer struct {
	// Key is an ECDSA, RSA or Ed25519 key; RSA signs with PSS.
	Key crypto.Signer
	// Chain are the DER certificates, the signer's first, the root left out.
	Chain [][]byte
	// Stamp, when set, asks a time-stamp authority; its token becomes sigTst2.
	Stamp Stamper
}

// Sign makes a tagged COSE_Sign1 with detached payload, exactly size bytes long by padding with zeros in the headers pad
// and pad2 (c2pa-rs, sdk/src/crypto/cose/sign.rs), and fails when it does not fit. A stamp that cannot be had fails the
// signature.
func (s Signer) Sign(payload []byte, size int) ([]byte, error) {
	algorithm, err := s.check()
	if err != nil {
		return nil, err
	}
	made := Signature{Algorithm: algorithm, protected: cbor.Encode(cbor.Members{
		{Key: labelAlgorithm, Value: int64(algorithm)}, {Key: labelChain, Value: chainValue(s.Chain)},
	})}
	if made.signature, err = algorithm.sign(s.Key, made.structure(contextSign1, payload)); err != nil {
		return nil, fmt.Errorf("sign claim: %w", err)
	}
	var unprotected cbor.Members
	if s.Stamp != nil {
		token, err := s.Stamp(made.Stamped(2, payload))
		if err != nil {
			return nil, fmt.Errorf("stamp signature: %w", err)
		}
		unprotected = append(unprotected, cbor.Member{Key: "sigTst2", Value: cbor.Members{
			{Key: "tstTokens", Value: []any{cbor.Members{{Key: "val", Value: token}}}},
		}})
	}
	return made.padded(unprotected, size)
}

// check finds the algorithm for the key, and refuses a key that is not the certificate's.
func (s Signer) check() (Algorithm, error) {
	if s.Key == nil || len(s.Chain) == 0 || len(s.Chain) > certs.MaxChain {
		return 0, invalid("no key, or a chain of %d certificates", len(s.Chain))
	}
	signer, err := certs.Parse(s.Chain[0])
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	public := s.Key.Public()
	if err := certs.CheckKey(public); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	same, ok := public.(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !same.Equal(signer.Key) {
		return 0, invalid("the certificate is of another key")
	}
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		switch k.Curve {
		case elliptic.P256():
			return ES256, nil
		case elliptic.P384():
			return ES384, nil
		default:
			return ES512, nil
		}
	case *rsa.PublicKey:
		return PS256, nil
	default:
		return EdDSA, nil
	}
}

// chainValue is a byte string for one certificate, and an array for more (RFC 9360, section 2).
func chainValue(chain [][]byte) any {
	if len(chain) == 1 {
		return chain[0]
	}
	list := make([]any, len(chain))
	for i, der := range chain {
		list[i] = der
	}
	return list
}

func (a Algorithm) sign(key crypto.Signer, message []byte) ([]byte, error) {
	h := hashes[a]
	if h == 0 {
		return key.Sign(rand.Reader, message, crypto.Hash(0))
	}
	state := h.New()
	state.Write(message)
	digest := state.Sum(nil)
	k, isECDSA := key.Public().(*ecdsa.PublicKey)
	if !isECDSA {
		return key.Sign(rand.Reader, digest, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: h})
	}
	der, err := key.Sign(rand.Reader, digest, h)
	if err != nil {
		return nil, err
	}
	return pair(der, coordinateLength(k))
}

// pair turns the DER that keys of ECDSA answer into the two numbers that COSE has (RFC 9053, section 2.1).
func pair(der []byte, half int) ([]byte, error) {
	var numbers struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(der, &numbers)
	if err != nil {
		return nil, err
	}
	if len(rest) != 0 || numbers.R.Sign() <= 0 || numbers.S.Sign() <= 0 || numbers.R.BitLen() > 8*half || numbers.S.BitLen() > 8*half {
		return nil, fmt.Errorf("%w: the key answered no signature", ErrInvalid)
	}
	signature := make([]byte, 2*half)
	numbers.R.FillBytes(signature[:half])
	numbers.S.FillBytes(signature[half:])
	return signature, nil
}
