package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	_ "crypto/sha256" // for crypto.SHA256
	_ "crypto/sha512" // for crypto.SHA384 and crypto.SHA512
	"encoding/asn1"
	"errors"
	"fmt"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// Errors of signatures.
var (
	// ErrAlgorithm says that a certificate, a time-stamp or an OCSP response is signed in a way that C2PA does not allow.
	ErrAlgorithm = errors.New("signature algorithm not allowed")
	// ErrSignature says that a signature is not one of those bytes by that key.
	ErrSignature = errors.New("the signature does not match")
)

// family is a kind of signature.
type family int

const (
	pkcs1 family = iota + 1
	pss
	ecdsaASN1
	ed
)

// Algorithm is how a certificate, a time-stamp or an OCSP response is signed: RSA, RSASSA-PSS or ECDSA with SHA-256,
// SHA-384 or SHA-512, or Ed25519 (specification 2.2, section 14.5.1.1).
type Algorithm struct {
	family family
	hash   crypto.Hash
	salt   int
}

// algorithms by their object identifiers (RFC 5758, section 3.2; RFC 8017, appendix A.2.4; RFC 8410, section 3).
var algorithms = map[string]Algorithm{
	"1.2.840.113549.1.1.11": {family: pkcs1, hash: crypto.SHA256},
	"1.2.840.113549.1.1.12": {family: pkcs1, hash: crypto.SHA384},
	"1.2.840.113549.1.1.13": {family: pkcs1, hash: crypto.SHA512},
	"1.2.840.10045.4.3.2":   {family: ecdsaASN1, hash: crypto.SHA256},
	"1.2.840.10045.4.3.3":   {family: ecdsaASN1, hash: crypto.SHA384},
	"1.2.840.10045.4.3.4":   {family: ecdsaASN1, hash: crypto.SHA512},
	"1.3.101.112":           {family: ed},
}

// hashes that C2PA allows, by their object identifiers (specification 2.2, section 13.1).
var hashes = map[string]crypto.Hash{
	"2.16.840.1.101.3.4.2.1": crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512,
}

// Hash is the hash function of an object identifier; ok is false for all but SHA-256, SHA-384 and SHA-512.
func Hash(oid asn1.ObjectIdentifier) (h crypto.Hash, ok bool) {
	h, ok = hashes[oid.String()]
	return h, ok
}

// keyKinds are identifiers of keys that CMS has in place of signature algorithms (RFC 3370, section 3.2); the hash is then
// that of the digest.
var keyKinds = map[string]family{"1.2.840.113549.1.1.1": pkcs1, "1.2.840.10045.2.1": ecdsaASN1}

// ParseCMSAlgorithm is ParseAlgorithm for CMS, whose identifiers may leave the hash to that of the digest, which is one that
// Hash knows.
func ParseCMSAlgorithm(der []byte, digest crypto.Hash) (Algorithm, error) {
	outer := cryptobyte.String(der)
	var fields cryptobyte.String
	var oid asn1.ObjectIdentifier
	if outer.ReadASN1(&fields, tags.SEQUENCE) && outer.Empty() && fields.ReadASN1ObjectIdentifier(&oid) {
		if kind, ok := keyKinds[oid.String()]; ok {
			return Algorithm{family: kind, hash: digest}, nil
		}
	}
	return ParseAlgorithm(der)
}

// ParseAlgorithm reads a DER AlgorithmIdentifier. Its errors wrap ErrAlgorithm.
func ParseAlgorithm(der []byte) (Algorithm, error) {
	outer := cryptobyte.String(der)
	var fields cryptobyte.String
	var oid asn1.ObjectIdentifier
	if !outer.ReadASN1(&fields, tags.SEQUENCE) || !outer.Empty() || !fields.ReadASN1ObjectIdentifier(&oid) {
		return Algorithm{}, fmt.Errorf("%w: not readable", ErrAlgorithm)
	}
	if oid.Equal(oidPSS) {
		return parsePSS(fields)
	}
	a, ok := algorithms[oid.String()]
	if !ok {
		return Algorithm{}, fmt.Errorf("%w: %s", ErrAlgorithm, oid)
	}
	return a, nil
}

