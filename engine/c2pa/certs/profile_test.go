package certs_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
)

var configuredUsage = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 55555, 1}

func TestProfileOfSignersOfClaims(t *testing.T) {
	t.Parallel()
	sub := certstest.Root(t, "Root").Sub(t, "Sub")
	with := certstest.With
	for name, c := range map[string]struct {
		options []certstest.Option
		fits    bool
	}{
		"a plain signer":        {nil, true},
		"RSA":                   {[]certstest.Option{certstest.Of(certstest.RSA)}, true},
		"RSASSA-PSS":            {[]certstest.Option{certstest.Of(certstest.PSS)}, true},
		"Ed25519":               {[]certstest.Option{certstest.Of(certstest.Ed25519)}, true},
		"document signing":      {[]certstest.Option{certstest.Usages(nil, certstest.DocumentSigning)}, true},
		"claim signing":         {[]certstest.Option{certstest.Usages(nil, certstest.ClaimSigning)}, true},
		"beside client auth":    {[]certstest.Option{emailAnd(x509.ExtKeyUsageClientAuth)}, true},
		"no basic constraints":  {[]certstest.Option{with(func(x *x509.Certificate) { x.BasicConstraintsValid = false })}, true},
		"no extended usage":     {[]certstest.Option{certstest.Usages(nil)}, false},
		"any extended usage":    {[]certstest.Option{emailAnd(x509.ExtKeyUsageAny)}, false},
		"web server":            {[]certstest.Option{certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth})}, false},
		"also time-stamping":    {[]certstest.Option{emailAnd(x509.ExtKeyUsageTimeStamping)}, false},
		"also OCSP":             {[]certstest.Option{emailAnd(x509.ExtKeyUsageOCSPSigning)}, false},
		"usage not configured":  {[]certstest.Option{certstest.Usages(nil, configuredUsage)}, false},
		"no key usage":          {[]certstest.Option{with(func(x *x509.Certificate) { x.KeyUsage = 0 })}, false},
		"key encipherment":      {[]certstest.Option{with(func(x *x509.Certificate) { x.KeyUsage = x509.KeyUsageKeyEncipherment })}, false},
		"signs certificates":    {[]certstest.Option{with(func(x *x509.Certificate) { x.KeyUsage |= x509.KeyUsageCertSign })}, false},
		"an authority":          {[]certstest.Option{with(func(x *x509.Certificate) { x.IsCA = true })}, false},
		"unique identifiers":    {[]certstest.Option{func(t *certstest.Template) { t.UniqueID = true }}, false},
		"critical and unknown":  {[]certstest.Option{with(critical)}, false},
		"a curve for elsewhere": {[]certstest.Option{func(c *certstest.Template) { c.Ready = p224(t) }}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := certs.CheckProfile(sub.Signer(t, "Signer", c.options...).Certificate, certs.Claims)
			if c.fits {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, certs.ErrProfile)
		})
	}
	require.ErrorIs(t, certs.CheckProfile(certs.Certificate{}, certs.Claims), certs.ErrProfile)
}

func TestProfileWantsTheIssuersKeyNamed(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root", certstest.With(func(x *x509.Certificate) { x.SubjectKeyId = nil }))
	root.Certificate.SubjectKeyId = nil
	unnamed := root.Signer(t, "Signer", certstest.With(func(x *x509.Certificate) { x.AuthorityKeyId = nil }))
	require.Empty(t, unnamed.Certificate.AuthorityKeyId)
	require.ErrorIs(t, certs.CheckProfile(unnamed.Certificate, certs.Claims), certs.ErrProfile)
}

func TestASignerThatSignedItselfFitsTheProfile(t *testing.T) {
	t.Parallel()
	alone := certstest.Root(t, "Alone", certstest.With(func(x *x509.Certificate) {
		x.IsCA, x.KeyUsage = false, x509.KeyUsageDigitalSignature
		x.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection}
	}))
	require.NoError(t, certs.CheckProfile(alone.Certificate, certs.Claims))
}

func TestProfileOfTimeStampAuthorities(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	require.NoError(t, certs.CheckProfile(root.Stamper(t, "TSA").Certificate, certs.TimeStamps))
	require.ErrorIs(t, certs.CheckProfile(root.Stamper(t, "TSA").Certificate, certs.Claims), certs.ErrProfile)
	require.ErrorIs(t, certs.CheckProfile(root.Signer(t, "Signer").Certificate, certs.TimeStamps), certs.ErrProfile)
	require.ErrorIs(t, certs.CheckProfile(root.Responder(t, "OCSP").Certificate, certs.TimeStamps), certs.ErrProfile)
	approves := certstest.With(func(x *x509.Certificate) { x.KeyUsage = x509.KeyUsageContentCommitment })
	require.NoError(t, certs.CheckProfile(root.Stamper(t, "TSA", approves).Certificate, certs.TimeStamps))
}

func TestConfiguredUsagesAndSignersAllowedByNameFit(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	configured := root.Signer(t, "Configured", certstest.Usages(nil, configuredUsage))
	odd := root.Signer(t, "Odd", certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}))
	lists, err := certs.Read(fstest.MapFS{
		certs.UsagesFile:  {Data: []byte("// ours\n" + configuredUsage.String() + " // why\n1.3.6.1.5.5.7.3.8\n")},
		certs.AllowedFile: {Data: certstest.PEM(odd)},
	})
	require.NoError(t, err)
	require.NoError(t, lists.CheckProfile(configured.Certificate, certs.Claims))
	require.NoError(t, lists.CheckProfile(odd.Certificate, certs.Claims))
	require.ErrorIs(t, lists.CheckProfile(odd.Certificate, certs.TimeStamps), certs.ErrProfile)
	stamper := root.Stamper(t, "TSA")
	require.ErrorIs(t, lists.CheckProfile(stamper.Certificate, certs.Claims), certs.ErrProfile,
		"the file names time-stamping too, which is not for claims")
}

func emailAnd(usage x509.ExtKeyUsage) certstest.Option {
	return certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection, usage})
}

func critical(x *x509.Certificate) {
	x.ExtraExtensions = append(x.ExtraExtensions, pkix.Extension{Id: configuredUsage, Critical: true, Value: []byte{5, 0}})
}
