package certs_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
)

func TestParseKnowsTheKeyOfEveryKindAlsoRSASSAPSS(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]certstest.Kind{
		"P-256": certstest.P256, "P-384": certstest.P384, "P-521": certstest.P521,
		"Ed25519": certstest.Ed25519, "RSA": certstest.RSA, "RSASSA-PSS": certstest.PSS,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := certstest.Root(t, "Root", certstest.Of(kind))
			parsed, err := certs.Parse(made.Certificate.Raw)
			require.NoError(t, err)
			require.Equal(t, made.Key.Public(), parsed.Key)
			require.NoError(t, certs.CheckKey(parsed.Key))
			require.Equal(t, kind == certstest.PSS, parsed.PublicKey == nil, "x509 knows all but RSASSA-PSS")
		})
	}
}

func TestParseRefusesWhatIsNoCertificate(t *testing.T) {
	t.Parallel()
	good := certstest.Root(t, "Root").Certificate.Raw
	for name, der := range map[string][]byte{
		"nothing": nil, "cut": good[:len(good)-1], "more behind it": append(bytes.Clone(good), 0),
		"text": []byte("-----BEGIN CERTIFICATE-----"), "too long": longCertificate(t),
	} {
		_, err := certs.Parse(der)
		require.ErrorIs(t, err, certs.ErrInvalid, name)
	}
}

func longCertificate(t *testing.T) []byte {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), ExtraExtensions: []pkix.Extension{
		{Id: configuredUsage, Value: make([]byte, certs.MaxCertificate)},
	}}
	key := certstest.Key(t, certstest.P256)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	_, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	return der
}

func TestParseChainLeavesOutOfTheChainWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	sub := root.Sub(t, "Sub")
	signer := sub.Signer(t, "Signer")
	chain, err := certs.ParseChain([][]byte{signer.Certificate.Raw, {0x30}, sub.Certificate.Raw})
	require.NoError(t, err)
	require.Len(t, chain, 2)
	require.Equal(t, sub.Certificate.Raw, chain[1].Raw)

	_, err = certs.ParseChain([][]byte{{0x30}, signer.Certificate.Raw})
	require.ErrorIs(t, err, certs.ErrInvalid)
	_, err = certs.ParseChain(nil)
	require.ErrorIs(t, err, certs.ErrInvalid)

	many := make([][]byte, 1000)
	for i := range many {
		many[i] = signer.Certificate.Raw
	}
	chain, err = certs.ParseChain(many)
	require.NoError(t, err)
	require.Len(t, chain, certs.MaxChain)
}

func TestOrganizationNamesTheSubjectInPrint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		organization []string
		common       string
		want         string
	}{
		"the organisation":    {[]string{"Leica Camera AG"}, "M11-P", "Leica Camera AG"},
		"the common name":     {nil, "M11-P", "M11-P"},
		"the first that says": {[]string{"\x00\n", "Nikon"}, "", "Nikon"},
		"neither":             {nil, "", ""},
		"what prints":         {[]string{" Bad\u202egro\n "}, "", "Badgro"},
		"not for ever":        {[]string{strings.Repeat("ä", 1000)}, "", strings.Repeat("ä", 200)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := certstest.Root(t, "Root", certstest.With(func(x *x509.Certificate) {
				x.Subject.Organization, x.Subject.CommonName = c.organization, c.common
			}))
			require.Equal(t, c.want, made.Certificate.Organization())
			require.Equal(t, c.want, made.Certificate.IssuerOrganization())
		})
	}
	require.Empty(t, certs.Certificate{}.Organization())
}

func TestCheckKeyRefusesWeakAndOddRSAKeys(t *testing.T) {
	t.Parallel()
	good := certstest.Key(t, certstest.RSA).Public().(*rsa.PublicKey)
	for name, key := range map[string]any{
		"none": nil, "exponent 1": &rsa.PublicKey{N: good.N, E: 1}, "even exponent": &rsa.PublicKey{N: good.N, E: 4},
		"1024 bits": shortRSA(t), "a string": "key",
	} {
		require.Error(t, certs.CheckKey(key), name)
	}
	require.NoError(t, certs.CheckKey(good))
}
