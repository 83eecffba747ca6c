package inspect

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/c2pa/c2patest"
	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/identity"
	"veracity/engine/c2pa/splice"
	"veracity/engine/provenance"
	"veracity/engine/serve"
	"veracity/engine/trust"
)

// trusting is the shared inspector with trust lists of its own.
func trusting(t *testing.T, anchors ...[]byte) *inspector {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test"+certs.LocalSuffix), bytes.Join(anchors, nil), 0o600))
	folder, err := trust.Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	own := *shared.(*inspector)
	own.provenance = provenance.Reader{Lists: folder.Lists}
	own.imageLanes = imageLanes(own.provenance, nil)
	return &own
}

func TestATrustedCaptureIsReal(t *testing.T) {
	t.Parallel()
	authority := c2patest.NewAuthority(t)
	camera := authority.Leaf(t, "Camera Works")
	shot := c2patest.PNG(t, camera, c2patest.Manifest{Actions: []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Captured}}})
	report, err := trusting(t, []byte(authority.PEM)).Inspect(t.Context(), shot.File)
	require.NoError(t, err)
	require.Equal(t, engine.Real, report.Verdict)
	require.Equal(t, engine.ByProvenance, report.DecidedBy)
	require.Equal(t, "Camera Works", *report.Lanes.Provenance.Issuer)

	report, err = shared.Inspect(t.Context(), shot.File)
	require.NoError(t, err)
	require.Equal(t, engine.None, report.Lanes.Provenance.Verdict, "the same claim by a signer whom nobody knows proves nothing")
}

func TestATrustedCaptureStaysRealWhenItIsOptimizedAndSigned(t *testing.T) {
	t.Parallel()
	authority := c2patest.NewAuthority(t)
	shot := c2patest.PNG(t, authority.Leaf(t, "Camera Works"), c2patest.Manifest{Actions: []c2patest.Action{{Name: "c2pa.created", SourceType: c2patest.Captured}}})
	cfg, root, err := identity.Development(t.TempDir(), time.Now())
	require.NoError(t, err)
	signer, err := identity.Open(cfg, time.Now(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	i := trusting(t, []byte(authority.PEM), root)

	out := rendered(t, i, shot.File, signer)
	report, err := i.Inspect(t.Context(), out)
	require.NoError(t, err)
	require.Equal(t, engine.Real, report.Verdict, "%+v", report.Detail.Provenance)
	require.Equal(t, "Camera Works", *report.Lanes.Provenance.Issuer)

	stranger := trusting(t, []byte(authority.PEM))
	report, err = stranger.Inspect(t.Context(), rendered(t, stranger, shot.File, signer))
	require.NoError(t, err)
	require.Equal(t, engine.None, report.Lanes.Provenance.Verdict, "whoever does not know the optimizer has no reason to believe it")
}

// rendered optimizes an image and has the output signed.
func rendered(t *testing.T, i *inspector, source []byte, signer engine.Signer) []byte {
	t.Helper()
	dir := t.TempDir()
	job := serve.Job{
		Media: engine.Image, Path: filepath.Join(dir, "source"), Dir: dir, Out: filepath.Join(dir, "out.png"), SignatureRoom: signer.Room(),
		Progress: func(float64) {},
	}
	require.NoError(t, os.WriteFile(job.Path, source, 0o600))
	made, err := i.Render(t.Context(), job)
	require.NoError(t, err)
	signature, err := signer.Sign(context.WithoutCancel(t.Context()), made.Unsigned.Claim)
	require.NoError(t, err)
	file, err := os.Open(job.Out)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	body, err := splice.Into(file, *made.Unsigned, signature)
	require.NoError(t, err)
	out, err := io.ReadAll(body)
	require.NoError(t, err)
	require.Len(t, out, int(made.Bytes))
	return out
}
