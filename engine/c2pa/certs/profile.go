package certs

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"fmt"

	"golang.org/x/crypto/cryptobyte"
	tags "golang.org/x/crypto/cryptobyte/asn1"
)

// Purpose is what a certificate is used for.
type Purpose int

// Purposes.
const (
	Claims Purpose = iota
	TimeStamps
)

// Extended key usages (specification 2.2, sections 14.4.1 and 14.5.1.1).
const (
	usageEmail       = "1.3.6.1.5.5.7.3.4"
	usageDocument    = "1.3.6.1.5.5.7.3.36"
	usageClaims      = "1.3.6.1.4.1.62558.2.1"
	usageTimeStamps  = "1.3.6.1.5.5.7.3.8"
	usageOCSP        = "1.3.6.1.5.5.7.3.9"
	usageAnyExtended = "2.5.29.37.0"
)

var oidExtKeyUsage = asn1.ObjectIdentifier{2, 5, 29, 37}

// CheckProfile checks the certificate of a signer. Its error wraps ErrProfile. Expiry is not part of it. For claims it
// accepts the extended key usages of the specification alone; Lists.CheckProfile knows those that are configured.
func CheckProfile(c Certificate, p Purpose) error {
	return (*Lists)(nil).CheckProfile(c, p)
}

// CheckProfile is CheckProfile with the extended key usages of store.cfg. Certificates that are allowed by name need
// only be strong enough: the profile's other rules are not for them (specification 2.2, section 14.5.1.1).
func (l *Lists) CheckProfile(c Certificate, p Purpose) error {
	if c.Certificate == nil {
		return fmt.Errorf("%w: there is none", ErrProfile)
	}
	if _, err := c.signature(); err != nil {
		return fmt.Errorf("%w: %w", ErrProfile, err)
	}
	if err := CheckKey(c.Key); err != nil {
		return fmt.Errorf("%w: %w", ErrProfile, err)
	}
	if p == Claims && l.allows(c) {
		return nil
	}
	if complaint := formComplaint(c, p); complaint != "" {
		return fmt.Errorf("%w: %s", ErrProfile, complaint)
	}
	if complaint := l.usageComplaint(c, p); complaint != "" {
		return fmt.Errorf("%w: %s", ErrProfile, complaint)
	}
	return nil
}

// formComplaint says what is wrong with the form of an end entity's certificate, or nothing. A certificate that signed
// itself is no breach, it is only never trusted unless a list has it.
func formComplaint(c Certificate, p Purpose) string {
	signing := c.KeyUsage & x509.KeyUsageDigitalSignature
	if p == TimeStamps {
		signing = c.KeyUsage & (x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment)
	}
	switch {
	case c.Version != 3:
		return fmt.Sprintf("version %d", c.Version)
	case hasUniqueID(c.RawTBSCertificate):
		return "unique identifiers"
	case c.IsCA:
		return "it is that of an authority"
	case c.KeyUsage&x509.KeyUsageCertSign != 0:
		return "its key may sign certificates"
	case signing == 0:
		return "its key is not for signing"
	case len(c.AuthorityKeyId) == 0 && !c.selfIssued():
		return "no authority key identifier"
	case len(c.UnhandledCriticalExtensions) != 0:
		return "unknown critical extension " + c.UnhandledCriticalExtensions[0].String()
	}
	return ""
}

// usageComplaint says what is wrong with the extended key usages, or nothing. Time-stamping and OCSP signing stand alone.
func (l *Lists) usageComplaint(c Certificate, p Purpose) string {
	usages := c.usages()
	stamps, ocsp, fits := false, false, false
	for _, u := range usages {
		switch {
		case u == usageAnyExtended:
			return "any extended key usage"
		case u == usageTimeStamps:
			stamps = true
		case u == usageOCSP:
			ocsp = true
		case l.acceptsUsage(u):
			fits = true
		}
	}
	if (stamps || ocsp) && len(usages) != 1 {
		return "time-stamping or OCSP signing beside other usages"
	}
	if p == TimeStamps {
		fits = stamps
	}
	if !fits {
		return "no extended key usage for this purpose"
	}
	return ""
}

// acceptsUsage says whether claims may be signed with the usage, which is none of those that stand alone.
func (l *Lists) acceptsUsage(usage string) bool {
	switch usage {
	case usageEmail, usageDocument, usageClaims:
		return true
	}
	if l == nil {
		return false
	}
	_, ok := l.configured[usage]
	return ok
}

// usages are the extended key usages in dotted form, nil without the extension.
func (c Certificate) usages() []string {
	for _, e := range c.Extensions {
		if !e.Id.Equal(oidExtKeyUsage) {
			continue
		}
		var oids []asn1.ObjectIdentifier
		if rest, err := asn1.Unmarshal(e.Value, &oids); err != nil || len(rest) != 0 {
			return nil
		}
		usages := make([]string, len(oids))
		for i, oid := range oids {
			usages[i] = oid.String()
		}
		return usages
	}
	return nil
}

func (c Certificate) hasUsage(usage string) bool {
	for _, u := range c.usages() {
		if u == usage {
			return true
		}
	}
	return false
}

func (c Certificate) selfIssued() bool { return bytes.Equal(c.RawSubject, c.RawIssuer) }

// hasUniqueID finds issuerUniqueID and subjectUniqueID (RFC 5280, section 4.1.2.8), which x509 skips.
func hasUniqueID(tbs []byte) bool {
	outer := cryptobyte.String(tbs)
	var fields cryptobyte.String
	if !outer.ReadASN1(&fields, tags.SEQUENCE) {
		return false
	}
	for !fields.Empty() {
		var element cryptobyte.String
		var tag tags.Tag
		if !fields.ReadAnyASN1(&element, &tag) {
			return false
		}
		if tag == tags.Tag(1).ContextSpecific() || tag == tags.Tag(2).ContextSpecific() {
			return true
		}
	}
	return false
}
