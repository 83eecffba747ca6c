// Package c2patest makes files with Content Credentials for tests: authorities, signers, and manifests that say anything,
// rightly or wrongly. Nothing in it is for the product.
package c2patest

import (
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/cose"
)

// Authority is a root that issues certificates for signing claims.
type Authority struct {
	// Root is its certificate, PEM the same as a file of trust anchors.
	Root *certstest.Identity
	PEM  string
}

// NewAuthority makes a root of the organisation "Test authority".
func NewAuthority(tb testing.TB) *Authority {
	tb.Helper()
	root := certstest.Root(tb, "Test authority")
	return &Authority{Root: root, PEM: string(certstest.PEM(root))}
}

// Signer signs claims.
type Signer struct {
	cose.Signer
	// Certificates is the chain in PEM, the root left out; PKCS8 is the key in PEM. They are for other people's programs.
	Certificates, PKCS8 string
}

// Leaf makes a signer of an organisation: ES256 and fit for claims, unless options say otherwise, such as
// certstest.Of(certstest.RSA), which signs PS256.
func (a *Authority) Leaf(tb testing.TB, organization string, options ...certstest.Option) Signer {
	tb.Helper()
	id := a.Root.Signer(tb, organization, options...)
	key, err := x509.MarshalPKCS8PrivateKey(id.Key)
	if err != nil {
		tb.Fatal(err)
	}
	return Signer{
		Signer:       cose.Signer{Key: id.Key, Chain: id.DER()},
		Certificates: string(certstest.PEM(id)),
		PKCS8:        string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
	}
}

// Expired ended a month ago.
func Expired() certstest.Option {
	now := time.Now()
	return certstest.Valid(now.AddDate(-1, 0, 0), now.AddDate(0, -1, 0))
}

// ForServers may not sign claims: it is for TLS servers.
func ForServers() certstest.Option {
	return certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth})
}
