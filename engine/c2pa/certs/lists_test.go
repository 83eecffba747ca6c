package certs_test

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/certs/certstest"
)

func TestLoadCountsAndDatesWhatAFolderHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := certstest.Root(t, "A"), certstest.Root(t, "B")
	write := func(name string, data []byte, written time.Time) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		require.NoError(t, os.Chtimes(path, written, written))
	}
	old, recent := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 6, 2, 3, 4, 5, 0, time.UTC)
	broken := []byte("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n")
	write(certs.AnchorsFile, append(append(certstest.PEM(a, b, a), "Subject CN=words between\n"...), broken...), old)
	write(certs.StampAnchorsFile, certstest.PEM(a), old)
	write("ours.local.pem", certstest.PEM(b), recent)
	write(certs.UsagesFile, []byte("\n//comment\r\n1.3.6.1.5.5.7.3.4\r\n"), old)
	write("notes.txt", []byte("not a list"), recent.AddDate(1, 0, 0))

	lists, err := certs.Load(dir)
	require.NoError(t, err)
	require.True(t, lists.Updated.Equal(recent))
	require.Equal(t, 3, lists.Anchors, "two of the list, one local")
	require.Equal(t, 2, lists.StampAnchors, "one of the list, one local")
	files := map[string][2]int{}
	for _, f := range lists.Files {
		files[f.Name] = [2]int{f.Entries, f.Skipped}
	}
	require.Equal(t, map[string][2]int{
		certs.AnchorsFile: {3, 1}, certs.StampAnchorsFile: {1, 0}, "ours.local.pem": {1, 0}, certs.UsagesFile: {1, 0},
	}, files)
}

func TestLoadOfNoFolderTrustsNobody(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"unset": "", "not there": filepath.Join(t.TempDir(), "missing"), "empty": t.TempDir(),
	} {
		lists, err := certs.Load(dir)
		require.NoError(t, err, name)
		require.Zero(t, lists.Anchors+lists.StampAnchors+lists.Allowed, name)
		require.True(t, lists.Updated.IsZero(), name)
	}
}

func TestAListThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		data []byte
	}{
		"a page instead of anchors": {certs.AnchorsFile, []byte("<html>")},
		"a key instead of anchors":  {"x.local.pem", []byte("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n")},
		"a page instead of signers": {certs.AllowedFile, []byte("<html>")},
		"a word among usages":       {certs.UsagesFile, []byte("1.3.6.1.5.5.7.3.4\nemailProtection\n")},
		"a number among usages":     {certs.UsagesFile, []byte("1\n")},
		"too large":                 {certs.InterimFile, make([]byte, 8<<20+1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := certs.Read(fstest.MapFS{c.file: {Data: c.data}})
			require.ErrorContains(t, err, c.file)
		})
	}
	for _, file := range []string{certs.AnchorsFile, certs.AllowedFile, certs.UsagesFile} {
		_, err := certs.Read(fstest.MapFS{file: {Data: []byte("\n")}})
		require.NoError(t, err, "an empty file is a list of nobody")
	}
}

func TestWhatIsNoFileOfAFolderIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, certs.AnchorsFile), 0o600))
	_, err := certs.Load(dir)
	require.ErrorContains(t, err, certs.AnchorsFile)
}

func TestTooManyLocalFilesAreRefused(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{}
	data := certstest.PEM(certstest.Root(t, "Root"))
	for i := range 65 {
		folder[string(rune('A'+i))+certs.LocalSuffix] = &fstest.MapFile{Data: data}
	}
	_, err := certs.Read(folder)
	require.ErrorContains(t, err, certs.LocalSuffix)
}

func TestSignersAreAllowedByCertificateOrByHash(t *testing.T) {
	t.Parallel()
	root := certstest.Root(t, "Root")
	listed, hashed, inside := root.Signer(t, "Listed"), root.Signer(t, "Hashed"), root.Signer(t, "Inside")
	line := func(i *certstest.Identity) string {
		hash := sha256.Sum256(i.Certificate.Raw)
		return base64.StdEncoding.EncodeToString(hash[:]) + "\n"
	}
	file := "## signers\n" + line(hashed) + string(certstest.PEM(listed)) + "abcd\n" +
		"-----BEGIN X509 CRL-----\n" + line(inside) + "-----END X509 CRL-----\n"
	lists := read(t, map[string][]byte{certs.AllowedFile: []byte(file)})
	require.Equal(t, 2, lists.Allowed)
	for signer, want := range map[*certstest.Identity]bool{listed: true, hashed: true, inside: false} {
		require.Equal(t, want, lists.Judge(signer.Chain(), time.Now(), certs.Claims).Trusted)
	}
}
