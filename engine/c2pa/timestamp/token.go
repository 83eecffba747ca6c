package timestamp

import (
	"bytes"
	"crypto"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"time"

	"veracity/engine/c2pa/certs"
)

// Structures of RFC 5652, sections 3 and 5, and of RFC 3161, section 2.4.2.
type contentInfo struct {
	Type    asn1.ObjectIdentifier
	Content asn1.RawValue `asn1:"explicit,tag:0"`
}

type signedData struct {
	Version          int
	DigestAlgorithms asn1.RawValue
	Content          struct {
		Type    asn1.ObjectIdentifier
		Content []byte `asn1:"explicit,tag:0"`
	}
	Certificates asn1.RawValue `asn1:"optional,tag:0"`
	Revocations  asn1.RawValue `asn1:"optional,tag:1"`
	Signers      []signerInfo  `asn1:"set"`
}

type signerInfo struct {
	Version    int
	Signer     asn1.RawValue
	Digest     pkix.AlgorithmIdentifier
	Attributes asn1.RawValue `asn1:"optional,tag:0"`
	Algorithm  asn1.RawValue
	Signature  []byte
	Unsigned   asn1.RawValue `asn1:"optional,tag:1"`
}

type tstInfo struct {
	Version  int
	Policy   asn1.ObjectIdentifier
	Imprint  imprint
	Serial   *big.Int
	Time     asn1.RawValue
	Accuracy struct {
		Seconds      int `asn1:"optional"`
		Milliseconds int `asn1:"optional,tag:0"`
		Microseconds int `asn1:"optional,tag:1"`
	} `asn1:"optional"`
	Ordering   bool             `asn1:"optional"`
	Nonce      *big.Int         `asn1:"optional"`
	Authority  asn1.RawValue    `asn1:"optional,tag:0"`
	Extensions []pkix.Extension `asn1:"optional,tag:1"`
}

type imprint struct {
	Hash    pkix.AlgorithmIdentifier
	Message []byte
}

var (
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidInfo       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
)

// token is a TimeStampToken that is not verified yet.
type token struct {
	raw     []byte
	signer  signerInfo
	content []byte
	info    info
	// chain begins with the certificate that the signer names.
	chain []certs.Certificate
}

// info is what a TSTInfo says.
type info struct {
	hash    crypto.Hash
	imprint []byte
	time    time.Time
	nonce   *big.Int
}

// parse reads a TimeStampToken, or a TimeStampResp that has one.
func parse(der []byte) (token, error) {
	if len(der) > MaxToken {
		return token{}, malformed("too long")
	}
	der, err := unwrap(der)
	if err != nil {
		return token{}, err
	}
	var outer contentInfo
	var signed signedData
	if !unmarshal(der, &outer) || !outer.Type.Equal(oidSignedData) || !unmarshal(outer.Content.Bytes, &signed) {
		return token{}, malformed("no signed data")
	}
	if !signed.Content.Type.Equal(oidInfo) || len(signed.Signers) != 1 {
		return token{}, malformed("no time of one signer")
	}
	t := token{raw: der, signer: signed.Signers[0], content: signed.Content.Content}
	if t.info, err = parseInfo(t.content); err != nil {
		return token{}, err
	}
	if t.chain, err = t.signer.chain(signed.Certificates.Bytes); err != nil {
		return token{}, err
	}
	return t, nil
}

// unwrap takes the token out of a response that was granted; tokens stay as they are.
func unwrap(der []byte) ([]byte, error) {
	var first struct{ Element asn1.RawValue }
	if !unmarshal(der, &first) {
		return nil, malformed("no DER")
	}
	if first.Element.Tag != asn1.TagSequence {
		return der, nil
	}
	var response struct {
		Status struct{ Status int }
		Token  asn1.RawValue `asn1:"optional"`
	}
	if !unmarshal(der, &response) || len(response.Token.FullBytes) == 0 {
		return nil, malformed("no token in the response")
	}
	// RFC 3161, section 2.4.2: granted, and granted with modifications.
	if s := response.Status.Status; s != 0 && s != 1 {
		return nil, malformed("the request was not granted")
	}
	return response.Token.FullBytes, nil
}

func parseInfo(der []byte) (info, error) {
	var t tstInfo
	if !unmarshal(der, &t) || t.Version != 1 || t.Time.Class != asn1.ClassUniversal || t.Time.Tag != asn1.TagGeneralizedTime {
		return info{}, malformed("no TSTInfo")
	}
	for _, e := range t.Extensions {
		if e.Critical {
			return info{}, malformed("unknown critical extension")
		}
	}
	hash, ok := certs.Hash(t.Imprint.Hash.Algorithm)
	if !ok {
		return info{}, untrusted("hash algorithm not allowed")
	}
	// A fraction of a second may follow, which RFC 5280 forbids and RFC 3161 wants; time.Parse reads it.
	at, err := time.Parse("20060102150405Z", string(t.Time.Bytes))
	if err != nil || len(t.Imprint.Message) != hash.Size() {
		return info{}, malformed("no TSTInfo")
	}
	return info{hash: hash, imprint: t.Imprint.Message, time: at.UTC(), nonce: t.Nonce}, nil
}

// chain reads the certificates of the token, and puts the signer's first.
func (s signerInfo) chain(set []byte) ([]certs.Certificate, error) {
	var chain []certs.Certificate
	signer := -1
	for count := 0; len(set) > 0; count++ {
		var raw asn1.RawValue
		rest, err := asn1.Unmarshal(set, &raw)
		if err != nil || count == certs.MaxChain {
			return nil, malformed("the certificates")
		}
		set = rest
		c, err := certs.Parse(raw.FullBytes)
		if err != nil {
			continue
		}
		if signer < 0 && s.names(c) {
			signer = len(chain)
		}
		chain = append(chain, c)
	}
	if signer < 0 {
		return nil, untrusted("the signer's certificate is not there")
	}
	chain[0], chain[signer] = chain[signer], chain[0]
	return chain, nil
}

// names says whether the signer identifier is that of the certificate: issuer and serial number, or subject key
// identifier (RFC 5652, section 5.3).
func (s signerInfo) names(c certs.Certificate) bool {
	if s.Signer.Class == asn1.ClassContextSpecific {
		return s.Signer.Tag == 0 && len(c.SubjectKeyId) > 0 && bytes.Equal(s.Signer.Bytes, c.SubjectKeyId)
	}
	var id struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}
	return unmarshal(s.Signer.FullBytes, &id) && bytes.Equal(id.Issuer.FullBytes, c.RawIssuer) &&
		id.Serial.Cmp(c.SerialNumber) == 0
}

// unmarshal reads DER with nothing behind it.
func unmarshal(der []byte, into any) bool {
	rest, err := asn1.Unmarshal(der, into)
	return err == nil && len(rest) == 0
}
