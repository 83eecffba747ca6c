// Package fault is the one error type that crosses layers: a stable code, a message that the caller may read, and a
// cause that only the log may read. Domains return faults; each edge owns one table from code to its protocol. No
// HTTP status, no business rule lives here.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Fault is an error with a public face. The zero value is not useful; make one with [New] or [Wrap].
type Fault struct { //nolint:errname // fault.Fault reads better than fault.FaultError, and is no error kind of its own
	// Code is the stable snake_case word that clients branch on.
	Code Code
	// Message is for people. It says what to do, and never holds a secret or an internal address.
	Message string
	// Detail is nil or a value whose JSON form is the contract's detail object for Code.
	Detail any
	// RetryAfter is how long the caller should wait, or 0 where waiting is not the answer.
	RetryAfter time.Duration

	cause error
}

// New makes a fault without a cause. The message is formatted as by fmt.Sprintf.
func New(code Code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes a fault whose cause goes to the log alone.
func Wrap(cause error, code Code, format string, args ...any) *Fault {
	f := New(code, format, args...)
	f.cause = cause
	return f
}

// WithDetail returns a copy of f that carries detail.
func (f *Fault) WithDetail(detail any) *Fault {
	c := *f
	c.Detail = detail
	return &c
}

// WithRetryAfter returns a copy of f that asks the caller to wait.
func (f *Fault) WithRetryAfter(d time.Duration) *Fault {
	c := *f
	c.RetryAfter = d
	return &c
}

// Error is the text for the log: code, public message and cause.
func (f *Fault) Error() string {
	if f.cause == nil {
		return fmt.Sprintf("%s: %s", f.Code, f.Message)
	}
	return fmt.Sprintf("%s: %s: %v", f.Code, f.Message, f.cause)
}

// Unwrap gives the cause, or nil.
func (f *Fault) Unwrap() error { return f.cause }

// Is tells faults apart by code, so that errors.Is(err, fault.New(code, "")) works.
func (f *Fault) Is(target error) bool {
	t, ok := target.(*Fault)
	return ok && t.Code == f.Code
}

// From finds the fault in err's chain. An error that is none becomes internal_error with err as its cause, so that an
// unknown error says nothing to the caller and everything to the log. From(nil) is nil.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return Wrap(err, InternalError, "Something failed on our side. Try again; if it goes on, send us the Request-Id.")
}

// CodeOf is the code of the fault in err's chain, internal_error for any other error, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}
