package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/postgres"
	"veracity/webhook"
)

// overdue is how long an attempt at a webhook may be due before its driver is taken for lost.
const overdue = time.Minute

// taker queues anew what no row of River's drives any more: jobs whose worker died and webhooks that are overdue. It runs
// beside the queues, so that no long task and no change of River's leader keeps a lost job waiting.
type taker struct {
	db    *pgxpool.Pool
	queue *Queue
	acts  Acts
	log   *slog.Logger
}

// run looks around at once and then every interval, until ctx ends.
func (t *taker) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := t.look(ctx); err != nil && ctx.Err() == nil {
			t.log.ErrorContext(ctx, "take up lost jobs", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (t *taker) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	lost, err := t.acts.Media.FindLost(ctx)
	if err != nil {
		return err
	}
	for _, job := range lost {
		if err := t.drive(ctx, job, "job", job.ID()); err != nil {
			return err
		}
	}
	late, err := t.acts.Webhooks.Overdue(ctx, overdue)
	if err != nil {
		return err
	}
	for _, id := range late {
		if err := t.drive(ctx, webhook.Job{Delivery: id}, "delivery", id); err != nil {
			return err
		}
	}
	return nil
}

// justBegun is how long a row that a worker has begun is trusted to be on its way to its act.
const justBegun = 20 * time.Second

// drive inserts a job unless a row of River's will run it, or has just begun to. A row that has run for longer is the
// lost worker's. The lock keeps workers that look at the same time from inserting it twice.
func (t *taker) drive(ctx context.Context, job interface{ Kind() string }, name string, id uuid.UUID) error {
	return postgres.Tx(ctx, t.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended(@id, 0))`, pgx.NamedArgs{"id": id.String()}); err != nil {
			return fmt.Errorf("lock job to take up: %w", err)
		}
		var driven bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (
				SELECT FROM river_job
				WHERE kind = @kind AND args @> jsonb_build_object(@name::text, @id::uuid)
				  AND (state IN ('available', 'pending', 'retryable', 'scheduled')
				       OR (state = 'running' AND attempted_at > now() - @begun::interval)))`,
			pgx.NamedArgs{"kind": job.Kind(), "name": name, "id": id, "begun": justBegun}).Scan(&driven)
		if err != nil {
			return fmt.Errorf("look who drives a job: %w", err)
		}
		if driven {
			return nil
		}
		return t.queue.Insert(ctx, tx, job)
	})
}
