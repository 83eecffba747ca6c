package c2pa_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa"
	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/cbor"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/status"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// generated is a file that a generator made and signed.
func (f *forge) generated(version int) []byte {
	f.tb.Helper()
	return f.file(func(binding part) []byte {
		return storeOf(f.manifest(draft{label: "urn:c2pa:one", version: version, parts: []part{created(aiMedia), binding}}))
	})
}

func TestAFileThatATrustedGeneratorSignedIsTrusted(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	r := f.read(f.generated(2))
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.True(t, r.Present)
	require.Equal(t, "png:caBX", r.Where)
	require.Equal(t, "urn:c2pa:one", r.Active)
	require.Empty(t, failures(r.Statuses))
	for _, code := range []status.Code{
		status.ClaimSignatureValidated, status.ClaimSignatureInsideValidity, status.SigningCredentialTrusted,
		status.HashedURIMatch, status.DataHashMatch, status.OCSPSkipped,
	} {
		require.True(t, has(r.Statuses, code), code)
	}
	require.Len(t, r.Manifests, 1)
	m := r.Manifests[0]
	require.Equal(t, c2pa.Intact, m.Integrity)
	require.Equal(t, 2, m.Version)
	require.Equal(t, "Forge 1.0", m.Generator)
	require.Equal(t, "picture.png", m.Title)
	require.Equal(t, "xmp:iid:1", m.InstanceID)
	require.Equal(t, "c2pa.hash.data", m.Binding)
	require.Equal(t, []c2pa.Action{{Name: "c2pa.created", SourceType: aiMedia}}, m.Actions)
	require.Equal(t, []c2pa.Assertion{{Label: "c2pa.actions.v2", Intact: true}, {Label: "c2pa.hash.data", Intact: true}}, m.Assertions)
	require.Equal(t, "Maker", m.Signer.Organization)
	require.Equal(t, "Maker certificate", m.Signer.CommonName)
	require.Equal(t, "Root", m.Signer.Issuer)
	require.Equal(t, "ES256", m.Signer.Algorithm)
	require.Equal(t, c2pa.Valid, m.Signer.Validity)
	require.Equal(t, certs.Trust{Trusted: true, List: "c2pa", Anchor: "Root"}, m.Signer.Trust)
	require.Nil(t, m.Signer.SignedAt)
}

func TestClaimsOfVersion1AreRead(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	r := f.read(f.generated(1))
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Equal(t, 1, r.Manifests[0].Version)
	require.Equal(t, "Forge/1.0", r.Manifests[0].Generator)
	require.Equal(t, "image/png", r.Manifests[0].Format)
}

func TestASignerThatNobodyKnowsIsNoForgery(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.generated(2)
	f.lists = nil
	r := f.read(png)
	require.Equal(t, "valid", r.State)
	require.Equal(t, []status.Code{status.SigningCredentialUntrusted}, failures(r.Statuses))
	require.Equal(t, c2pa.Intact, r.Manifests[0].Integrity)
	require.False(t, r.Manifests[0].Signer.Trust.Trusted)
}

func TestEveryAlgorithmIsVerified(t *testing.T) {
	t.Parallel()
	for kind, want := range map[certstest.Kind]string{
		certstest.P256: "ES256", certstest.P384: "ES384", certstest.P521: "ES512", certstest.Ed25519: "EdDSA", certstest.RSA: "PS256",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			f := newForge(t)
			f.signer = f.authority.Signer(t, "Maker", certstest.Of(kind))
			r := f.read(f.generated(2))
			require.Equal(t, "trusted", r.State, r.Statuses)
			require.Equal(t, want, r.Manifests[0].Signer.Algorithm)
		})
	}
}

func TestAFileWithoutAStoreSaysNothing(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	require.Equal(t, c2pa.Report{}, f.read(mediatest.PNG(t, 8, 8)))
	r, err := c2pa.Read(t.Context(), carrier.File{R: bytes.NewReader(nil), Format: probe.Unknown}, c2pa.Options{})
	require.NoError(t, err)
	require.Equal(t, c2pa.Report{}, r)
}

func TestSeveralStoresCountAsNone(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.generated(2)
	r := f.read(withStore(png, storeIn(png)))
	require.True(t, r.Present)
	require.Equal(t, "invalid", r.State)
	require.Empty(t, r.Active)
	require.Empty(t, r.Manifests)
	require.Equal(t, []status.Code{status.GeneralError}, failures(r.Statuses))
}

// broken fails every read behind the first bytes.
type broken struct {
	*bytes.Reader
	from int64
}

var errBroken = errors.New("the disk is gone")

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > b.from {
		return 0, errBroken
	}
	return b.Reader.ReadAt(p, at)
}

func TestErrorsOfReadingAreTold(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.generated(2)
	for _, from := range []int64{0, 100, int64(len(png) - 20)} {
		file := fileOf(png)
		file.R = broken{bytes.NewReader(png), from}
		_, err := c2pa.Read(t.Context(), file, c2pa.Options{Lists: f.lists, Now: f.now})
		require.ErrorIs(t, err, errBroken)
	}
}

func TestReadingStopsWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c2pa.Read(ctx, fileOf(f.generated(2)), c2pa.Options{Lists: f.lists, Now: f.now})
	require.ErrorIs(t, err, context.Canceled)
}

func TestStatementsBesideActionsAreReported(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	png := f.file(func(binding part) []byte {
		return storeOf(f.manifest(draft{label: "urn:c2pa:one", parts: []part{
			actions(action("c2pa.created"), action("c2pa.watermarked.bound")),
			{label: "c2pa.metadata", json: `{"@context":{},"Iptc4xmpExt:DigitalSourceType":"` + aiMedia + `"}`, gathered: true},
			{label: "stds.iptc", json: `{"Iptc4xmpExt:DigitalSourceType":"` + aiMedia + `"}`},
			{label: "c2pa.soft-binding", value: cbor.Members{{Key: "alg", Value: "com.adobe.trustmark.P"}}},
			{label: "com.example.opaque", json: `{"DigitalSourceType":"` + aiMedia + `"}`},
			binding,
		}}))
	})
	r := f.read(png)
	require.Equal(t, "trusted", r.State, r.Statuses)
	require.Equal(t, []c2pa.Assertion{
		{Label: "c2pa.actions.v2", Intact: true, Watermark: "c2pa.watermarked.bound"},
		{Label: "stds.iptc", Intact: true, SourceType: aiMedia},
		{Label: "c2pa.soft-binding", Intact: true, Watermark: "com.adobe.trustmark.P"},
		{Label: "com.example.opaque", Intact: true},
		{Label: "c2pa.hash.data", Intact: true},
		{Label: "c2pa.metadata", Intact: true, SourceType: aiMedia},
	}, r.Manifests[0].Assertions)
}
