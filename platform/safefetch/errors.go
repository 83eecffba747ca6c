package safefetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
)

// Kind says what sort of refusal an [Error] is; callers map kinds to their own codes.
type Kind string

// Kinds of refusal.
const (
	// InvalidURL is a URL that breaks a rule which its text alone shows, an IP address that is not public included.
	InvalidURL Kind = "invalid_url"
	// Forbidden is a URL whose host name leads to an address that is not public.
	Forbidden Kind = "forbidden"
	// Unreachable is a host that cannot be found or reached, is too slow, breaks off, or answers something unusable.
	Unreachable Kind = "unreachable"
	// TooLarge is a body over Limits.MaxBytes.
	TooLarge Kind = "too_large"
)

// Error is a refusal by this package or a fault of the peer.
//
// It has no Unwrap on purpose: the cause of a slow connect matches context.DeadlineExceeded, and would pass for the
// end of the caller's own context.
type Error struct {
	Kind Kind
	// Reason is a short sentence that may be shown to whoever gave the URL: it holds no address and no internals.
	Reason string

	cause error
}

// Error is the text for the log: kind, reason and cause.
func (e *Error) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("%s: %s", e.Kind, e.Reason)
	}
	return fmt.Sprintf("%s: %s: %v", e.Kind, e.Reason, e.cause)
}

// KindOf is the kind of the [Error] in err's chain, and "" when there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// errTotal marks the end of the time that a call may take, as apart from the end of the caller's context.
var errTotal = errors.New("out of time")

// explain turns what went wrong on the wire into what the caller is told. The caller's own cancellation comes first,
// and stays a context error; limited is the context under the caller's that carries errTotal.
func explain(caller, limited context.Context, err error) error {
	if caller.Err() != nil {
		return fmt.Errorf("fetch: %w", caller.Err())
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if errors.Is(context.Cause(limited), errTotal) {
		return &Error{Unreachable, "The server did not finish its answer in time.", err}
	}
	var (
		dns     *net.DNSError
		cert    *tls.CertificateVerificationError
		timeout net.Error
	)
	switch {
	case errors.As(err, &dns):
		return &Error{Unreachable, "The host of the URL could not be resolved.", err}
	case errors.As(err, &cert):
		return &Error{Unreachable, "The certificate of the server is not trusted.", err}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Unreachable, "The server was silent for too long.", err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Unreachable, "The server broke off its answer.", err}
	default:
		return &Error{Unreachable, "The server could not be reached or did not answer properly.", err}
	}
}
