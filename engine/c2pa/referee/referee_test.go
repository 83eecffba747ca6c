package referee_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/referee"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

const created = `{"claim_generator_info":[{"name":"referee"}],"title":"made","assertions":[{"label":"c2pa.actions","data":{"actions":[` +
	`{"action":"c2pa.created","digitalSourceType":"http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"}]}}]}`

// write puts a file into a folder of the test's own.
func write(tb testing.TB, name string, data []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, data, 0o600))
	return path
}

// order is what to sign, by a new signer below root.
func order(tb testing.TB, root *certstest.Identity, kind certstest.Kind, manifest string) referee.Order {
	tb.Helper()
	signer := root.Signer(tb, "Signer", certstest.Of(kind))
	key, err := x509.MarshalPKCS8PrivateKey(signer.Key)
	require.NoError(tb, err)
	return referee.Order{
		Manifest: manifest, Certificates: string(certstest.PEM(signer)),
		Key: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
	}
}

func TestWhatTheRefereeSignsItReads(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	anchors := string(certstest.PEM(root))
	for name, tt := range map[string]struct {
		file []byte
		kind certstest.Kind
	}{
		"a.png": {mediatest.PNG(t, 8, 8), certstest.P256},
		"b.jpg": {mediatest.JPEG(t, 8, 8), certstest.P384},
		"c.mp4": {clips.Make(t, clips.Spec{Format: probe.MP4, Frames: 4}), certstest.Ed25519},
		"d.png": {mediatest.PNG(t, 8, 8), certstest.RSA},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), name)
			referee.Sign(t, write(t, name, tt.file), out, order(t, root, tt.kind, created))
			report := referee.Read(t, out, anchors)
			require.Empty(t, report.Error)
			require.Equal(t, "Trusted", report.State)
			require.Empty(t, report.Failures())
			require.Contains(t, report.Succeeded(), "signingCredential.trusted")
			require.Contains(t, report.Manifests(t), report.Active)

			stranger := referee.Read(t, out, "")
			require.Equal(t, "Valid", stranger.State)
			require.Equal(t, []string{"signingCredential.untrusted"}, stranger.Failures())
		})
	}
}

func TestTheRefereesSeeWhatWasChanged(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	in, out := write(t, "in.png", mediatest.PNG(t, 8, 8)), filepath.Join(t.TempDir(), "out.png")
	referee.Sign(t, in, out, order(t, root, certstest.P256, created))
	file, err := os.ReadFile(out)
	require.NoError(t, err)
	require.True(t, referee.ReadTS(t, out).Valid)

	file[bytes.Index(file, []byte("IDAT"))+10] ^= 1
	changed := write(t, "changed.png", file)
	report := referee.Read(t, changed, string(certstest.PEM(root)))
	require.Equal(t, "Invalid", report.State)
	require.Equal(t, []string{"assertion.dataHash.mismatch"}, report.Failures())
	second := referee.ReadTS(t, changed)
	require.False(t, second.Valid)
	require.Equal(t, []string{"assertion.dataHash.mismatch"}, second.Failures())
}

func TestIngredientsAreTakenIn(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.png"), filepath.Join(dir, "second.png")
	referee.Sign(t, write(t, "in.png", mediatest.PNG(t, 8, 8)), first, order(t, root, certstest.P256, created))
	o := order(t, root, certstest.P256, `{"claim_generator_info":[{"name":"referee"}]}`)
	o.Ingredients = []referee.Ingredient{{Path: first, JSON: `{"relationship":"parentOf","title":"first"}`}}
	o.Intent = `"edit"`
	referee.Sign(t, write(t, "next.png", mediatest.PNG(t, 9, 9)), second, o)
	report := referee.Read(t, second, string(certstest.PEM(root)))
	require.Equal(t, "Trusted", report.State)
	require.Len(t, report.Manifests(t), 2)
}

func TestFilesWithoutStoreAreToldFromOthers(t *testing.T) {
	t.Parallel()
	path := write(t, "plain.png", mediatest.PNG(t, 8, 8))
	require.Contains(t, referee.Read(t, path, "").Error, "JumbfNotFound")
	require.Equal(t, "no manifest store", referee.ReadTS(t, path).Error)
}
