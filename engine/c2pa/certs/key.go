package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/asn1"
	"errors"
	"fmt"
	"math"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// Bounds of RSA keys in bits (specification 2.2, section 13.2.1).
const (
	minRSA = 2048
	maxRSA = 16384
	// Keys above largeRSA bits have usualExponent at most: with a long exponent a check of 16384 bits takes five times as long.
	largeRSA      = 4096
	usualExponent = 65537
)

var (
	oidPSS = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}

	errUnknownKey = errors.New("unknown kind of public key")
	errKey        = errors.New("the key is not one that C2PA allows")
)

// CheckKey refuses keys that sign nothing in C2PA (specification 2.2, sections 13.2.1 and 14.5.1.1). Allowed are RSA with
// 2048 to 16384 bits and an odd exponent below 2³¹, above 4096 bits up to 65537, the curves P-256, P-384 and P-521, and Ed25519.
func CheckKey(key crypto.PublicKey) error {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N == nil {
			return fmt.Errorf("%w: RSA without a modulus", errKey)
		}
		bits := k.N.BitLen()
		if bits < minRSA || bits > maxRSA || k.E < 3 || k.E&1 == 0 || int64(k.E) > math.MaxInt32 ||
			bits > largeRSA && k.E > usualExponent {
			return fmt.Errorf("%w: RSA of %d bits", errKey, bits)
		}
		return nil
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() && k.Curve != elliptic.P384() && k.Curve != elliptic.P521() {
			return fmt.Errorf("%w: another elliptic curve", errKey)
		}
		return nil
	case ed25519.PublicKey:
		return nil
	default:
		return fmt.Errorf("%w: %T", errKey, key)
	}
}

// pssKey reads the RSA key of a SubjectPublicKeyInfo that is for RSASSA-PSS alone (RFC 4055, section 1.2).
func pssKey(info []byte) (*rsa.PublicKey, error) {
	outer := cryptobyte.String(info)
	var fields, algorithm, numbers cryptobyte.String
	var oid asn1.ObjectIdentifier
	var bits asn1.BitString
	if !outer.ReadASN1(&fields, tags.SEQUENCE) || !fields.ReadASN1(&algorithm, tags.SEQUENCE) ||
		!algorithm.ReadASN1ObjectIdentifier(&oid) || !fields.ReadASN1BitString(&bits) || !oid.Equal(oidPSS) {
		return nil, errUnknownKey
	}
	key := cryptobyte.String(bits.RightAlign())
	modulus, exponent := new(big.Int), int64(0)
	if !key.ReadASN1(&numbers, tags.SEQUENCE) || !key.Empty() || !numbers.ReadASN1Integer(modulus) ||
		!numbers.ReadASN1Integer(&exponent) || !numbers.Empty() {
		return nil, errUnknownKey
	}
	if modulus.Sign() <= 0 || exponent <= 0 || exponent > math.MaxInt32 {
		return nil, errUnknownKey
	}
	return &rsa.PublicKey{N: modulus, E: int(exponent)}, nil
}
