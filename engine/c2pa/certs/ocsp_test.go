package certs_test

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ocsp"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
)

// answer makes an OCSP response, by default a good one of the signer, made an hour ago and good for a day.
func answer(t *testing.T, responder, issuer, signer *certstest.Identity, change func(*ocsp.Response)) []byte {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Second)
	template := ocsp.Response{
		Status: ocsp.Good, SerialNumber: signer.Certificate.SerialNumber, IssuerHash: crypto.SHA256,
		ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(23 * time.Hour),
	}
	if responder != issuer {
		template.Certificate = responder.Certificate.Certificate
	}
	if change != nil {
		change(&template)
	}
	der, err := ocsp.CreateResponse(issuer.Certificate.Certificate, responder.Certificate.Certificate, template, responder.Key)
	require.NoError(t, err)
	return der
}

func TestStapledAnswersAsOfTheTimeOfSigning(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	issuer := certstest.Root(t, "Root").Sub(t, "Sub")
	signer := issuer.Signer(t, "Signer")
	revoked := func(at time.Time, reason int) func(*ocsp.Response) {
		return func(r *ocsp.Response) { r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, at, reason }
	}
	for name, c := range map[string]struct {
		change func(*ocsp.Response)
		at     time.Time
		want   certs.Revocation
	}{
		"good":                         {nil, now, certs.Good},
		"signed before the answer":     {nil, now.AddDate(0, -1, 0), certs.Good},
		"signed after its time":        {nil, now.AddDate(0, 0, 2), certs.NotStated},
		"no next update, within a day": {func(r *ocsp.Response) { r.NextUpdate = time.Time{} }, now, certs.Good},
		"no next update, after a day":  {func(r *ocsp.Response) { r.NextUpdate = time.Time{} }, now.AddDate(0, 0, 2), certs.NotStated},
		"SHA-1 names the issuer":       {func(r *ocsp.Response) { r.IssuerHash = crypto.SHA1 }, now, certs.Good},
		"revoked before":               {revoked(now.Add(-time.Minute), ocsp.KeyCompromise), now, certs.Revoked},
		"revoked before, no reason":    {revoked(now.Add(-time.Minute), ocsp.Unspecified), now, certs.Revoked},
		"revoked then":                 {revoked(now, ocsp.Superseded), now, certs.Revoked},
		"revoked before, old answer":   {revoked(now.Add(-time.Minute), ocsp.Superseded), now.AddDate(1, 0, 0), certs.Revoked},
		"revoked after":                {revoked(now.Add(time.Minute), ocsp.Superseded), now, certs.Good},
		"off hold again":               {revoked(now.Add(-time.Minute), ocsp.RemoveFromCRL), now, certs.Good},
		"unknown":                      {func(r *ocsp.Response) { r.Status = ocsp.Unknown }, now, certs.NotStated},
		"another certificate":          {func(r *ocsp.Response) { r.SerialNumber = big.NewInt(4711) }, now, certs.NotStated},
		"critical and unknown": {func(r *ocsp.Response) {
			r.ExtraExtensions = []pkix.Extension{{Id: configuredUsage, Critical: true, Value: []byte{5, 0}}}
		}, now, certs.NotStated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, responder := range []*certstest.Identity{issuer, issuer.Responder(t, "OCSP")} {
				der := answer(t, responder, issuer, signer, c.change)
				require.Equal(t, c.want, certs.Stapled([][]byte{der}, signer.Chain(), c.at))
				require.Equal(t, c.want, certs.Stapled([][]byte{{0x30}, nil, der}, signer.Chain(), c.at))
			}
		})
	}
}

func TestStapledListensToAuthorizedRespondersAlone(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	issuer, other := root.Sub(t, "Sub"), root.Sub(t, "Other")
	signer := issuer.Signer(t, "Signer")
	past := certstest.Valid(time.Now().AddDate(-2, 0, 0), time.Now().AddDate(-1, 0, 0))
	for name, responder := range map[string]*certstest.Identity{
		"another authority's":  other.Responder(t, "OCSP"),
		"not one for OCSP":     issuer.Signer(t, "OCSP"),
		"no longer one":        issuer.Responder(t, "OCSP", past),
		"an authority":         issuer.Responder(t, "Below", certstest.With(func(x *x509.Certificate) { x.IsCA = true })),
		"not for signing":      issuer.Responder(t, "OCSP", certstest.With(func(x *x509.Certificate) { x.KeyUsage = x509.KeyUsageKeyEncipherment })),
		"a stolen certificate": {Certificate: issuer.Responder(t, "OCSP").Certificate, Key: certstest.Key(t, certstest.P256)},
		"one that made itself": certstest.Root(t, "Sub"),
	} {
		der := answer(t, responder, issuer, signer, nil)
		require.Equal(t, certs.NotStated, certs.Stapled([][]byte{der}, signer.Chain(), time.Now()), name)
	}
	good := answer(t, issuer, issuer, signer, nil)
	require.Equal(t, certs.Good, certs.Stapled([][]byte{good}, signer.Chain(), time.Now()))
	require.Equal(t, certs.NotStated, certs.Stapled([][]byte{good}, signer.Chain()[:1], time.Now()), "the issuer is not there")
	require.Equal(t, certs.NotStated, certs.Stapled([][]byte{good}, nil, time.Now()))
	foreign := answer(t, other, other, signer, nil)
	require.Equal(t, certs.NotStated, certs.Stapled([][]byte{foreign}, signer.Chain(), time.Now()),
		"another authority's certificate of the same number")
}

