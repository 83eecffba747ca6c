package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/safefetch"
)

// statusGone is how a receiver says that it wants no more of this (RFC 9110, section 15.5.11).
const statusGone = 410

// attemptGrace is how long after its time-out an attempt may still be written down before another worker takes the
// delivery for abandoned.
const attemptGrace = 20 * time.Second

// due is a delivery whose attempt is this worker's to make.
type due struct {
	account, key uuid.UUID
	url          string
	payload      []byte
	number, step int
}

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
// is to be done. It may be called at any time and by several workers at once: of those one makes the attempt. A worker
// that dies in it leaves the attempt without an end, and the next one is due soon after.
func (d *Deliveries) Attempt(ctx context.Context, id uuid.UUID) (time.Duration, error) {
	job, wait, err := d.claim(ctx, id)
	if err != nil || job == nil {
		return wait, err
	}
	result, err := d.post(ctx, id, *job)
	if err != nil {
		return 0, err
	}
	return d.record(ctx, id, *job, result)
}

// claim takes the attempt that is due. Without one it returns nil and the time until there is one, 0 for never.
func (d *Deliveries) claim(ctx context.Context, id uuid.UUID) (*due, time.Duration, error) {
	job := &due{}
	err := d.db.QueryRow(ctx, `
		WITH claimed AS (
			UPDATE delivery SET attempts = attempts + 1, next_at = now() + @lease::interval
			WHERE id = @id AND state = 'pending' AND next_at <= now()
			RETURNING id, account_id, key_id, url, payload, attempts, step
		), numbered AS (
			INSERT INTO delivery_attempt (delivery_id, number) SELECT id, attempts FROM claimed
		)
		SELECT account_id, key_id, url, payload, attempts, step FROM claimed`,
		pgx.NamedArgs{"id": id, "lease": d.cfg.Timeout + attemptGrace},
	).Scan(&job.account, &job.key, &job.url, &job.payload, &job.number, &job.step)
	if err == nil {
		return job, 0, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return nil, 0, fmt.Errorf("claim delivery: %w", err)
	}
	var wait time.Duration
	err = d.db.QueryRow(ctx, `SELECT greatest(next_at - now(), '1 millisecond') FROM delivery WHERE id = @id AND state = 'pending'`,
		pgx.NamedArgs{"id": id}).Scan(&wait)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("look when delivery is due: %w", err)
	}
	return nil, wait, nil
}

// post makes the attempt. Its error is one of ours, which says nothing about the receiver.
func (d *Deliveries) post(ctx context.Context, id uuid.UUID, job due) (outcome, error) {
	header, err := d.sign(ctx, id, job)
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

func (d *Deliveries) sign(ctx context.Context, id uuid.UUID, job due) (map[string][]string, error) {
	secret, err := d.secrets.SigningSecret(ctx, job.account, job.key)
	if err != nil {
		return nil, err
	}
	return headers(secret, id, time.Now(), job.payload)
}

// record writes the attempt down and moves the delivery on. A delivery that another attempt has moved in the meantime
// keeps its state.
func (d *Deliveries) record(ctx context.Context, id uuid.UUID, job due, o outcome) (time.Duration, error) {
	state, wait := Pending, time.Duration(0)
	switch {
	case o.delivered():
		state = Delivered
	case o.gone(), job.step >= len(d.cfg.Retries):
		state = GivenUp
	default:
		wait = jittered(d.cfg.Retries[job.step])
	}
	// The caller's end is not the attempt's: what was sent must be known.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptGrace/2)
	defer cancel()
	_, err := d.db.Exec(ctx, `
		WITH noted AS (
			UPDATE delivery_attempt SET ended_at = now(), status = @status, latency_ms = @latency,
			       excerpt = @excerpt, error = nullif(@error, '')
			WHERE delivery_id = @id AND number = @number
		)
		UPDATE delivery SET state = @state, step = @step,
		       next_at = CASE WHEN @state = 'pending' THEN now() + @wait::interval END,
		       ended_at = CASE WHEN @state <> 'pending' THEN now() END
		WHERE id = @id AND state = 'pending' AND attempts = @number`,
		pgx.NamedArgs{
			"id": id, "number": job.number, "status": o.status, "latency": o.latency.Milliseconds(), "excerpt": o.excerpt,
			"error": o.err, "state": state, "step": job.step + 1, "wait": wait,
		})
	if err != nil {
		return 0, fmt.Errorf("record attempt: %w", err)
	}
	d.metrics.attempted(o, state)
	if state == GivenUp {
		d.log.WarnContext(ctx, "webhook given up", "account", job.account, "delivery", id, "attempts", job.number, "gone", o.gone())
	}
	return wait, nil
}

// jittered lengthens a wait by up to a fifth.
func jittered(wait time.Duration) time.Duration {
	return wait + rand.N(wait/5+1) //nolint:gosec // spread, not secrecy
}
