package certs

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"slices"
	"time"
)

// Trust is what the lists say of a signer.
type Trust struct {
	Trusted bool `json:"trusted"`
	// List is the list that says so: c2pa, itl (the frozen interim list) or local, empty for unknown signers.
	List string `json:"list,omitempty"`
	// Anchor is the organisation of the anchor.
	Anchor string `json:"anchor,omitempty"`
}

// maxSteps bounds the search for a path: how often a certificate is tried as the issuer of another. A chain as vendors
// send it takes fewer than five; one with many certificates of one name could otherwise take for ever.
const maxSteps = 32

// Judge builds a chain from the signer's certificate (chain[0], with what was sent along) to an anchor, valid at the
// given time. Names, usages, path lengths and constraints count; expiry of what is valid at that time does not.
func (l *Lists) Judge(chain []Certificate, at time.Time, p Purpose) Trust {
	_, trust := l.Path(chain, at, p)
	return trust
}

// Path is Judge, and the path that it found: from the signer's certificate to the anchor, which may be the signer's
// itself; nil for signers that are not trusted.
//
// Any certificate of a list ends a path, so anchors may be intermediate authorities. As the specification has it (2.2,
// section 14.5.1.2), the signer must fit the profile, signers under the C2PA list need its own extended key usage
// (section 14.4.1), and extended key usages of authorities do not count. Authorities must be such at the time, anchors
// too, and may sign with SHA-256 and better alone. An unknown critical extension ends the search.
func (l *Lists) Path(chain []Certificate, at time.Time, p Purpose) ([]Certificate, Trust) {
	if l == nil || len(chain) == 0 || l.CheckProfile(chain[0], p) != nil || !chain[0].validAt(at) {
		return nil, Trust{}
	}
	signer := chain[0]
	s := search{lists: l, chain: chain[:min(len(chain), MaxChain)], at: at, purpose: p, steps: maxSteps}
	for _, list := range []string{ListC2PA, ListLocal, ListInterim} {
		if list == ListC2PA && p == Claims && !signer.hasUsage(usageClaims) {
			continue
		}
		s.list = list
		if path := s.from(0, []Certificate{signer}); path != nil {
			return path, Trust{Trusted: true, List: list, Anchor: path[len(path)-1].Organization()}
		}
	}
	if p == Claims && l.allows(signer) {
		return []Certificate{signer}, Trust{Trusted: true, List: ListInterim, Anchor: signer.Organization()}
	}
	return nil, Trust{}
}

// search is the search for one path.
type search struct {
	lists   *Lists
	list    string
	chain   []Certificate
	at      time.Time
	purpose Purpose
	steps   int
	tried   [MaxChain]bool
}

// from goes on from chain[i], which ends the path so far, and answers the whole path or nil.
func (s *search) from(i int, path []Certificate) []Certificate {
	child := s.chain[i]
	for _, a := range s.lists.anchors[string(child.RawSubject)] {
		if i == 0 && s.serves(a) && a.Equal(child.Certificate) {
			return path
		}
	}
	for _, a := range s.lists.anchors[string(child.RawIssuer)] {
		if s.serves(a) && s.issued(a.Certificate, path) {
			if whole := append(slices.Clip(path), a.Certificate); constraintsHold(whole, s.at) {
				return whole
			}
		}
	}
	s.tried[i] = true
	defer func() { s.tried[i] = false }()
	for j, c := range s.chain {
		if !s.tried[j] && c.Certificate != nil && s.issued(c, path) {
			if whole := s.from(j, append(slices.Clip(path), c)); whole != nil {
				return whole
			}
		}
	}
	return nil
}

func (s *search) serves(a anchor) bool {
	return a.list == s.list && (s.purpose == Claims && a.claims || s.purpose == TimeStamps && a.stamps)
}

// issued says whether the authority may have issued the certificate that ends the path, and did.
func (s *search) issued(authority Certificate, path []Certificate) bool {
	child := path[len(path)-1]
	if !bytes.Equal(authority.RawSubject, child.RawIssuer) || s.steps == 0 {
		return false
	}
	s.steps--
	return authority.mayIssue(path[1:]) && authority.validAt(s.at) && child.signedBy(authority) == nil
}

// mayIssue says whether the certificate is that of an authority which may stand above the authorities below it (RFC
// 5280, section 6.1.4). A key usage that is missing forbids nothing.
func (c Certificate) mayIssue(below []Certificate) bool {
	if !c.BasicConstraintsValid || !c.IsCA || c.KeyUsage != 0 && c.KeyUsage&x509.KeyUsageCertSign == 0 ||
		len(c.UnhandledCriticalExtensions) != 0 {
		return false
	}
	if c.MaxPathLen < 0 || c.MaxPathLen == 0 && !c.MaxPathLenZero {
		return true
	}
	counted := 0
	for _, b := range below {
		if !b.selfIssued() {
			counted++
		}
	}
	return counted <= c.MaxPathLen
}

// constraintsHold has x509 check the path where an authority in it constrains names or wants policies, which few do.
func constraintsHold(path []Certificate, at time.Time) bool {
	if !slices.ContainsFunc(path, Certificate.constrains) {
		return true
	}
	last := len(path) - 1
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(path[last].plain())
	for _, c := range path[1:last] {
		between.AddCert(c.plain())
	}
	_, err := path[0].plain().Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	return err == nil
}

func (c Certificate) constrains() bool {
	names := len(c.PermittedDNSDomains) + len(c.ExcludedDNSDomains) + len(c.PermittedIPRanges) + len(c.ExcludedIPRanges) +
		len(c.PermittedEmailAddresses) + len(c.ExcludedEmailAddresses) + len(c.PermittedURIDomains) + len(c.ExcludedURIDomains)
	return names > 0 || c.RequireExplicitPolicy > 0 || c.RequireExplicitPolicyZero
}

// plain is the certificate as x509 can verify with it, also when its key is one for RSASSA-PSS.
func (c Certificate) plain() *x509.Certificate {
	if key, ok := c.Key.(*rsa.PublicKey); ok && c.PublicKey == nil {
		copied := *c.Certificate
		copied.PublicKey, copied.PublicKeyAlgorithm = key, x509.RSA
		return &copied
	}
	return c.Certificate
}
