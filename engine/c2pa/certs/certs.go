// Package certs reads X.509 certificates as C2PA uses them: their profile, their chains, the lists of whom to trust, and
// stapled OCSP answers. It has no clock and no network: all is judged as of a time that is given.
package certs

import (
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Errors of certificates.
var (
	// ErrInvalid wraps complaints about bytes that are no certificate, or one of a kind that nobody signs claims with.
	ErrInvalid = errors.New("invalid certificate")
	// ErrProfile wraps what the certificate profile of C2PA (specification 2.2, section 14.5) forbids.
	ErrProfile = errors.New("the certificate does not fit its purpose")
)

// Bounds of what is read.
const (
	// MaxCertificate is the length of a certificate in bytes. Real ones have one to three thousand.
	MaxCertificate = 64 << 10
	// MaxChain is how many certificates are looked at that were sent along with a signature.
	MaxChain = 16
)

// longestName bounds the names that are passed on, in runes.
const longestName = 200

// Certificate is a parsed certificate. Key is its public key also where x509 leaves it nil: RSASSA-PSS.
type Certificate struct {
	*x509.Certificate
	Key crypto.PublicKey
}

// Parse reads a DER certificate. Its errors wrap ErrInvalid.
func Parse(der []byte) (Certificate, error) {
	if len(der) > MaxCertificate {
		return Certificate{}, fmt.Errorf("%w: longer than %d bytes", ErrInvalid, MaxCertificate)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return Certificate{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	key := crypto.PublicKey(parsed.PublicKey)
	if key == nil {
		if key, err = pssKey(parsed.RawSubjectPublicKeyInfo); err != nil {
			return Certificate{}, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	return Certificate{Certificate: parsed, Key: key}, nil
}

// ParseChain reads the certificates that came with a signature, the signer's first. The signer's must be one; of the rest
// those that cannot be read, and those beyond MaxChain, are left out: a path is built without them or not at all.
func ParseChain(ders [][]byte) ([]Certificate, error) {
	if len(ders) == 0 {
		return nil, fmt.Errorf("%w: none was sent", ErrInvalid)
	}
	signer, err := Parse(ders[0])
	if err != nil {
		return nil, err
	}
	chain := []Certificate{signer}
	for _, der := range ders[1:min(len(ders), MaxChain)] {
		if c, err := Parse(der); err == nil {
			chain = append(chain, c)
		}
	}
	return chain, nil
}

// Organization is the organisation of the subject, else its common name; empty without either. It is at most 200 runes,
// and holds nothing that does not print.
func (c Certificate) Organization() string {
	if c.Certificate == nil {
		return ""
	}
	return organization(c.Subject.Organization, c.Subject.CommonName)
}

// IssuerOrganization is the same of the issuer.
func (c Certificate) IssuerOrganization() string {
	if c.Certificate == nil {
		return ""
	}
	return organization(c.Issuer.Organization, c.Issuer.CommonName)
}

// CommonName is the common name of the subject, in the same form.
func (c Certificate) CommonName() string {
	if c.Certificate == nil {
		return ""
	}
	return printable(c.Subject.CommonName)
}

func organization(organizations []string, common string) string {
	for _, o := range organizations {
		if name := printable(o); name != "" {
			return name
		}
	}
	return printable(common)
}

// printable keeps what can be shown: names are the word of whoever made the certificate.
func printable(name string) string {
	kept := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name))
	return strings.TrimSpace(string(kept[:min(len(kept), longestName)]))
}

// validAt says whether the time lies within the certificate's validity, both ends included (RFC 5280, section 4.1.2.5).
func (c Certificate) validAt(at time.Time) bool {
	return !at.Before(c.NotBefore) && !at.After(c.NotAfter)
}
