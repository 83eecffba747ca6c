package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// Retry says how long a [Client] keeps trying. What is tried again is listed in the package's description.
type Retry struct {
	// Attempts is how many attempts that failed are made at most, 6 by default; 1 tries nothing again. Waits that the
	// service asked for do not count.
	Attempts int
	// First is the wait after the first attempt that failed, 1 second by default. It doubles up to Longest, by default a
	// minute.
	First, Longest time.Duration
	// Elapsed is how long after the first failure another attempt may begin, 2 minutes by default.
	Elapsed time.Duration
}

func (r Retry) orDefaults() Retry {
	if r.Attempts <= 0 {
		r.Attempts = 6
	}
	if r.First <= 0 {
		r.First = time.Second
	}
	if r.Longest <= 0 {
		r.Longest = time.Minute
	}
	if r.Elapsed <= 0 {
		r.Elapsed = 2 * time.Minute
	}
	return r
}

// Notice is a wait before another attempt.
type Notice struct {
	// Call is what will be tried again, as in "POST /api/v1/audit".
	Call string
	// Err is why the last attempt failed.
	Err error
	// Wait is how long it will be until the next one.
	Wait time.Duration
}

// tries counts the attempts of one call.
type tries struct {
	Retry
	call   string
	notice func(Notice)
	// since is when the first attempt failed, and failed how many did without being asked to wait.
	since  time.Time
	failed int
}

func (c *Client) tries(call string) *tries {
	return &tries{Retry: c.retry, call: call, notice: c.notice}
}

// again waits for the next attempt after err, whose kind says how. It gives the error to return when there is none.
func (t *tries) again(ctx context.Context, err error, kind repetition) error {
	if ctx.Err() != nil {
		return fmt.Errorf("veracity: %s: %w", t.call, ctx.Err())
	}
	if t.since.IsZero() {
		t.since = time.Now()
	}
	var wait time.Duration
	switch kind {
	case never:
		return err
	case asked:
		var refused *Error
		if errors.As(err, &refused) {
			wait = refused.RetryAfter
		}
		wait += jitter(max(wait/5, 250*time.Millisecond))
	case backoff:
		t.failed++
		if t.failed >= t.Attempts {
			return t.givenUp(err)
		}
		// From half of it to all of it, so that clients that fell together do not come back together.
		wait = min(t.First<<min(t.failed-1, 30), t.Longest)
		wait -= jitter(wait / 2)
	}
	if time.Since(t.since)+wait > t.Elapsed {
		return t.givenUp(err)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return t.givenUp(err)
	}
	t.notice(Notice{Call: t.call, Err: err, Wait: wait})
	if err := sleep(ctx, wait); err != nil {
		return fmt.Errorf("veracity: %s: %w", t.call, err)
	}
	return nil
}

func (t *tries) givenUp(err error) error {
	if t.failed < 2 {
		return err
	}
	return fmt.Errorf("%w (gave up after %d attempts)", err, t.failed)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// jitter is a random time below d.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(d) //nolint:gosec // It spreads clients in time and guards nothing.
}

// repetition is whether and how a call is tried again.
type repetition int

const (
	never repetition = iota
	// asked waits as long as the service said.
	asked
	// backoff waits longer each time.
	backoff
)

// repeatable is the table of the package's description. later is set when the call has been sent before, and uploaded when it
// names an upload.
func repeatable(err error, later, uploaded bool) repetition {
	var refused *Error
	if !errors.As(err, &refused) {
		if hopeless(err) {
			return never
		}
		return backoff
	}
	switch refused.Code { //nolint:exhaustive // the status decides over all others
	case CodeModelUnavailable, CodeEngineCredentialsMissing, CodeEngineRegionMissing:
		return never
	case CodeIdempotencyConflict:
		if later {
			return backoff
		}
		return never
	case CodeInternalError, CodeEngineError, CodeTrackingFailed:
		if uploaded {
			return never
		}
		return backoff
	}
	switch refused.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if refused.RetryAfter > 0 {
			return asked
		}
		return backoff
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return backoff
	}
	return never
}

// hopeless tells a failure to reach the service that no other attempt mends.
func hopeless(err error) bool {
	var (
		permanent *permanentError
		file      *FileError
		name      *net.DNSError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		noTLS     tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &permanent), errors.As(err, &file), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &invalid), errors.As(err, &noTLS),
		errors.Is(err, http.ErrSchemeMismatch):
		return true
	case errors.As(err, &name):
		return name.IsNotFound
	}
	return false
}

// permanentError marks what is wrong on this side and will stay so.
type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

func permanent(err error) error { return &permanentError{err} }
