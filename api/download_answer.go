package api

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"
)

// downloadStall is how long a client may take no byte of a download before it is cut off.
const downloadStall = 60 * time.Second

// heldAnswer holds the head of a download back until its first byte is there, so that a refusal and a file that cannot
// be read are still answered in the API's own shape. What net/http says of them is dropped.
type heldAnswer struct {
	to     http.ResponseWriter
	header http.Header
	// status is what the head will say, 0 before it is known.
	status int
	begun  bool
	// err is why the client could not be sent more.
	err error
}

// Header implements http.ResponseWriter.
func (a *heldAnswer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *heldAnswer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter. It bounds each write, rather than the whole download, which may be as slow as it
// likes.
func (a *heldAnswer) Write(p []byte) (int, error) {
	if a.status >= http.StatusBadRequest {
		return len(p), nil
	}
	a.begin()
	// A server without deadlines (a test recorder) has nothing to bound.
	_ = http.NewResponseController(a.to).SetWriteDeadline(time.Now().Add(downloadStall))
	n, err := a.to.Write(p)
	if err != nil {
		a.err = fmt.Errorf("send download: %w", err)
	}
	return n, a.err
}

// begin sends the head, once.
func (a *heldAnswer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	maps.Copy(a.to.Header(), a.header)
	a.to.WriteHeader(a.status)
}

// watchedFile keeps why a file could not be read: net/http, which serves it, tells nobody.
type watchedFile struct {
	content io.ReadSeeker
	err     error
}

// Read implements io.Reader.
func (f *watchedFile) Read(p []byte) (int, error) {
	n, err := f.content.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *watchedFile) Seek(offset int64, whence int) (int64, error) {
	at, err := f.content.Seek(offset, whence)
	if err != nil {
		f.err = err
	}
	return at, err
}
