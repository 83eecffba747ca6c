package identity_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/certs"
	"veracity/engine/c2pa/cose"
	"veracity/engine/c2pa/identity"
)

var quiet = slog.New(slog.DiscardHandler)

func development(t *testing.T) (identity.Config, []byte) {
	t.Helper()
	cfg, root, err := identity.Development(filepath.Join(t.TempDir(), "identity"), time.Now())
	require.NoError(t, err)
	return cfg, root
}

func TestADevelopmentIdentitySignsWhatItsRootVouchesFor(t *testing.T) {
	t.Parallel()
	cfg, root := development(t)
	who, err := identity.Open(cfg, time.Now(), quiet)
	require.NoError(t, err)
	require.Equal(t, "Veracity development", who.Organization())
	claim := []byte("a claim")
	signature, err := who.Sign(t.Context(), claim)
	require.NoError(t, err)
	require.Len(t, signature, who.Room())

	parsed, err := cose.Parse(signature)
	require.NoError(t, err)
	leaf, err := certs.Parse(parsed.Chain[0])
	require.NoError(t, err)
	require.NoError(t, parsed.Verify(claim, leaf))
	require.ErrorIs(t, parsed.Verify([]byte("another claim"), leaf), cose.ErrMismatch)

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own"+certs.LocalSuffix), root, 0o600))
	lists, err := certs.Load(dir)
	require.NoError(t, err)
	trusted := lists.Judge([]certs.Certificate{leaf}, time.Now(), certs.Claims)
	require.True(t, trusted.Trusted)
	require.Equal(t, "local", trusted.List)
}

func TestADevelopmentIdentityLastsAndIsRenewedBeforeItEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, first, err := identity.Development(dir, time.Now())
	require.NoError(t, err)
	_, again, err := identity.Development(dir, time.Now())
	require.NoError(t, err)
	require.Equal(t, first, again)
	_, later, err := identity.Development(dir, time.Now().Add(350*24*time.Hour))
	require.NoError(t, err)
	require.NotEqual(t, first, later)
	info, err := os.Stat(filepath.Join(dir, "key.pem"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestSettingsThatDoNotBelongTogetherAreNamed(t *testing.T) {
	t.Parallel()
	cfg, _ := development(t)
	strange := filepath.Join(t.TempDir(), "strange.pem")
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(strange, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	tests := map[string]struct {
		cfg  identity.Config
		when time.Time
		says string
	}{
		"no key":            {identity.Config{Cert: cfg.Cert}, time.Now(), "VERACITY_C2PA_KEY belong together"},
		"no certificate":    {identity.Config{Key: cfg.Key}, time.Now(), "belong together"},
		"another's key":     {identity.Config{Cert: cfg.Cert, Key: strange}, time.Now(), "is not the key of"},
		"a key for a chain": {identity.Config{Cert: cfg.Key, Key: cfg.Key}, time.Now(), "holds no certificate"},
		"a chain for a key": {identity.Config{Cert: cfg.Cert, Key: cfg.Cert}, time.Now(), "holds no private key"},
		"no such file":      {identity.Config{Cert: "/nowhere.pem", Key: cfg.Key}, time.Now(), "VERACITY_C2PA_CERT"},
		"expired":           {cfg, time.Now().Add(400 * 24 * time.Hour), "not now"},
		"a bad authority":   {identity.Config{Cert: cfg.Cert, Key: cfg.Key, TSA: "ftp://example.com"}, time.Now(), "VERACITY_C2PA_TSA"},
		"nothing to stamp":  {identity.Config{TSA: "http://example.com"}, time.Now(), "nothing to stamp"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := identity.Open(tt.cfg, tt.when, quiet)
			require.ErrorContains(t, err, tt.says)
		})
	}
}

func TestAnAuthorityThatFailsLeavesTheStampOut(t *testing.T) {
	t.Parallel()
	cfg, _ := development(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	cfg.TSA = server.URL
	who, err := identity.Open(cfg, time.Now(), quiet)
	require.NoError(t, err)
	signature, err := who.Sign(t.Context(), []byte("a claim"))
	require.NoError(t, err)
	require.Len(t, signature, who.Room())
	parsed, err := cose.Parse(signature)
	require.NoError(t, err)
	require.Empty(t, parsed.Stamps2)
}

func TestWhatTheAddressOfAnAuthorityHidesIsNotLogged(t *testing.T) {
	t.Parallel()
	cfg, _ := development(t)
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	cfg.TSA = strings.Replace(server.URL, "http://", "http://user:hidden@", 1) + "/hidden?key=hidden"
	var logged bytes.Buffer
	who, err := identity.Open(cfg, time.Now(), slog.New(slog.NewTextHandler(&logged, nil)))
	require.NoError(t, err)
	_, err = who.Sign(t.Context(), []byte("a claim"))
	require.NoError(t, err)
	require.Contains(t, logged.String(), "without a time-stamp")
	require.NotContains(t, logged.String(), "hidden")
}
