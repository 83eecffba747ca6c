package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"veracity/engine"
	"veracity/platform/fault"
	"veracity/usage"
)

// outcome gathers what the log line of a request says. It is written by the request's own goroutine, or by one that this
// waits for.
type outcome struct {
	requestID uuid.UUID
	start     time.Time
	account   uuid.UUID
	key       uuid.UUID
	fault     *fault.Fault
	// verdict and credits are those of an image check that the request made.
	verdict engine.Verdict
	credits int64
	// cut means that the answer broke off after its head, whose status knows nothing of that.
	cut bool
	// inner is the status that REST would have answered, where the answer's own says nothing of how the call ended; else 0.
	inner int
}

type outcomeKey struct{}

func noteOutcome(ctx context.Context, f *fault.Fault) {
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		o.fault = f
	}
}

// noteCut notes a failure of ours that came too late to be answered.
func noteCut(ctx context.Context, err error) {
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		o.fault, o.cut = fault.From(err), true
	}
}

func noteCaller(ctx context.Context, account, key uuid.UUID) {
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		o.account, o.key = account, key
	}
}

func noteCheck(ctx context.Context, verdict engine.Verdict, credits int64) {
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		o.verdict, o.credits = verdict, credits
	}
}

// observe names the request, and logs, counts and records how it ended. Bodies, keys and query strings stay out of the log.
func (a *API) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without a source of randomness, where this panics, nothing else works either.
		o := &outcome{requestID: uuid.Must(uuid.NewV7()), start: time.Now()}
		w.Header().Set("Request-Id", o.requestID.String())
		seen := &statusWriter{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), outcomeKey{}, o))
		// An answer that breaks off leaves by a panic.
		defer func() { a.report(r, o, seen.status, time.Since(o.start)) }()
		next.ServeHTTP(seen, r)
	})
}

func (a *API) report(r *http.Request, o *outcome, status int, took time.Duration) {
	route := "unknown"
	if rc := chi.RouteContext(r.Context()); rc != nil && rc.RoutePattern() != "" {
		route = rc.RoutePattern()
	}
	if o.inner != 0 {
		status = o.inner
	}
	attrs := []slog.Attr{
		slog.String("request_id", o.requestID.String()), slog.String("method", r.Method), slog.String("route", route),
		slog.Int("status", status), slog.Duration("duration", took),
	}
	if o.account != uuid.Nil {
		attrs = append(attrs, slog.String("account", o.account.String()))
	}
	level, code := slog.LevelInfo, fault.Code(usage.OK)
	if o.fault != nil {
		code = o.fault.Code
		attrs = append(attrs, slog.String("code", string(code)))
		if o.cut || status >= http.StatusInternalServerError {
			level = slog.LevelError
			if status == http.StatusServiceUnavailable {
				level = slog.LevelWarn
			}
			attrs = append(attrs, slog.String("error", o.fault.Error()))
		}
	}
	a.log.LogAttrs(r.Context(), level, "request", attrs...)
	a.metrics.request(route, code, status, took)
	if o.account == uuid.Nil {
		return
	}
	a.requests.Note(usage.Entry{
		ID: o.requestID, At: o.start, Account: o.account, Key: o.key,
		Method: r.Method, Route: strings.TrimPrefix(route, Prefix), Status: status, Code: string(code),
		Verdict: string(o.verdict), Credits: o.credits, Took: took,
	})
}

// statusWriter remembers the status for the log.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recoverPanics turns a panic into internal_error with the stack in the log, or cuts off an answer that has begun.
func recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares this sentinel by identity
				panic(p)
			}
			answerPanic(w, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}()
		next.ServeHTTP(w, r)
	})
}

func answerPanic(w http.ResponseWriter, r *http.Request, err error) {
	if seen, ok := w.(*statusWriter); ok && seen.status != 0 {
		noteCut(r.Context(), err)
		panic(http.ErrAbortHandler) // an error object would be taken for a part of the answer
	}
	writeError(w, r, err)
}

// capBody bounds the size of a body and the time to send it.
func capBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > MaxBody {
			refuseBody(w, r)
			return
		}
		if r.Body != nil && r.ContentLength != 0 {
			// A server without deadlines (a test recorder) has nothing to bound.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // readBody lifts it
			r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		}
		next.ServeHTTP(w, r)
	})
}

// drained is how much of a body that is too large is read before the answer, for clients that read none until they have
// sent all.
const drained = 64 << 20

// refuseBody answers a body whose declared length is over [MaxBody].
func refuseBody(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Expect") == "" {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // as in capBody
		_, _ = io.CopyN(io.Discard, r.Body, drained)                                // what is not read is not wanted
	}
	writeError(w, r, bodyTooLarge())
}
