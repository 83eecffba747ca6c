package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/safefetch"
)

// statusGone is how a receiver says that it wants no more of this (RFC 9110, section 15.5.11).
const statusGone = 410

// outcome is what became of an attempt.
type outcome struct {
	status  *int
	latency time.Duration
	excerpt []byte
	err     string
}

func (o outcome) delivered() bool { return o.status != nil && *o.status >= 200 && *o.status <= 299 }
func (o outcome) gone() bool      { return o.status != nil && *o.status == statusGone }

// Attempt makes the attempt that is due, if one is, and returns how long to wait for the next; 0 means that nothing more
// is to be done. It may be called at any time and by several workers at once: of those one makes the attempt. An attempt
// whose account has its share under way waits a little and is not counted. A worker that dies in it leaves the attempt
// without an end, and the next one is due soon after.
func (d *Deliveries) Attempt(ctx context.Context, id uuid.UUID) (time.Duration, error) {
	account, late, err := d.look(ctx, id)
	if err != nil || account == uuid.Nil {
		return 0, err
	}
	if late < 0 {
		return -late, nil
	}
	place := d.shares.enter(account)
	if place == nil {
		d.metrics.putOff.Inc()
		return putOff(late), nil
	}
	asked := false
	defer func() { d.shares.leave(place, asked) }()
	job, err := d.claim(ctx, account, id)
	if err != nil {
		return 0, err
	}
	if job == nil {
		d.metrics.putOff.Inc()
		return putOff(late), nil
	}
	asked = true
	result, err := d.post(ctx, id, *job)
	if err != nil {
		return 0, err
	}
	return d.record(ctx, id, *job, result)
}

// post makes the attempt. Its error is one of ours, which says nothing about the receiver.
func (d *Deliveries) post(ctx context.Context, id uuid.UUID, job due) (outcome, error) {
	header, err := d.sign(ctx, job.account, job.key, id, job.started, job.payload)
	if err != nil && ctx.Err() == nil {
		d.log.ErrorContext(ctx, "webhook cannot be signed", "account", job.account, "delivery", id, "error", err)
		return outcome{err: "The service could not sign it."}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	began := time.Now()
	answer, err := d.fetch.Post(ctx, job.url, header, job.payload, d.cfg.Timeout)
	var refused *safefetch.Error
	switch {
	case errors.As(err, &refused):
		return outcome{latency: time.Since(began), err: refused.Reason}, nil
	case err != nil:
		return outcome{}, fmt.Errorf("post webhook: %w", err)
	}
	return outcome{status: &answer.Status, latency: answer.Latency, excerpt: answer.Excerpt}, nil
}

// sign gives the headers of an attempt that began at a time.
func (d *Deliveries) sign(ctx context.Context, account, key, id uuid.UUID, at time.Time, payload []byte) (map[string][]string, error) {
	secret, err := d.secrets.SigningSecret(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return headers(secret, id, at, payload)
}

// Signed gives the headers that the last attempt at a delivery of the account was sent with, signatures included, nil when
// none has been made. Refusals: not_found, unknown_key (the account has the key no longer).
func (d *Deliveries) Signed(ctx context.Context, account, id uuid.UUID) (map[string][]string, error) {
	delivery, attempts, err := d.Get(ctx, account, id)
	if err != nil || len(attempts) == 0 {
		return nil, err
	}
	header, err := d.sign(ctx, account, delivery.Key, id, attempts[len(attempts)-1].StartedAt, delivery.Payload)
	if err != nil {
		return nil, fmt.Errorf("sign delivery to show it: %w", err)
	}
	return header, nil
}

// record writes the attempt down and moves the delivery on, along the schedule as the row has it by then: a redelivery may
// have begun it anew. A delivery that another attempt has moved in the meantime keeps its state, and is that one's to go
// on with.
func (d *Deliveries) record(ctx context.Context, id uuid.UUID, job due, o outcome) (time.Duration, error) {
	end, waits := GivenUp, make([]time.Duration, 0, len(d.cfg.Retries))
	switch {
	case o.delivered():
		end = Delivered
	case o.gone():
	default:
		for _, wait := range d.cfg.Retries {
			waits = append(waits, jittered(wait))
		}
	}
	// The caller's end is not the attempt's: what was sent must be known.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptGrace/2)
	defer cancel()
	state, wait := Pending, time.Duration(0)
	// An array has NULL past its end.
	err := d.db.QueryRow(ctx, `
		WITH noted AS (
			UPDATE delivery_attempt SET ended_at = now(), status = @status, latency_ms = @latency,
			       excerpt = @excerpt, error = nullif(@error, '')
			WHERE delivery_id = @id AND number = @number
		)
		UPDATE delivery SET attempting = false, step = step + 1,
		       next_at = now() + (@waits::interval[])[step + 1],
		       state = CASE WHEN (@waits::interval[])[step + 1] IS NULL THEN @end ELSE 'pending' END,
		       ended_at = CASE WHEN (@waits::interval[])[step + 1] IS NULL THEN now() END
		WHERE id = @id AND state = 'pending' AND attempts = @number
		RETURNING state, coalesce(next_at - now(), '0')`,
		pgx.NamedArgs{
			"id": id, "number": job.number, "status": o.status, "latency": o.latency.Milliseconds(), "excerpt": o.excerpt,
			"error": o.err, "end": end, "waits": waits,
		}).Scan(&state, &wait)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("record attempt: %w", err)
	}
	d.metrics.attempted(o, state)
	if state == GivenUp {
		d.log.WarnContext(ctx, "webhook given up", "account", job.account, "delivery", id, "attempts", job.number, "gone", o.gone())
	}
	return wait, nil
}
