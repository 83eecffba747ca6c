package webhook

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/postgres"
)

// Redeliver sends a delivery of the actor's account again, at once and with the whole schedule before it; one that waits
// for its next attempt makes that now. An attempt under way is the first of the new schedule. The same id and bytes are
// sent, so a receiver that has had it can tell. Refusals: forbidden, not_found.
func (d *Deliveries) Redeliver(ctx context.Context, by access.Actor, id uuid.UUID) error {
	if err := by.May(access.Redeliver); err != nil {
		return err
	}
	return postgres.Tx(ctx, d.db, func(tx pgx.Tx) error {
		var (
			running, queued bool
			job             uuid.UUID
		)
		err := tx.QueryRow(ctx, `
			SELECT attempting AND next_at > now(), state = 'pending' AND NOT attempting AND next_at <= now(), job_id
			FROM delivery WHERE id = @id AND account_id = @account FOR UPDATE`,
			pgx.NamedArgs{"id": id, "account": by.Account}).Scan(&running, &queued, &job)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknown()
		}
		if err != nil {
			return fmt.Errorf("read delivery to reopen: %w", err)
		}
		if _, err := tx.Exec(ctx, `
			UPDATE delivery SET state = 'pending', step = 0, ended_at = NULL, attempting = @running,
			       next_at = CASE WHEN @running THEN next_at ELSE least(next_at, now()) END
			WHERE id = @id AND account_id = @account`,
			pgx.NamedArgs{"id": id, "account": by.Account, "running": running}); err != nil {
			return fmt.Errorf("reopen delivery: %w", err)
		}
		if err := trail.Write(ctx, tx, by, "webhook.redelivered", id.String(), map[string]string{"job": job.String()}); err != nil {
			return err
		}
		// Whoever makes an attempt, or is woken to make it, goes on with the delivery.
		if running || queued {
			return nil
		}
		if err := d.queue.Insert(ctx, tx, Job{Delivery: id}); err != nil {
			return fmt.Errorf("queue delivery: %w", err)
		}
		return nil
	})
}
