package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"veracity/platform/fault"
	"veracity/quota"
)

// errorBody is the contract's error object.
type errorBody struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Detail  any        `json:"detail,omitempty"`
}

// statusClientGone is logged for a caller who hung up before the answer, as nginx does; nobody receives it.
const statusClientGone = 499

func writeError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	noteOutcome(r.Context(), f)
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		noteOutcome(r.Context(), clientGone(err))
		w.WriteHeader(statusClientGone)
		return
	}
	status := statusOf(f.Code)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(quota.Seconds(f.RetryAfter)))
	}
	writeJSON(w, status, encode(bodyOf(f)))
}

// clientGone is what the log says of a caller who does not take the answer.
func clientGone(err error) *fault.Fault {
	return fault.Wrap(err, "client_gone", "The caller hung up.")
}

func bodyOf(f *fault.Fault) errorBody {
	return errorBody{Code: f.Code, Message: f.Message, Detail: f.Detail}
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec,nolintlint // gosec sees it at times: JSON that says so and is not sniffed; the client has gone when this fails
}

// encode is json.Marshal without the escapes that only HTML needs, so that a URL in an answer reads as it is.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		slog.Error("encode answer", "error", err)
		return []byte(`{"code":"internal_error","message":"The answer could not be written."}`)
	}
	return b.Bytes()
}