// parsePSS reads RSASSA-PSS-params (RFC 8017, appendix A.2.3). C2PA wants both hashes named, and the same (specification
// 2.2, section 14.5.1.1).
func parsePSS(fields cryptobyte.String) (Algorithm, error) {
	var params, mask cryptobyte.String
	bad := fmt.Errorf("%w: RSASSA-PSS parameters", ErrAlgorithm)
	if !fields.ReadASN1(&params, tags.SEQUENCE) || !fields.Empty() {
		return Algorithm{}, bad
	}
	hash, ok := readHash(&params, tags.Tag(0).Constructed().ContextSpecific())
	if !ok || !params.ReadASN1(&mask, tags.Tag(1).Constructed().ContextSpecific()) {
		return Algorithm{}, bad
	}
	var generator cryptobyte.String
	var oid asn1.ObjectIdentifier
	if !mask.ReadASN1(&generator, tags.SEQUENCE) || !generator.ReadASN1ObjectIdentifier(&oid) || !oid.Equal(oidMGF1) {
		return Algorithm{}, bad
	}
	if inner, ok := hashIdentifier(&generator); !ok || inner != hash {
		return Algorithm{}, bad
	}
	salt, trailer := int64(20), int64(1)
	if !params.ReadOptionalASN1Integer(&salt, tags.Tag(2).Constructed().ContextSpecific(), int64(20)) ||
		!params.ReadOptionalASN1Integer(&trailer, tags.Tag(3).Constructed().ContextSpecific(), int64(1)) || !params.Empty() {
		return Algorithm{}, bad
	}
	// A salt length of zero would tell crypto/rsa to take any.
	if salt < 1 || salt > maxRSA/8 || trailer != 1 {
		return Algorithm{}, bad
	}
	return Algorithm{family: pss, hash: hash, salt: int(salt)}, nil
}

var oidMGF1 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}

func readHash(s *cryptobyte.String, tag tags.Tag) (crypto.Hash, bool) {
	var explicit cryptobyte.String
	if !s.ReadASN1(&explicit, tag) {
		return 0, false
	}
	return hashIdentifier(&explicit)
}

func hashIdentifier(s *cryptobyte.String) (crypto.Hash, bool) {
	var fields cryptobyte.String
	var oid asn1.ObjectIdentifier
	if !s.ReadASN1(&fields, tags.SEQUENCE) || !fields.ReadASN1ObjectIdentifier(&oid) {
		return 0, false
	}
	return Hash(oid)
}

// Verify checks a signature over the message. Its errors wrap ErrAlgorithm, when the key is of another kind or not
// allowed, or ErrSignature.
func (a Algorithm) Verify(key crypto.PublicKey, message, signature []byte) error {
	if err := CheckKey(key); err != nil {
		return fmt.Errorf("%w: %w", ErrAlgorithm, err)
	}
	digest := message
	if a.hash != 0 {
		h := a.hash.New()
		h.Write(message)
		digest = h.Sum(nil)
	}
	matches := false
	switch k := key.(type) {
	case *rsa.PublicKey:
		switch a.family {
		case pkcs1:
			matches = rsa.VerifyPKCS1v15(k, a.hash, digest, signature) == nil
		case pss:
			matches = rsa.VerifyPSS(k, a.hash, digest, signature, &rsa.PSSOptions{SaltLength: a.salt}) == nil
		default:
			return fmt.Errorf("%w: it is not for RSA keys", ErrAlgorithm)
		}
	case *ecdsa.PublicKey:
		if a.family != ecdsaASN1 {
			return fmt.Errorf("%w: it is not for ECDSA keys", ErrAlgorithm)
		}
		matches = ecdsa.VerifyASN1(k, digest, signature)
	case ed25519.PublicKey:
		if a.family != ed {
			return fmt.Errorf("%w: it is not for Ed25519 keys", ErrAlgorithm)
		}
		matches = len(k) == ed25519.PublicKeySize && ed25519.Verify(k, message, signature)
	}
	if !matches {
		return ErrSignature
	}
	return nil
}

// signature is the algorithm of the certificate's own signature.
func (c Certificate) signature() (Algorithm, error) {
	outer := cryptobyte.String(c.Raw)
	var fields, algorithm cryptobyte.String
	if !outer.ReadASN1(&fields, tags.SEQUENCE) || !fields.SkipASN1(tags.SEQUENCE) ||
		!fields.ReadASN1Element(&algorithm, tags.SEQUENCE) {
		return Algorithm{}, fmt.Errorf("%w: not readable", ErrAlgorithm)
	}
	return ParseAlgorithm(algorithm)
}

// signedBy checks the certificate's signature with the key of another.
func (c Certificate) signedBy(issuer Certificate) error {
	a, err := c.signature()
	if err != nil {
		return err
	}
	return a.Verify(issuer.Key, c.RawTBSCertificate, c.Signature)
}
