package c2pa_test

import (
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/cose"
	"veracity/engine/c2pa/jumbf"
	"veracity/engine/c2pa/status"
	"veracity/engine/c2pa/timestamp"
)

// expired gives the forge a signer whose certificate ended a year ago.
func (f *forge) expired() time.Time {
	end := f.now.AddDate(-1, 0, 0)
	f.signer = f.authority.Signer(f.tb, "Maker", certstest.Valid(end.AddDate(-1, 0, 0), end))
	return end
}

func TestAnExpiredCertificateIsNoTampering(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.expired()
	r := f.read(f.generated(2))
	require.Equal(t, "invalid", r.State)
	require.Equal(t, []status.Code{status.ClaimSignatureOutsideValidity, status.SigningCredentialUntrusted}, failures(r.Statuses))
	require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
	require.Equal(t, c2pa.Expired, r.Manifests[0].Signer.Validity)
	require.Nil(t, r.Manifests[0].Signer.SignedAt)
}

func TestATrustedTimeStampOutlivesTheCertificate(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	at := f.expired().AddDate(0, -1, 0).UTC().Truncate(time.Second)
	r := f.read(f.one(draft{stamp: f.authorityAt(at).Stamp}))
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.True(t, has(r.Statuses, status.TimeStampTrusted))
	require.True(t, has(r.Statuses, status.TimeStampValidated))
	require.Equal(t, at, *r.Manifests[0].Signer.SignedAt)
	require.Equal(t, "Time-stamp authority", r.Manifests[0].Signer.Authority)
	require.Equal(t, c2pa.Valid, r.Manifests[0].Signer.Validity)
}

func TestATimeStampOutsideTheCertificateIsTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	at := f.expired().AddDate(0, 1, 0)
	r := f.read(f.one(draft{stamp: f.authorityAt(at).Stamp}))
	require.Equal(t, "invalid", r.State)
	require.Contains(t, failures(r.Statuses), status.ClaimSignatureOutsideValidity)
	require.Equal(t, c2pa.Expired, r.Manifests[0].Signer.Validity)
	require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
}

func TestTimeStampsThatDoNotHoldAreIgnored(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	stranger := newForge(t)
	tests := map[string]struct {
		stamp cose.Stamper
		code  status.Code
	}{
		"of nobody known": {stranger.authorityAt(f.now).Stamp, status.TimeStampUntrusted},
		"of other bytes":  {func([]byte) ([]byte, error) { return f.authorityAt(f.now).Stamp([]byte("other")) }, status.TimeStampMismatch},
		"of no form":      {func([]byte) ([]byte, error) { return []byte("not a token"), nil }, status.TimeStampMalformed},
		"of another century": {
			func(message []byte) ([]byte, error) {
				request, err := timestamp.Request(message)
				if err != nil {
					return nil, err
				}
				return f.authorityAt(f.now.AddDate(9, 0, 0)).Answer(request)
			}, status.TimeStampOutsideValidity,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := f.in(t)
			r := f.read(f.one(draft{stamp: tt.stamp}))
			require.Equal(t, "trusted", r.State, r.Statuses)
			require.True(t, has(r.Statuses, tt.code), r.Statuses)
			require.False(t, has(r.Statuses, status.TimeStampTrusted))
			require.Nil(t, r.Manifests[0].Signer.SignedAt)
		})
	}
}

func TestATimeStampOfALaterManifestCounts(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	at := f.expired().AddDate(0, -1, 0).UTC().Truncate(time.Second)
	old := f.signer
	f.signer = f.authority.Signer(t, "Maker")
	source := f.manifest(draft{label: "urn:c2pa:below", signer: old, parts: []part{created(aiMedia), {label: "c2pa.hash.data", value: cbor.Members{}}}})
	box, err := jumbf.Parse(source)
	require.NoError(t, err)
	signed, ok := box.Find("c2pa.signature")
	require.True(t, ok)
	content, _ := signed.First("cbor")
	signature, err := cose.Parse(content)
	require.NoError(t, err)
	wrapped := signature.Stamped(2, nil)
	v, err := cbor.Decode(wrapped)
	require.NoError(t, err)
	bare, _ := v.Bytes()
	for name, message := range map[string][]byte{"as the specification has it": wrapped, "as c2pa-rs has it": bare} {
		token, err := f.authorityAt(at).Stamp(message)
		require.NoError(t, err)
		r := f.read(f.file(func(binding part) []byte {
			in := ingredient("c2pa.ingredient.v3", "parentOf", source)
			stamps := part{label: "c2pa.time-stamp", value: cbor.Members{{Key: "urn:c2pa:below", Value: token}}}
			return storeOf(source, f.manifest(draft{label: "urn:c2pa:over", parts: []part{in, actions(action("c2pa.opened", names(in))), stamps, binding}}))
		}))
		require.Equal(t, "trusted", r.State, r.Statuses)
		require.Equal(t, at, *r.Manifests[1].Signer.SignedAt, name)
		require.Equal(t, c2pa.Valid, r.Manifests[1].Signer.Validity)
	}
}

func TestACertificateForOtherPurposesIsUnfit(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.signer = f.authority.Signer(t, "Maker", certstest.Usages([]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}))
	r := f.read(f.generated(2))
	require.Equal(t, "invalid", r.State)
	require.Equal(t, []status.Code{status.SigningCredentialInvalid}, failures(r.Statuses))
	require.Equal(t, c2pa.Unfit, r.Manifests[0].Signer.Validity)
	require.False(t, r.Manifests[0].Signer.Trust.Trusted)
	require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
}

func TestTheAuthoritiesOfASignerMustBeValidToo(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	past := certstest.Valid(f.now.AddDate(-3, 0, 0), f.now.AddDate(-2, 0, 0))
	sub := f.authority.Sub(t, "Sub", past)
	r := f.read(f.one(draft{signer: sub.Signer(t, "Maker")}))
	require.Contains(t, failures(r.Statuses), status.ClaimSignatureOutsideValidity)

	chain := append(f.signer.DER(), sub.Certificate.Raw) // One that issued nothing here.
	r = f.read(f.one(draft{chain: chain}))
	require.Equal(t, "trusted", r.State, r.Statuses)
}
