package client

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// secretPrefix starts every signing secret.
	secretPrefix = "whsec_"
	// WebhookTolerance is how far the time of a webhook may lie from the receiver's own.
	WebhookTolerance = 5 * time.Minute
	// maxWebhook is the longest body of a webhook that is read, in bytes. Those of the service have a few hundred.
	maxWebhook = 1 << 20
)

// Event is a webhook whose sender is proven.
type Event struct {
	// ID is the same at each attempt to deliver one webhook. Expect it twice.
	ID string
	// SentAt is when this attempt was signed.
	SentAt time.Time
	// Optimization is how the optimization ended, as [Client.GetOptimization] reads it.
	Optimization Optimization
}

// ErrWebhook is a webhook that did not come from the service, or was changed or kept back on its way. Errors of this
// kind wrap it and say why.
var ErrWebhook = errors.New("veracity: webhook refused")

// VerifyWebhook checks both signatures of a webhook over its body, byte for byte as it came, and that it was signed within
// [WebhookTolerance] of now. Secret is the signing secret of the key that started the job. Comparisons take constant time.
func VerifyWebhook(header http.Header, body []byte, secret string, now time.Time) (*Event, error) {
	return Webhooks{Secrets: []string{secret}}.verify(header, body, now)
}

// Webhooks verifies webhooks of several keys.
type Webhooks struct {
	// Secrets are the signing secrets of all keys whose jobs send webhooks here: while a key is replaced, those of the old
	// and the new one.
	Secrets []string
	// Tolerance is how far the time of a webhook may lie from this machine's, by default [WebhookTolerance].
	Tolerance time.Duration
}

// Verify checks a webhook against the time of this machine.
func (w Webhooks) Verify(header http.Header, body []byte) (*Event, error) {
	return w.verify(header, body, time.Now())
}

func (w Webhooks) verify(header http.Header, body []byte, now time.Time) (*Event, error) {
	sentAt, err := w.sentAt(header, now)
	if err != nil {
		return nil, err
	}
	proven := false
	for _, secret := range w.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil || len(key) == 0 || !strings.HasPrefix(secret, secretPrefix) {
			return nil, errors.New("veracity: a signing secret is whsec_ and base64; this one is not")
		}
		// Both are always looked at, for every secret: how long it takes says nothing.
		both := standardHolds(key, header, body) & serviceHolds(secret, header, body)
		proven = proven || both == 1
	}
	if !proven {
		return nil, fmt.Errorf("%w: the signatures are not those of the body", ErrWebhook)
	}
	event := &Event{ID: header.Get("Webhook-Id"), SentAt: sentAt}
	if err := json.Unmarshal(body, &event.Optimization); err != nil {
		return nil, fmt.Errorf("veracity: read the webhook: %w", err)
	}
	if failed := event.Optimization.Error; failed != nil {
		failed.JobID = event.Optimization.ID
	}
	return event, nil
}

// sentAt reads the time that is signed, and refuses what is old enough to be sent again by a stranger.
func (w Webhooks) sentAt(header http.Header, now time.Time) (time.Time, error) {
	seconds, err := strconv.ParseInt(header.Get("Webhook-Timestamp"), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: it has no webhook-timestamp", ErrWebhook)
	}
	tolerance := w.Tolerance
	if tolerance <= 0 {
		tolerance = WebhookTolerance
	}
	at := time.Unix(seconds, 0)
	if at.Before(now.Add(-tolerance)) || at.After(now.Add(tolerance)) {
		return time.Time{}, fmt.Errorf("%w: it was signed at %s, more than %s from now", ErrWebhook, at.UTC().Format(time.RFC3339), tolerance)
	}
	return at, nil
}

// standardHolds checks webhook-signature (Standard Webhooks 1.0, "Signature scheme"), which may name several.
func standardHolds(key []byte, header http.Header, body []byte) int {
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, header.Get("Webhook-Id")+"."+header.Get("Webhook-Timestamp")+".")
	_, _ = mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	holds := 0
	for _, got := range strings.Fields(header.Get("Webhook-Signature")) {
		holds |= equal(got, want)
	}
	return holds
}

// serviceHolds checks Service-Signature: the whole secret is its key, and the body alone is signed.
func serviceHolds(secret string, header http.Header, body []byte) int {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(body)
	return equal(header.Get("Service-Signature"), "sha256="+hex.EncodeToString(mac.Sum(nil)))
}

func equal(got, want string) int {
	if hmac.Equal([]byte(got), []byte(want)) {
		return 1
	}
	return 0
}

// Handler takes webhooks and has act work on each whose sender is proven. It answers 204 when act succeeds and 500 when it
// fails, upon which the service sends the webhook again; 401 for anything that is not proven. Let act be done within a few
// seconds, and leave longer work to something else: the service gives an attempt 10.
func (w Webhooks) Handler(act func(context.Context, *Event) error) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			rw.Header().Set("Allow", http.MethodPost)
			http.Error(rw, "send webhooks by POST", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxWebhook))
		if err != nil {
			http.Error(rw, "the body could not be read", http.StatusBadRequest)
			return
		}
		event, err := w.Verify(r.Header, body)
		switch {
		case errors.Is(err, ErrWebhook):
			http.Error(rw, "the webhook is not proven", http.StatusUnauthorized)
			return
		case err != nil:
			http.Error(rw, "the webhook could not be read", http.StatusInternalServerError)
			return
		}
		if err := act(r.Context(), event); err != nil {
			http.Error(rw, "try again", http.StatusInternalServerError)
			return
		}
		rw.WriteHeader(http.StatusNoContent)
	})
}
