package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/api/openapi/openapitest"
)

// receiver takes webhooks over https, as customers do.
type receiver struct {
	t   *testing.T
	url string
	// allow lets a service reach it and trust its certificate; certificate is the file for processes of their own.
	allow       func(*Settings)
	address     string
	certificate string

	mu     sync.Mutex
	got    []webhookCall
	answer http.HandlerFunc
}

type webhookCall struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }}
	srv := httptest.NewTLSServer(http.HandlerFunc(r.take))
	t.Cleanup(srv.Close)
	r.url, r.address = srv.URL+"/hook", srv.Listener.Addr().String()
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	r.allow = func(s *Settings) {
		s.Fetch.Allow = append(s.Fetch.Allow, r.address)
		s.Fetch.RootCAs = pool
	}
	r.certificate = filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	require.NoError(t, os.WriteFile(r.certificate, block, 0o600))
	return r
}

func (r *receiver) take(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	if err := openapitest.CheckWebhook(req.Header, body); err != nil {
		r.t.Errorf("%v", err)
	}
	r.mu.Lock()
	r.got = append(r.got, webhookCall{req.Header.Clone(), body})
	answer := r.answer
	r.mu.Unlock()
	answer(w, req)
}

func (r *receiver) answers(h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = h
}

func (r *receiver) calls() []webhookCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]webhookCall(nil), r.got...)
}

// signedWith demands the contract's signature under the secret.
func (c webhookCall) signedWith(t *testing.T, secret string) {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(c.body)
	require.Equal(t, "sha256="+hex.EncodeToString(mac.Sum(nil)), c.header.Get("Service-Signature"))
}
