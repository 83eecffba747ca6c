package storage

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
)

// refusal is an answer to an upload in the words of S3, so that a client meets the same ones with either store.
type refusal struct {
	XMLName xml.Name `xml:"Error"`
	Code    string   `xml:"Code"`
	Message string   `xml:"Message"`

	status int
}

// Error implements error.
func (r *refusal) Error() string { return r.Code + ": " + r.Message }

var (
	refuseMethod    = &refusal{status: http.StatusMethodNotAllowed, Code: "MethodNotAllowed", Message: "Only PUT is taken here."}
	refuseSignature = &refusal{status: http.StatusForbidden, Code: "SignatureDoesNotMatch", Message: "The address is not a valid upload ticket."}
	refuseExpired   = &refusal{status: http.StatusForbidden, Code: "AccessDenied", Message: "The upload ticket has expired."}
	refuseHeaders   = &refusal{status: http.StatusForbidden, Code: "SignatureDoesNotMatch", Message: "Content-Type, If-None-Match and Content-Length have to be those of the upload ticket."}
	refuseLength    = &refusal{status: http.StatusLengthRequired, Code: "MissingContentLength", Message: "Content-Length is missing."}
	refuseExisting  = &refusal{status: http.StatusPreconditionFailed, Code: "PreconditionFailed", Message: "The upload ticket has been used."}
	refuseStalled   = &refusal{status: http.StatusBadRequest, Code: "RequestTimeout", Message: "The body came too slowly."}
	refuseShort     = &refusal{status: http.StatusBadRequest, Code: "IncompleteBody", Message: "The body ended before its Content-Length."}
	refuseFailed    = &refusal{status: http.StatusServiceUnavailable, Code: "ServiceUnavailable", Message: "The file could not be stored. Try again."}
	refuseInternal  = &refusal{status: http.StatusInternalServerError, Code: "InternalError", Message: "The file could not be stored."}
)

// refuse answers a PUT that stored nothing. What is our own doing goes to the log, without the ticket.
func (d *disk) refuse(w http.ResponseWriter, r *http.Request, err error) {
	answer := refusalOf(err)
	if answer.status >= http.StatusInternalServerError {
		d.log.LogAttrs(r.Context(), slog.LevelError, "upload not stored", slog.String("path", r.URL.Path), slog.Any("error", err))
	}
	if answer.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPut)
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(answer.status)
	// The client may be gone; then nobody is left to tell.
	_, _ = io.WriteString(w, xml.Header)
	_ = xml.NewEncoder(w).Encode(answer)
}

// refusalOf turns the end of an upload into its answer. What is neither a refusal nor a fault of the store came from
// the client's body.
func refusalOf(err error) *refusal {
	var known *refusal
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errSignature):
		return refuseSignature
	case errors.Is(err, errExpired):
		return refuseExpired
	case errors.Is(err, ErrUnavailable):
		return refuseFailed
	case errors.Is(err, http.ErrNotSupported):
		return refuseInternal
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return refuseStalled
	default:
		return refuseShort
	}
}
