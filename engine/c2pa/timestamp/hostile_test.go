package timestamp_test

import (
	"crypto"
	"crypto/sha1"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/timestamp"
)

func TestTokensOfEveryFormThatTheStandardsAllowVerify(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	ec := root.Stamper(t, "TSA", certstest.With(func(x *x509.Certificate) { x.SubjectKeyId = []byte("the key") }))
	for name, c := range map[string]struct {
		signer *certstest.Identity
		change func(*forgery)
	}{
		"plain":                          {ec, nil},
		"named by its key":               {ec, func(f *forgery) { f.byKey = true }},
		"RSASSA-PSS":                     {root.Stamper(t, "TSA", certstest.Of(certstest.RSA)), withPSS(t)},
		"a key for RSASSA-PSS alone":     {root.Stamper(t, "TSA", certstest.Of(certstest.PSS)), withPSS(t)},
		"the algorithm names a key":      {ec, func(f *forgery) { f.algorithm.Algorithm = oidECKey }},
		"the certificate named by SHA-1": {ec, func(f *forgery) { f.attributes[1] = signerV1(ec.Certificate.Raw) }},
		"named in both ways": {ec, func(f *forgery) {
			f.attributes = append(f.attributes, signerV1(ec.Certificate.Raw))
		}},
		"Ed25519": {root.Stamper(t, "TSA", certstest.Of(certstest.Ed25519)), func(f *forgery) {
			f.algorithm.Algorithm, f.sign = oidEd25519, crypto.Hash(0)
		}},
		"SHA-512 of the message": {ec, func(f *forgery) {
			digest := sha512.Sum512(message)
			f.imprint = imprint{pkix.AlgorithmIdentifier{Algorithm: oidSHA512}, digest[:]}
		}},
		"certificates in any order": {ec, func(f *forgery) { f.certs = [][]byte{root.Certificate.Raw, {0x30, 0}, ec.Certificate.Raw} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stamp, err := timestamp.Verify(forge(t, c.signer, c.change), message)
			require.NoError(t, err)
			require.Equal(t, time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC), stamp.Time)
			require.Equal(t, c.signer.Certificate.Raw, stamp.Chain[0].Raw)
		})
	}
	stamp, err := timestamp.Verify(forge(t, ec, func(f *forgery) { f.time = "20260506070809.125Z" }), message)
	require.NoError(t, err)
	require.Equal(t, 125*time.Millisecond, time.Duration(stamp.Time.Nanosecond()))
}

func TestTokensThatProveNothingAreRefused(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	tsa := root.Stamper(t, "TSA")
	other := root.Stamper(t, "Other")
	weak := sha1.Sum(message)
	mixed := certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping})
	notCritical := root.Signer(t, "TSA", mixed)
	for name, c := range map[string]struct {
		signer *certstest.Identity
		change func(*forgery)
		want   error
	}{
		"no signed attributes":      {tsa, func(f *forgery) { f.bare = true }, timestamp.ErrMalformed},
		"another content":           {tsa, func(f *forgery) { f.kind = oidData }, timestamp.ErrMalformed},
		"signed as another content": {tsa, func(f *forgery) { f.attributes[0].Values = []any{oidData} }, timestamp.ErrMalformed},
		"two signed types":          {tsa, func(f *forgery) { f.attributes[0].Values = []any{oidInfo, oidData} }, timestamp.ErrMalformed},
		"two signed types, ours first": {tsa, func(f *forgery) {
			f.attributes[0].Values = []any{oidInfo, asn1.ObjectIdentifier{2, 999, 1 << 28, 1 << 28, 1 << 28, 1 << 28}}
		}, timestamp.ErrMalformed},
		"a signed attribute twice":     {tsa, func(f *forgery) { f.attributes = append(f.attributes, f.attributes[0]) }, timestamp.ErrMalformed},
		"no certificate is named":      {tsa, func(f *forgery) { f.attributes = f.attributes[:1] }, timestamp.ErrMalformed},
		"another certificate is named": {tsa, func(f *forgery) { f.attributes[1] = signerV2(make([]byte, 32)) }, timestamp.ErrMalformed},
		"another, named by SHA-1":      {tsa, func(f *forgery) { f.attributes[1] = signerV1(other.Certificate.Raw) }, timestamp.ErrMalformed},
		"another, named by SHA-1 too":  {tsa, func(f *forgery) { f.attributes = append(f.attributes, signerV1(other.Certificate.Raw)) }, timestamp.ErrMalformed},
		"the digest of another time": {tsa, func(f *forgery) {
			f.attributes = append(f.attributes, attribute{oidMessageDigest, []any{make([]byte, 32)}})
		}, timestamp.ErrMalformed},
		"two signers":           {tsa, func(f *forgery) { f.signers = 2 }, timestamp.ErrMalformed},
		"no signer":             {tsa, func(f *forgery) { f.signers = 0 }, timestamp.ErrMalformed},
		"no certificate":        {tsa, func(f *forgery) { f.certs = nil }, timestamp.ErrUntrusted},
		"another certificate":   {tsa, func(f *forgery) { f.certs = other.DER() }, timestamp.ErrUntrusted},
		"too many certificates": {tsa, func(f *forgery) { f.certs = slices.Repeat(f.certs, 17) }, timestamp.ErrMalformed},
		"SHA-1 of the message":  {tsa, func(f *forgery) { f.imprint = imprint{pkix.AlgorithmIdentifier{Algorithm: oidSHA1}, weak[:]} }, timestamp.ErrUntrusted},
		"a short hash":          {tsa, func(f *forgery) { f.imprint.Message = f.imprint.Message[:20] }, timestamp.ErrMalformed},
		"SHA-1 of the content":  {tsa, func(f *forgery) { f.digest = oidSHA1 }, timestamp.ErrUntrusted},
		"signed with SHA-1":     {tsa, func(f *forgery) { f.algorithm.Algorithm, f.sign = oidECDSASHA1, crypto.SHA1 }, timestamp.ErrUntrusted},
		"an unknown version":    {tsa, func(f *forgery) { f.version = 2 }, timestamp.ErrMalformed},
		"an unknown critical extension": {tsa, func(f *forgery) {
			f.extensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 999}, Critical: true, Value: []byte{5, 0}}}
		}, timestamp.ErrMalformed},
		"a time that is none":          {tsa, func(f *forgery) { f.time = "20261306070809Z" }, timestamp.ErrMalformed},
		"a local time":                 {tsa, func(f *forgery) { f.time = "20260506070809+0100" }, timestamp.ErrMalformed},
		"a certificate for claims":     {root.Signer(t, "Signer"), nil, timestamp.ErrUntrusted},
		"a usage that is not critical": {notCritical, nil, timestamp.ErrUntrusted},
		"an authority's certificate":   {root.Stamper(t, "CA", certstest.With(func(x *x509.Certificate) { x.IsCA = true })), nil, timestamp.ErrUntrusted},
		"outside its validity":         {tsa, func(f *forgery) { f.time = "20100506070809Z" }, timestamp.ErrOutside},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := timestamp.Verify(forge(t, c.signer, c.change), message)
			require.ErrorIs(t, err, c.want)
			if c.want == timestamp.ErrMalformed { //nolint:errorlint // which of them it is
				require.NotErrorIs(t, err, timestamp.ErrUntrusted)
			}
		})
	}
}

func TestATokenSignedByAnotherKeyIsMalformed(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	thief := *root.Stamper(t, "TSA")
	thief.Key = certstest.Key(t, certstest.P256)
	_, err := timestamp.Verify(forge(t, &thief, nil), message)
	require.ErrorIs(t, err, timestamp.ErrMalformed)
}
