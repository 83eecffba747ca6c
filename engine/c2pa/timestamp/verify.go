package timestamp

import (
	"bytes"
	"crypto"
	_ "crypto/sha1" //nolint:gosec // crypto.SHA1 names certificates in RFC 2634 and vouches for nothing
	"crypto/x509/pkix"
	"encoding/asn1"

	"veracity/engine/c2pa/certs"
)

// Signed attributes (RFC 5652, section 11; RFC 5035, sections 3 and 5) and the usage that their signer has.
var (
	oidContentType   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidSigner        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	oidSignerV2      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	oidExtKeyUsage   = asn1.ObjectIdentifier{2, 5, 29, 37}
)

// maxAttributes bounds the signed attributes. Real tokens have four to six.
const maxAttributes = 64

// verify checks the token's signature, that it covers the content, and that it was made with a certificate for
// time-stamps, which it names.
func (t token) verify() error {
	attributes, err := t.signer.attributes()
	if err != nil {
		return err
	}
	digest, ok := certs.Hash(t.signer.Digest.Algorithm)
	if !ok {
		return untrusted("digest algorithm not allowed")
	}
	var kind asn1.ObjectIdentifier
	if !unmarshal(attributes[oidContentType.String()], &kind) || !kind.Equal(oidInfo) {
		return malformed("the signature is not of a time")
	}
	var covered []byte
	if !unmarshal(attributes[oidMessageDigest.String()], &covered) || sum(digest, t.content) != string(covered) {
		return malformed("the signature is of another time")
	}
	algorithm, err := certs.ParseCMSAlgorithm(t.signer.Algorithm.FullBytes, digest)
	if err != nil {
		return untrusted(err.Error())
	}
	authority := t.chain[0]
	// RFC 5652, section 5.4: signed is the SET OF, not the implicit tag that stands there.
	signed := bytes.Clone(t.signer.Attributes.FullBytes)
	signed[0] = asn1.TagSet | 0x20
	if err := algorithm.Verify(authority.Key, signed, t.signer.Signature); err != nil {
		return malformed(err.Error())
	}
	if !namesSigner(attributes, authority) {
		return malformed("it was signed with another certificate")
	}
	if err := certs.CheckProfile(authority, certs.TimeStamps); err != nil {
		return untrusted(err.Error())
	}
	if !criticalUsage(authority) {
		return untrusted("the usage of its certificate is not critical")
	}
	return nil
}

// attributes are the signed attributes by their types, each with its one value.
func (s signerInfo) attributes() (map[string][]byte, error) {
	values := map[string][]byte{}
	for rest := s.Attributes.Bytes; len(rest) > 0; {
		var attribute struct {
			Type   asn1.ObjectIdentifier
			Values []asn1.RawValue `asn1:"set"`
		}
		var err error
		if rest, err = asn1.Unmarshal(rest, &attribute); err != nil || len(attribute.Values) == 0 || len(values) == maxAttributes {
			return nil, malformed("the signed attributes")
		}
		name := attribute.Type.String()
		if _, twice := values[name]; twice {
			return nil, malformed("a signed attribute is there twice")
		}
		// Those that are looked at have one value (RFC 5652, section 11).
		values[name] = nil
		if len(attribute.Values) == 1 {
			values[name] = attribute.Values[0].FullBytes
		}
	}
	return values, nil
}

// namesSigner says whether the signed attributes name the certificate: by SHA-1 (RFC 2634), or by a hash of choice (RFC
// 5816). Both must, where both are there. SHA-1 vouches for nothing here, the signature's key does.
func namesSigner(attributes map[string][]byte, c certs.Certificate) bool {
	old, hasOld := attributes[oidSigner.String()]
	current, hasCurrent := attributes[oidSignerV2.String()]
	if hasCurrent && !namesByHash(current, c) {
		return false
	}
	if hasOld && !namesBySHA1(old, c) {
		return false
	}
	return hasOld || hasCurrent
}

func namesByHash(der []byte, c certs.Certificate) bool {
	var attribute struct {
		Certificates []struct {
			Hash   pkix.AlgorithmIdentifier `asn1:"optional"`
			Value  []byte
			Issuer asn1.RawValue `asn1:"optional"`
		}
		Policies asn1.RawValue `asn1:"optional"`
	}
	if !unmarshal(der, &attribute) || len(attribute.Certificates) == 0 {
		return false
	}
	first := attribute.Certificates[0]
	hash, ok := crypto.SHA256, true
	if len(first.Hash.Algorithm) > 0 {
		hash, ok = certs.Hash(first.Hash.Algorithm)
	}
	return ok && sum(hash, c.Raw) == string(first.Value)
}

func namesBySHA1(der []byte, c certs.Certificate) bool {
	var attribute struct {
		Certificates []struct {
			Value  []byte
			Issuer asn1.RawValue `asn1:"optional"`
		}
		Policies asn1.RawValue `asn1:"optional"`
	}
	return unmarshal(der, &attribute) && len(attribute.Certificates) > 0 &&
		sum(crypto.SHA1, c.Raw) == string(attribute.Certificates[0].Value)
}

// criticalUsage says whether the extended key usages are critical, as RFC 3161, section 2.3, wants them.
func criticalUsage(c certs.Certificate) bool {
	for _, e := range c.Extensions {
		if e.Id.Equal(oidExtKeyUsage) {
			return e.Critical
		}
	}
	return false
}
