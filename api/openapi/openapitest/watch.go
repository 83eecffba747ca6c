package openapitest

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// bodyKept is how much of an answer is looked at. Downloads may be larger: what is in them is no matter of the document.
const bodyKept = 1 << 20

// Watch is a server's handler that has every answer below /api/v1 checked and fails the test at one that the document does
// not describe, once for each such answer. Answers that nobody took are passed over.
func Watch(tb testing.TB, served http.Handler) http.Handler {
	tb.Helper()
	var said sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != prefix && !strings.HasPrefix(r.URL.Path, prefix+"/") {
			served.ServeHTTP(w, r)
			return
		}
		seen := &recorder{ResponseWriter: w}
		// A handler that ends its answer by a panic leaves here as well, and tells of nothing.
		served.ServeHTTP(seen, r)
		if r.Context().Err() != nil {
			return
		}
		if err := seen.answer(r).Check(r.Context()); err != nil {
			if _, before := said.LoadOrStore(err.Error(), true); !before {
				tb.Errorf("%v", err)
			}
		}
	})
}

// recorder keeps what a handler answers while it is sent.
type recorder struct {
	http.ResponseWriter
	status int
	header http.Header
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status, r.header = status, r.Header().Clone()
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.body.Write(p[:min(len(p), bodyKept-r.body.Len())])
	return r.ResponseWriter.Write(p) //nolint:wrapcheck // a recorder changes nothing
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush implements http.Flusher, which streams ask for by type.
func (r *recorder) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() }

func (r *recorder) answer(req *http.Request) Answer {
	if r.status == 0 {
		r.status, r.header = http.StatusOK, r.Header().Clone()
	}
	return Answer{Method: req.Method, Path: req.URL.EscapedPath(), Status: r.status, Header: r.header, Body: r.body.Bytes()}
}
