// Package tsatest is a time-stamp authority for tests: it answers RFC 3161 requests over HTTP or by hand, with a
// certificate of a given authority. Its answers are made by github.com/digitorus/timestamp, which our own reader shares
// no code with. Nothing in it is for the product.
package tsatest

import (
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	digitorus "github.com/digitorus/timestamp"

	"veracity/engine/c2pa/certs/certstest"
	"veracity/engine/c2pa/timestamp"
)

// Media types of RFC 3161, section 3.4.
const (
	requestType  = "application/timestamp-query"
	responseType = "application/timestamp-reply"
)

// Authority is a time-stamp authority.
type Authority struct {
	*certstest.Identity
	// Clock says what time it is, time.Now by default.
	Clock func() time.Time
	// Hash is what it signs with, SHA-256 by default.
	Hash crypto.Hash
}

// New makes an authority with a certificate of the issuer, by default one with a P-256 key.
func New(tb testing.TB, issuer *certstest.Identity, options ...certstest.Option) *Authority {
	tb.Helper()
	return &Authority{
		Identity: issuer.Stamper(tb, "Time-stamp authority", options...), Clock: time.Now, Hash: crypto.SHA256,
	}
}

// ServeHTTP answers requests that are posted.
func (a *Authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != requestType {
		http.Error(w, "post "+requestType, http.StatusBadRequest)
		return
	}
	request, err := io.ReadAll(io.LimitReader(r.Body, timestamp.MaxToken))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	response, err := a.Answer(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", responseType)
	_, _ = w.Write(response)
}

// Answer is the DER TimeStampResp to a DER TimeStampReq. One that cannot be read is answered by a rejection.
func (a *Authority) Answer(request []byte) ([]byte, error) {
	asked, err := digitorus.ParseRequest(request)
	if err != nil {
		return digitorus.CreateErrorResponse(digitorus.Rejection, digitorus.BadRequest)
	}
	var above []*x509.Certificate
	for _, c := range a.Chain()[1:] {
		above = append(above, c.Certificate)
	}
	stamp := digitorus.Timestamp{
		HashAlgorithm: asked.HashAlgorithm, HashedMessage: asked.HashedMessage, Nonce: asked.Nonce,
		Time: a.Clock().UTC().Truncate(time.Second), Accuracy: time.Second, Policy: asn1.ObjectIdentifier{2, 999, 1},
		Certificates: above, AddTSACertificate: asked.Certificates,
	}
	response, err := stamp.CreateResponseWithOpts(a.Certificate.Certificate, a.Key, a.Hash)
	if err != nil {
		return nil, fmt.Errorf("answer a time-stamp request: %w", err)
	}
	return response, nil
}

// Stamp is the token of a message, asked for and checked as the product does.
func (a *Authority) Stamp(message []byte) ([]byte, error) {
	request, err := timestamp.Request(message)
	if err != nil {
		return nil, err
	}
	response, err := a.Answer(request)
	if err != nil {
		return nil, err
	}
	return timestamp.Token(response, request, message)
}
