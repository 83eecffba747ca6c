package web

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"veracity/platform/fault"
	"veracity/views"
)

// show renders a page whole before it answers, so that a page that breaks answers 500 and not half of itself.
func (p *Portal) show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(r.Context(), &b); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // an error is a visitor who has gone
	return nil
}

// statuses of refusals that reach a visitor as a page of their own.
var statuses = map[fault.Code]int{
	fault.NotFound:          http.StatusNotFound,
	fault.UnknownKey:        http.StatusNotFound,
	fault.UnknownAccount:    http.StatusNotFound,
	fault.UnknownMember:     http.StatusNotFound,
	fault.UnknownInvite:     http.StatusNotFound,
	fault.UnknownJob:        http.StatusNotFound,
	fault.LinkExpired:       http.StatusNotFound,
	fault.MethodNotAllowed:  http.StatusMethodNotAllowed,
	fault.Forbidden:         http.StatusForbidden,
	fault.NeedsSecondFactor: http.StatusForbidden,
	fault.TooManyTries:      http.StatusTooManyRequests,
	fault.RateLimited:       http.StatusTooManyRequests,
	fault.PlanRequired:      http.StatusPaymentRequired,
	fault.PaymentFailed:     http.StatusPaymentRequired,
	fault.QuotaExceeded:     http.StatusPaymentRequired,
	fault.ImageTooLarge:     http.StatusRequestEntityTooLarge,
	fault.InternalError:     http.StatusInternalServerError,

	fault.UnknownEvent:              http.StatusNotFound,
	fault.SubscriptionExists:        http.StatusConflict,
	fault.NoSubscription:            http.StatusConflict,
	fault.PaymentDeclined:           http.StatusPaymentRequired,
	fault.PaymentServiceUnavailable: http.StatusServiceUnavailable,
}

// statusOf is the status of a form that is shown again, or of a refusal's own page.
func statusOf(code fault.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusUnprocessableEntity
}

// refused is the refusal that a person can act on, or nil when err is nil or a failure of ours.
func refused(err error) *fault.Fault {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	if f.Code == fault.InternalError || f.Code == fault.EngineError {
		return nil
	}
	return f
}

// fail answers what no page answered itself. Failures of ours say nothing to the visitor and everything to the log.
func (p *Portal) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	status := statusOf(f.Code)
	failure := views.Failure{Title: failureTitle(f.Code), Text: f.Message, SignedIn: visitorOf(r.Context()).SignedIn()}
	if refused(err) == nil {
		id := uuid.NewString()
		p.Log.ErrorContext(r.Context(), "page", "request_id", id, "method", r.Method, "path", r.URL.Path, "error", err)
		status = http.StatusInternalServerError
		failure.Title, failure.Text = "Something went wrong on our side", "Nothing was changed that you did not see confirmed. Try again in a moment; if it stays, write to us with the id below."
		failure.ID = id
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(f.RetryAfter.Seconds()))))
	}
	if err := p.show(w, r, status, views.FailurePage(failure)); err != nil {
		p.Log.ErrorContext(r.Context(), "page of a failure", "error", err)
		http.Error(w, http.StatusText(status), status)
	}
}

// titles head the refusals that a person meets as a page of their own.
var titles = map[fault.Code]string{
	fault.LinkExpired:       "This link does not work any more",
	fault.Forbidden:         "Your role does not allow this",
	fault.NeedsSecondFactor: "A second factor is needed",
	fault.TooManyTries:      "Too many tries",
	fault.RateLimited:       "Too many tries",
}

func failureTitle(code fault.Code) string {
	if title, ok := titles[code]; ok {
		return title
	}
	if statuses[code] == http.StatusNotFound {
		return "There is no page here"
	}
	return "That did not work"
}

// recoverPanics turns a panic into the page of a failure.
func (p *Portal) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			caught := recover()
			if caught == nil {
				return
			}
			if err, ok := caught.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(caught)
			}
			p.fail(w, r, fmt.Errorf("panic: %v\n%s", caught, debug.Stack()))
		}()
		next.ServeHTTP(w, r)
	})
}
