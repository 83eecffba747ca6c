package trust_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
	"veracity/engine/trust"
)

// anchor is the PEM of a root certificate.
func anchor(tb testing.TB, name string) []byte {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{Organization: []string{name}}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(tb, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// mirror serves one list, and whatever replaces it.
func mirror(t *testing.T, first []byte) (address string, set func(status int, body []byte)) {
	t.Helper()
	type answer struct {
		status int
		body   []byte
	}
	var now atomic.Value
	now.Store(answer{http.StatusOK, first})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := now.Load().(answer)
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body)
	}))
	t.Cleanup(server.Close)
	return server.URL, func(status int, body []byte) { now.Store(answer{status, body}) }
}

func TestUpdatePutsListsInPlaceAndKeepsThemThroughFailures(t *testing.T) {
	t.Parallel()
	list := anchor(t, "First")
	address, set := mirror(t, list)
	dir := filepath.Join(t.TempDir(), "trust")
	sources := trust.Sources{certs.AnchorsFile: address}
	require.NoError(t, sources.Validate())

	done, err := trust.Update(t.Context(), dir, sources)
	require.NoError(t, err)
	require.Equal(t, []string{certs.AnchorsFile}, done.Changed)
	require.Equal(t, 1, done.Anchors)

	old := time.Now().Add(-48 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, certs.AnchorsFile), old, old))
	age, ok := trust.Age(dir, time.Now())
	require.True(t, ok)
	require.InDelta(t, (48 * time.Hour).Seconds(), age.Seconds(), 60)

	done, err = trust.Update(t.Context(), dir, sources)
	require.NoError(t, err)
	require.Equal(t, []string{certs.AnchorsFile}, done.Same)
	age, _ = trust.Age(dir, time.Now())
	require.Less(t, age, time.Minute, "a list that was looked up and is the same is fresh")

	for name, bad := range map[string]struct {
		status int
		body   []byte
	}{
		"an error":       {http.StatusBadGateway, list},
		"nothing":        {http.StatusOK, nil},
		"a page":         {http.StatusOK, []byte("<html>sign in to the network</html>")},
		"broken PEM":     {http.StatusOK, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")},
		"without an end": {http.StatusOK, make([]byte, 5<<20)},
	} {
		set(bad.status, bad.body)
		_, err := trust.Update(t.Context(), dir, sources)
		require.ErrorContains(t, err, certs.AnchorsFile, name)
		kept, err := os.ReadFile(filepath.Join(dir, certs.AnchorsFile))
		require.NoError(t, err)
		require.Equal(t, list, kept, name)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no half-written file stays")
}

func TestOneSourceThatFailsHindersNoOther(t *testing.T) {
	t.Parallel()
	good, _ := mirror(t, anchor(t, "Good"))
	bad, set := mirror(t, nil)
	set(http.StatusNotFound, nil)
	done, err := trust.Update(t.Context(), t.TempDir(), trust.Sources{certs.AnchorsFile: bad, certs.StampAnchorsFile: good})
	require.ErrorContains(t, err, "status 404")
	require.Equal(t, []string{certs.StampAnchorsFile}, done.Changed)
	require.Equal(t, 1, done.StampAnchors)
}

func TestSourcesMustBeKnownAndSafeOnTheirWay(t *testing.T) {
	t.Parallel()
	require.NoError(t, trust.OfficialSources().Validate())
	for name, sources := range map[string]trust.Sources{
		"an unknown list": {"mine.pem": "https://example.com/mine.pem"},
		"plain HTTP":      {certs.AnchorsFile: "http://example.com/list.pem"},
		"no address":      {certs.AnchorsFile: "list.pem"},
	} {
		require.ErrorContains(t, sources.Validate(), "VERACITY_TRUST_SOURCES", name)
	}
}

func TestAFolderIsReadAnewWhenItChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := trust.Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Zero(t, folder.Lists().Anchors)
	path := filepath.Join(dir, certs.AnchorsFile)
	require.NoError(t, os.WriteFile(path, anchor(t, "First"), 0o600))
	folder.LookNow()
	require.Equal(t, 1, folder.Lists().Anchors)

	require.NoError(t, os.WriteFile(path, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), 0o600))
	folder.LookNow()
	require.Equal(t, 1, folder.Lists().Anchors, "what cannot be read leaves the lists from before in force")

	require.NoError(t, os.WriteFile(path, append(anchor(t, "First"), anchor(t, "Second")...), 0o600))
	folder.LookNow()
	require.Equal(t, 2, folder.Lists().Anchors)
}

func TestNoFolderTrustsNobody(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "none")} {
		folder, err := trust.Open(dir, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.Zero(t, folder.Lists().Anchors)
	}
}

func TestAListThatCannotBeReadAtTheStartIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, certs.InterimFile), []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), 0o600))
	_, err := trust.Open(dir, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, certs.InterimFile)
}
