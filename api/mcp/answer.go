package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"veracity/api"
)

// answerStall is how long a client may take no byte of an answer before it is cut off.
const answerStall = 60 * time.Second

// answer is where the SDK writes. It bounds each write, and holds back what the SDK says in plain text: the contract has
// transport errors in the shape of JSON-RPC.
type answer struct {
	http.ResponseWriter
	controller *http.ResponseController
	begun      bool
	// refused is the status of a plain text, 0 when there is none; words is the text.
	refused int
	words   bytes.Buffer
	// failed says that what was written is an error of JSON-RPC, status is the HTTP status.
	failed bool
	status int
}

func newAnswer(w http.ResponseWriter) *answer {
	return &answer{ResponseWriter: w, controller: http.NewResponseController(w)}
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	h := a.Header()
	if status >= http.StatusBadRequest && strings.HasPrefix(h.Get("Content-Type"), "text/plain") {
		a.refused = status
		return
	}
	setSafe(h)
	a.begun, a.status = true, status
	a.ResponseWriter.WriteHeader(status)
}

// setSafe has an answer taken for what it is, and kept by nobody.
func setSafe(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// maxWords is how much of a plain text is passed on, in bytes.
const maxWords = 1000

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.refused != 0 {
		a.words.Write(p[:min(len(p), maxWords-a.words.Len())])
		return len(p), nil
	}
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	a.failed = a.failed || isError(p)
	// A server without deadlines (a test recorder) has nothing to bound.
	_ = a.controller.SetWriteDeadline(time.Now().Add(answerStall))
	return a.ResponseWriter.Write(p)
}

// isError tells an answer of JSON-RPC that is an error: it has that member and no result before it, since quotes within its
// id are escaped. Both come within the first bytes.
func isError(p []byte) bool {
	p = p[:min(len(p), 4096)]
	failed, done := bytes.Index(p, []byte(`"error":`)), bytes.Index(p, []byte(`"result":`))
	return failed >= 0 && (done < 0 || failed < done)
}

// FlushError sends what was written, which must not begin the answer while a refusal is held back.
func (a *answer) FlushError() error {
	if a.refused != 0 {
		return nil
	}
	return a.controller.Flush()
}

// finish answers what was held back, and leaves the connection to the next request as it was.
func (a *answer) finish(r *http.Request, id json.RawMessage) {
	switch {
	case a.refused != 0:
		text := strings.ToValidUTF8(strings.TrimSpace(a.words.String()), "")
		refuse(a.ResponseWriter, r, &rpcError{status: a.refused, code: codeInvalid, id: id, message: text})
	case a.failed:
		api.Refused(r.Context(), max(a.status, http.StatusBadRequest), "The SDK refused the message.")
	case !a.begun:
		a.WriteHeader(http.StatusOK) // to nobody: the caller has gone, and the log is to say how the call ended
	}
	_ = a.controller.SetWriteDeadline(time.Time{}) // as in Write
}