func TestStapledAnswersNameTheIssuerByNameAndKey(t *testing.T) {
	t.Parallel()
	key := certstest.Key(t, certstest.P256)
	same := func(c *certstest.Template) { c.Ready = key }
	issuer := certstest.Root(t, "Root", same)
	signer := issuer.Signer(t, "Signer")
	chain := append(signer.Chain(), issuer.Certificate)
	responder := issuer.Responder(t, "OCSP")
	for name, c := range map[string]struct {
		named *certstest.Identity
		want  certs.Revocation
	}{
		"its own":      {issuer, certs.Good},
		"another key":  {certstest.Root(t, "Root"), certs.NotStated},
		"another name": {certstest.Root(t, "Other", same), certs.NotStated},
	} {
		der, err := ocsp.CreateResponse(c.named.Certificate.Certificate, responder.Certificate.Certificate, ocsp.Response{
			Status: ocsp.Good, SerialNumber: signer.Certificate.SerialNumber, Certificate: responder.Certificate.Certificate,
			ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(time.Hour),
		}, responder.Key)
		require.NoError(t, err)
		require.Equal(t, c.want, certs.Stapled([][]byte{der}, chain, time.Now()), name)
	}
}

func TestListsKnowTheIssuerThatWasNotSentAlong(t *testing.T) {
	t.Parallel()
	issuer := certstest.Root(t, "Root")
	signer := issuer.Signer(t, "Signer")
	good := [][]byte{answer(t, issuer, issuer, signer, nil)}
	lists := read(t, map[string][]byte{certs.AnchorsFile: certstest.PEM(certstest.Root(t, "Root"), issuer)})
	require.Equal(t, certs.Good, lists.Stapled(good, signer.Chain(), time.Now()))
	require.Equal(t, certs.Good, lists.Stapled(good, append(signer.Chain(), issuer.Certificate), time.Now()))
	require.Equal(t, certs.NotStated, (&certs.Lists{}).Stapled(good, signer.Chain(), time.Now()))
	require.Equal(t, certs.NotStated, (*certs.Lists)(nil).Stapled(good, signer.Chain(), time.Now()))
	require.Equal(t, certs.NotStated, lists.Stapled(nil, signer.Chain(), time.Now()))
	require.Equal(t, certs.NotStated, lists.Stapled(good, nil, time.Now()))
}

func TestStapledIsNotMisledByAnIssuerOfTheSameName(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	issuer := root.Sub(t, "Sub")
	signer, fake := issuer.Signer(t, "Signer"), certstest.Root(t, "Sub")
	chain := []certs.Certificate{signer.Certificate, fake.Certificate, issuer.Certificate}
	forged := answer(t, fake, fake, signer, nil)
	revoked := answer(t, issuer, issuer, signer, func(r *ocsp.Response) {
		r.Status, r.RevokedAt = ocsp.Revoked, time.Now().AddDate(0, 0, -1)
	})
	require.Equal(t, certs.NotStated, certs.Stapled([][]byte{forged}, chain, time.Now()))
	require.Equal(t, certs.Revoked, certs.Stapled([][]byte{forged, revoked}, chain, time.Now()))
}

func TestStapledTakesTheNewestAnswer(t *testing.T) {
	t.Parallel()
	issuer := certstest.Root(t, "Root")
	signer := issuer.Signer(t, "Signer")
	chain := append(signer.Chain(), issuer.Certificate)
	hold := answer(t, issuer, issuer, signer, func(r *ocsp.Response) {
		r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, time.Now().Add(-3*time.Hour), ocsp.CertificateHold
		r.ThisUpdate = r.ThisUpdate.Add(-time.Hour)
	})
	good := answer(t, issuer, issuer, signer, nil)
	same := answer(t, issuer, issuer, signer, func(r *ocsp.Response) {
		r.Status, r.RevokedAt = ocsp.Revoked, time.Now().Add(-3*time.Hour)
	})
	for name, c := range map[string]struct {
		responses [][]byte
		want      certs.Revocation
	}{
		"hold lifted":          {[][]byte{hold, good}, certs.Good},
		"whatever their order": {[][]byte{good, hold}, certs.Good},
		"revoked of a moment":  {[][]byte{good, same}, certs.Revoked},
		"or the other way":     {[][]byte{same, good}, certs.Revoked},
	} {
		require.Equal(t, c.want, certs.Stapled(c.responses, chain, time.Now()), name)
	}
}

func TestStapledReadsResponsesThatTheLibraryReads(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]certstest.Kind{"P-384": certstest.P384, "RSA": certstest.RSA} {
		issuer := certstest.Root(t, "Root", certstest.Of(kind))
		signer := issuer.Signer(t, "Signer")
		chain := append(signer.Chain(), issuer.Certificate)
		der := answer(t, issuer.Responder(t, "OCSP", certstest.Of(kind)), issuer, signer, nil)
		_, err := ocsp.ParseResponseForCert(der, signer.Certificate.Certificate, issuer.Certificate.Certificate)
		require.NoError(t, err, name)
		require.Equal(t, certs.Good, certs.Stapled([][]byte{der}, chain, time.Now()), name)
		for _, at := range []int{len(der) / 4, len(der) / 2, len(der) - 20} {
			broken := append([]byte(nil), der...)
			broken[at] ^= 1
			require.NotEqual(t, certs.Revoked, certs.Stapled([][]byte{broken}, chain, time.Now()), name)
		}
		tampered := append([]byte(nil), der...)
		tampered[len(tampered)-1] ^= 1
		_, err = rand.Read(tampered[len(tampered)/3 : len(tampered)/3+8])
		require.NoError(t, err)
		require.Equal(t, certs.NotStated, certs.Stapled([][]byte{tampered}, chain, time.Now()), name)
	}
}
