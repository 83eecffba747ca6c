package billing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v79/webhook"

	"veracity/platform/postgres"
)

var (
	// ErrClosed is an event at an endpoint that has no secret to prove it by.
	ErrClosed = errors.New("no events are taken: VERACITY_STRIPE_WEBHOOK_SECRET is not set")
	// ErrSignature is an event whose signature is missing, wrong, or older than 5 minutes, or that is no event.
	ErrSignature = errors.New("the event is not signed by Stripe just now")
)

// handled are the types of events that something follows from. What follows is always the same: the account is compared
// with Stripe. The rest is kept and ignored.
var handled = map[string]bool{
	"checkout.session.completed": true, "checkout.session.async_payment_succeeded": true,
	"customer.subscription.created": true, "customer.subscription.updated": true, "customer.subscription.deleted": true,
	"customer.subscription.paused": true, "customer.subscription.resumed": true,
	"customer.subscription.pending_update_applied": true, "customer.subscription.pending_update_expired": true,
	"invoice.paid": true, "invoice.payment_failed": true, "invoice.payment_action_required": true,
	eventDispute: true, "customer.deleted": true,
}

const eventDispute = "charge.dispute.created"

// EventTypes are the events that the webhook endpoint asks Stripe for, in order.
func EventTypes() []string {
	return []string{
		"charge.dispute.created", "checkout.session.async_payment_succeeded", "checkout.session.completed", "customer.deleted",
		"customer.subscription.created", "customer.subscription.deleted", "customer.subscription.paused",
		"customer.subscription.pending_update_applied", "customer.subscription.pending_update_expired",
		"customer.subscription.resumed", "customer.subscription.updated",
		"invoice.paid", "invoice.payment_action_required", "invoice.payment_failed",
	}
}

// header is the part of an event that is read: what it is and what it speaks of. Everything else is asked for anew.
type header struct {
	object, customer string
}

// readHeader takes the ids out of an event's object, whatever its kind. A field that is expanded is an object of its own.
func readHeader(raw json.RawMessage) (header, error) {
	var o struct {
		ID       string          `json:"id"`
		Object   string          `json:"object"`
		Customer json.RawMessage `json:"customer"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return header{}, fmt.Errorf("read object of event: %w", err)
	}
	h := header{object: o.ID}
	if o.Object == "customer" {
		h.customer = o.ID
	}
	if len(o.Customer) > 0 && json.Unmarshal(o.Customer, &h.customer) != nil {
		var expanded struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(o.Customer, &expanded); err != nil {
			return header{}, fmt.Errorf("read customer of event: %w", err)
		}
		h.customer = expanded.ID
	}
	return h, nil
}

// Intake stores an event and queues its work in one transaction, once however often it comes. body is what came, byte for
// byte, at most 1 MiB; signature the value of Stripe-Signature. Errors: [ErrClosed], [ErrSignature], or that storing failed,
// after which Stripe sends the event again.
func (s *Service) Intake(ctx context.Context, body []byte, signature string) error {
	if !s.Open() {
		return ErrClosed
	}
	// The version is not compared: of an event only what all versions share is read.
	event, err := webhook.ConstructEventWithOptions(body, signature, s.cfg.WebhookSecret,
		webhook.ConstructEventOptions{IgnoreAPIVersionMismatch: true})
	if err != nil || event.ID == "" || event.Data == nil {
		s.Metrics.count("refused")
		return fmt.Errorf("%w: %w", ErrSignature, errors.Join(err))
	}
	h, err := readHeader(event.Data.Raw)
	if err != nil {
		s.Metrics.count("refused")
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	outcome := "repeated"
	err = postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error {
		state := EventIgnored
		if handled[string(event.Type)] {
			state = EventPending
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO stripe_event (id, type, object, customer, payload, state, ended_at, account_id)
			VALUES (@id, @type, @object, @customer, @payload, @state, CASE WHEN @state::text = 'pending' THEN NULL ELSE now() END,
			        (SELECT account_id FROM stripe_customer WHERE id = @customer))
			ON CONFLICT (id) DO NOTHING`,
			pgx.NamedArgs{
				"id": event.ID, "type": string(event.Type), "object": h.object, "customer": h.customer, "payload": json.RawMessage(body), "state": state,
			})
		if err != nil {
			return fmt.Errorf("store event: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		outcome = "stored"
		if state == EventIgnored {
			return nil
		}
		return s.Queue.Insert(ctx, tx, EventJob{Event: event.ID})
	})
	if err != nil {
		return err
	}
	s.Metrics.count(outcome)
	return nil
}
