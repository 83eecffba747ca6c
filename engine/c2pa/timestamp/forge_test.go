package timestamp_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs/certstest"
)

var (
	oidSignedData    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidData          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidInfo          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
	oidContentType   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidSigner        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	oidSignerV2      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	oidSHA1          = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	oidSHA256        = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidSHA512        = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}
	oidECDSA         = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}
	oidECKey         = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidECDSASHA1     = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1}
	oidEd25519       = asn1.ObjectIdentifier{1, 3, 101, 112}
	oidPSS           = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
	oidMGF1          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}
)

type attribute struct {
	Type   asn1.ObjectIdentifier
	Values []any `asn1:"set"`
}

type imprint struct {
	Hash    pkix.AlgorithmIdentifier
	Message []byte
}

// forgery is a token in the making: the test changes what it wants, and it is signed as it then is.
type forgery struct {
	signer     *certstest.Identity
	time       string
	version    int
	imprint    imprint
	extensions []pkix.Extension
	digest     asn1.ObjectIdentifier
	algorithm  pkix.AlgorithmIdentifier
	sign       crypto.SignerOpts
	attributes []attribute
	bare       bool // no signed attributes at all
	byKey      bool // the signer is named by its key identifier
	kind       asn1.ObjectIdentifier
	certs      [][]byte
	signers    int
}

// forge makes a token, good unless it is changed. Attributes are made after the change when it left none.
func forge(t *testing.T, signer *certstest.Identity, change func(*forgery)) []byte {
	t.Helper()
	digest := sha256.Sum256(message)
	f := &forgery{
		signer: signer, time: "20260506070809Z", version: 1, digest: oidSHA256, kind: oidInfo, signers: 1, sign: crypto.SHA256,
		imprint:   imprint{pkix.AlgorithmIdentifier{Algorithm: oidSHA256}, digest[:]},
		algorithm: pkix.AlgorithmIdentifier{Algorithm: oidECDSA},
		certs:     signer.DER(),
	}
	signed := sha256.Sum256(signer.Certificate.Raw)
	f.attributes = []attribute{{oidContentType, []any{oidInfo}}, signerV2(signed[:])}
	if change != nil {
		change(f)
	}
	return f.token(t)
}

func signerV2(hash []byte) attribute {
	type id struct{ Value []byte }
	return attribute{oidSignerV2, []any{struct{ IDs []id }{[]id{{hash}}}}}
}

func signerV1(c []byte) attribute {
	type id struct{ Value []byte }
	hash := sha1.Sum(c)
	return attribute{oidSigner, []any{struct{ IDs []id }{[]id{{hash[:]}}}}}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	der, err := asn1.Marshal(v)
	require.NoError(t, err)
	return der
}

func (f *forgery) content(t *testing.T) []byte {
	t.Helper()
	return marshal(t, struct {
		Version    int
		Policy     asn1.ObjectIdentifier
		Imprint    imprint
		Serial     *big.Int
		Time       asn1.RawValue
		Extensions []pkix.Extension `asn1:"optional,tag:1,omitempty"`
	}{
		f.version,
		asn1.ObjectIdentifier{2, 999},
		f.imprint, big.NewInt(7),
		asn1.RawValue{Tag: asn1.TagGeneralizedTime, Bytes: []byte(f.time)},
		f.extensions,
	})
}

func (f *forgery) token(t *testing.T) []byte {
	t.Helper()
	content := f.content(t)
	covered := sha256.Sum256(content)
	attributes := f.attributes
	has := false
	for _, a := range attributes {
		has = has || a.Type.Equal(oidMessageDigest)
	}
	if !has {
		attributes = append(attributes, attribute{oidMessageDigest, []any{covered[:]}})
	}
	set := marshal(t, struct {
		Set []attribute `asn1:"set"`
	}{attributes})
	var outer struct{ Set asn1.RawValue }
	_, err := asn1.Unmarshal(set, &outer)
	require.NoError(t, err)
	signed, tagged := outer.Set.FullBytes, asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: outer.Set.Bytes}
	if f.bare {
		signed, tagged = content, asn1.RawValue{}
	}
	toSign := signed
	if h := f.sign.HashFunc(); h != 0 {
		state := h.New()
		state.Write(signed)
		toSign = state.Sum(nil)
	}
	signature, err := f.signer.Key.Sign(rand.Reader, toSign, f.sign)
	require.NoError(t, err)
	return f.wrap(t, content, tagged, signature)
}

func (f *forgery) wrap(t *testing.T, content []byte, attributes asn1.RawValue, signature []byte) []byte {
	t.Helper()
	c := f.signer.Certificate
	id := asn1.RawValue{FullBytes: marshal(t, struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}{asn1.RawValue{FullBytes: c.RawIssuer}, c.SerialNumber})}
	if f.byKey {
		id = asn1.RawValue{Class: asn1.ClassContextSpecific, Bytes: c.SubjectKeyId}
	}
	type signerInfo struct {
		Version    int
		Signer     asn1.RawValue
		Digest     pkix.AlgorithmIdentifier
		Attributes asn1.RawValue `asn1:"optional"`
		Algorithm  pkix.AlgorithmIdentifier
		Signature  []byte
	}
	info := signerInfo{1, id, pkix.AlgorithmIdentifier{Algorithm: f.digest}, attributes, f.algorithm, signature}
	signers := make([]signerInfo, f.signers)
	for i := range signers {
		signers[i] = info
	}
	var certificates []byte
	for _, der := range f.certs {
		certificates = append(certificates, der...)
	}
	type encapsulated struct {
		Type    asn1.ObjectIdentifier
		Content []byte `asn1:"explicit,tag:0"`
	}
	signed := marshal(t, struct {
		Version      int
		Digests      []pkix.AlgorithmIdentifier `asn1:"set"`
		Content      encapsulated
		Certificates asn1.RawValue
		Signers      []signerInfo `asn1:"set"`
	}{
		3,
		[]pkix.AlgorithmIdentifier{{Algorithm: f.digest}},
		encapsulated{f.kind, content},
		asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: certificates},
		signers,
	})
	return marshal(t, struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue
	}{oidSignedData, asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: signed}})
}

// withPSS signs with RSASSA-PSS, its parameters written out.
func withPSS(t *testing.T) func(*forgery) {
	t.Helper()
	type only struct{ Algorithm asn1.ObjectIdentifier }
	type mask struct {
		Algorithm asn1.ObjectIdentifier
		Hash      only
	}
	params := marshal(t, struct {
		Hash only `asn1:"explicit,tag:0"`
		Mask mask `asn1:"explicit,tag:1"`
		Salt int  `asn1:"explicit,tag:2"`
	}{only{oidSHA256}, mask{oidMGF1, only{oidSHA256}}, 32})
	return func(f *forgery) {
		f.algorithm = pkix.AlgorithmIdentifier{Algorithm: oidPSS, Parameters: asn1.RawValue{FullBytes: params}}
		f.sign = &rsa.PSSOptions{SaltLength: 32, Hash: crypto.SHA256}
	}
}
