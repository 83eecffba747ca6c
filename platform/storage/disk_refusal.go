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
type refusalError struct {
	XMLName xml.Name `xml:"Error"`
	Code    string   `xml:"Code"`
	Message string   `xml:"Message"`

	status int
}

// Error implements error.
func (r *refusalError) Error() string { return r.Code + ": " + r.Message }

var (
	errMethod = &refusalError{
		status: http.StatusMethodNotAllowed, Code: "MethodNotAllowed", Message: "Only PUT is taken here.",
	}
	errSignature = &refusalError{
		status: http.StatusForbidden, Code: "SignatureDoesNotMatch", Message: "The address is not a valid upload ticket.",
	}
	errExpired = &refusalError{
		status: http.StatusForbidden, Code: "AccessDenied", Message: "The upload ticket has expired.",
	}
	errHeaders = &refusalError{
		status: http.StatusForbidden, Code: "SignatureDoesNotMatch",
		Message: "Content-Type, If-None-Match and Content-Length have to be those of the upload ticket.",
	}
	errNoLength = &refusalError{
		status: http.StatusLengthRequired, Code: "MissingContentLength", Message: "Content-Length is missing.",
	}
	errTaken = &refusalError{
		status: http.StatusPreconditionFailed, Code: "PreconditionFailed", Message: "The upload ticket has been used.",
	}
	errStalled = &refusalError{
		status: http.StatusBadRequest, Code: "RequestTimeout", Message: "The body came too slowly.",
	}
	errShort = &refusalError{
		status: http.StatusBadRequest, Code: "IncompleteBody", Message: "The body ended before its Content-Length.",
	}
	errNotStored = &refusalError{
		status: http.StatusServiceUnavailable, Code: "ServiceUnavailable", Message: "The file could not be stored. Try again.",
	}
	// errHidden is for a server that wraps the response writer so that its connection cannot be reached.
	errHidden = &refusalError{
		status: http.StatusInternalServerError, Code: "InternalError", Message: "The file could not be stored.",
	}
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
func refusalOf(err error) *refusalError {
	var known *refusalError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, ErrUnavailable):
		return errNotStored
	case errors.Is(err, http.ErrNotSupported):
		return errHidden
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return errStalled
	default:
		return errShort
	}
}
