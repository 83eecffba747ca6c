package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"veracity/billing"
)

// StripePath is where Stripe sends its events.
const StripePath = "/webhooks/stripe"

// maxEvent is the largest event that is read, in bytes. Stripe's largest are some hundred kilobytes.
const maxEvent = 1 << 20

// Intake takes an event as it came: its body byte for byte, since the signature is over the bytes, and the value of
// Stripe-Signature.
type Intake interface {
	Intake(ctx context.Context, body []byte, signature string) error
}

// StripeEvents answers Stripe's events. It stands outside of sessions and of the check for requests from other sites,
// which are for browsers: the signature says who sends. Anything but a 2xx makes Stripe send the event again, so only an
// event that is not stored may get one: 400 for a signature that is missing, wrong or old, 404 while no webhook secret
// is set, 413 for more than 1 MiB, 500 when storing failed.
func StripeEvents(events Intake, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
		var tooLong *http.MaxBytesError
		switch {
		case errors.As(err, &tooLong):
			http.Error(w, "The event is too long.", http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "The event did not come whole.", http.StatusBadRequest)
			return
		}
		err = events.Intake(r.Context(), body, r.Header.Get("Stripe-Signature"))
		switch {
		case err == nil:
			w.WriteHeader(http.StatusOK)
		case errors.Is(err, billing.ErrClosed):
			http.NotFound(w, r)
		case errors.Is(err, billing.ErrSignature):
			log.WarnContext(r.Context(), "event of Stripe refused", "error", err)
			http.Error(w, "The signature does not fit the event, or is too old.", http.StatusBadRequest)
		default:
			log.ErrorContext(r.Context(), "take event of Stripe", "error", err)
			http.Error(w, "The event could not be stored. Send it again.", http.StatusInternalServerError)
		}
	}
}
