package safefetch

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func rootsOf(server *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}

func secure(w http.ResponseWriter, _ *http.Request) { write(w, "secure") }

// TestSystemRootsFollowSSLCertFile is serial: system roots load once a process, and this test must be the first to
// need them. All others bring their own.
func TestSystemRootsFollowSSLCertFile(t *testing.T) {
	server := serveTLS(t, secure, func(*httptest.Server) {})
	file := filepath.Join(t.TempDir(), "roots.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, block, 0o600))
	t.Setenv("SSL_CERT_FILE", file)
	got, err := fetch(t, newFetcher(t, zone{}, server.Listener.Addr().String()), server.URL, roomy)
	require.NoError(t, err)
	require.Equal(t, "secure", string(got))
}

func TestCertificateIsVerified(t *testing.T) {
	t.Parallel()
	server := serveTLS(t, secure, func(*httptest.Server) {})
	host := server.Listener.Addr().String()
	_, port, err := net.SplitHostPort(host)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		url    string
		roots  *x509.CertPool
		reason string
	}{
		"trusted":    {server.URL, rootsOf(server), ""},
		"unknown CA": {server.URL, x509.NewCertPool(), "The certificate of the server is not trusted."},
		"other name": {"https://media.test:" + port, rootsOf(server), "The certificate of the server is not trusted."},
		"right name": {"https://example.com.:" + port, rootsOf(server), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFetcherWith(t, func(cfg *Config) {
				cfg.Allow = []string{host, "media.test:" + port, "example.com:" + port}
				cfg.Resolver = zone{"media.test": {"127.0.0.1"}, "example.com": {"127.0.0.1"}}.resolver()
				cfg.RootCAs = tc.roots
			})
			got, err := fetch(t, f, tc.url, roomy)
			if tc.reason == "" {
				require.NoError(t, err)
				require.Equal(t, "secure", string(got))
				return
			}
			requireReason(t, Unreachable, tc.reason, err)
		})
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	t.Parallel()
	for version, wanted := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		server := serveTLS(t, secure, func(s *httptest.Server) {
			s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: version}
		})
		f := newFetcherWith(t, func(cfg *Config) {
			cfg.Allow = []string{server.Listener.Addr().String()}
			cfg.RootCAs = rootsOf(server)
		})
		_, err := fetch(t, f, server.URL, roomy)
		if wanted {
			require.NoError(t, err, tls.VersionName(version))
			continue
		}
		requireKind(t, Unreachable, err)
	}
}
