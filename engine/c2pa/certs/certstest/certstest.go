// Package certstest makes certificates for tests: authorities and those they issue, as the C2PA profile has them or in
// some way not. Nothing in it is for the product.
package certstest

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"veracity/engine/c2pa/certs"
)

// Extended key usages that x509 has no name for.
var (
	ClaimSigning    = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 62558, 2, 1}
	DocumentSigning = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 36}
)

// Identity is a certificate with its key, and who issued it.
type Identity struct {
	Certificate certs.Certificate
	Key         crypto.Signer
	// Issuer is nil for roots.
	Issuer *Identity

	pssSigns bool
}

// Template is what a certificate is to say.
type Template struct {
	x509.Certificate
	// Kind is that of the key, P256 by default. Ready is used instead of a new key.
	Kind  Kind
	Ready crypto.Signer
	// UniqueID adds an issuerUniqueID, which the profile forbids.
	UniqueID bool
}

// Option changes a template.
type Option func(*Template)

// Of has a key of the kind.
func Of(k Kind) Option { return func(t *Template) { t.Kind = k } }

// Valid sets the validity.
func Valid(from, until time.Time) Option {
	return func(t *Template) { t.NotBefore, t.NotAfter = from, until }
}

// With changes the x509 template.
func With(change func(*x509.Certificate)) Option {
	return func(t *Template) { change(&t.Certificate) }
}

// Usages replaces the extended key usages.
func Usages(known []x509.ExtKeyUsage, others ...asn1.ObjectIdentifier) Option {
	return func(t *Template) { t.ExtKeyUsage, t.UnknownExtKeyUsage = known, others }
}

// Root makes an authority that signed itself, valid from ten years ago for twenty years.
func Root(tb testing.TB, name string, options ...Option) *Identity {
	tb.Helper()
	return issue(tb, nil, authority(name), options)
}

// Sub makes an authority below.
func (i *Identity) Sub(tb testing.TB, name string, options ...Option) *Identity {
	tb.Helper()
	return issue(tb, i, authority(name), options)
}

// Signer makes a certificate for signing claims, valid from a year ago for two.
func (i *Identity) Signer(tb testing.TB, name string, options ...Option) *Identity {
	tb.Helper()
	t := endEntity(name)
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection}
	t.UnknownExtKeyUsage = []asn1.ObjectIdentifier{ClaimSigning}
	return issue(tb, i, t, options)
}

// Stamper makes a certificate for time-stamps.
func (i *Identity) Stamper(tb testing.TB, name string, options ...Option) *Identity {
	tb.Helper()
	t := endEntity(name)
	// RFC 3161, section 2.3: the extension is critical, which x509 marks only when it is written by hand.
	usages, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		tb.Fatal(err)
	}
	t.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: usages}}
	return issue(tb, i, t, options)
}

// Responder makes a certificate for OCSP responses.
func (i *Identity) Responder(tb testing.TB, name string, options ...Option) *Identity {
	tb.Helper()
	t := endEntity(name)
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}
	return issue(tb, i, t, options)
}

// Chain is the certificate and those above it, the root left out.
func (i *Identity) Chain() []certs.Certificate {
	var chain []certs.Certificate
	for ; i != nil && (i.Issuer != nil || len(chain) == 0); i = i.Issuer {
		chain = append(chain, i.Certificate)
	}
	return chain
}

// DER is Chain in bytes, as x5chain has it.
func (i *Identity) DER() [][]byte {
	var ders [][]byte
	for _, c := range i.Chain() {
		ders = append(ders, c.Raw)
	}
	return ders
}

// PEM is the certificates as a file of a trust list.
func PEM(identities ...*Identity) []byte {
	var file []byte
	for _, i := range identities {
		file = append(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Certificate.Raw})...)
	}
	return file
}

func authority(name string) Template {
	t := endEntity(name)
	t.NotBefore, t.NotAfter = t.NotBefore.AddDate(-9, 0, 0), t.NotAfter.AddDate(9, 0, 0)
	t.IsCA = true
	t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	return t
}

func endEntity(name string) Template {
	now := time.Now().UTC().Truncate(time.Second)
	return Template{Certificate: x509.Certificate{
		Subject:   pkix.Name{Organization: []string{name}, CommonName: name + " certificate"},
		NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true,
	}}
}

func issue(tb testing.TB, issuer *Identity, t Template, options []Option) *Identity {
	tb.Helper()
	for _, change := range options {
		change(&t)
	}
	if t.SerialNumber == nil {
		serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
		if err != nil {
			tb.Fatal(err)
		}
		t.SerialNumber = serial
	}
	made := &Identity{Key: t.Ready, Issuer: issuer, pssSigns: t.Kind == PSS}
	if made.Key == nil {
		made.Key = Key(tb, t.Kind)
	}
	if t.SubjectKeyId == nil {
		t.SubjectKeyId = keyID(tb, made.Key)
	}
	parent, signer := &t.Certificate, made
	if issuer != nil {
		parent, signer = issuer.Certificate.Certificate, issuer
	}
	if signer.pssSigns && t.SignatureAlgorithm == 0 {
		t.SignatureAlgorithm = x509.SHA256WithRSAPSS
	}
	der, err := x509.CreateCertificate(rand.Reader, &t.Certificate, parent, made.Key.Public(), signer.Key)
	if err != nil {
		tb.Fatal(err)
	}
	if t.Kind == PSS || t.UniqueID {
		der = rewrite(tb, der, t, signer)
	}
	if made.Certificate, err = certs.Parse(der); err != nil {
		tb.Fatal(err)
	}
	return made
}
