package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/postgres"
	"veracity/webhook"
)

// overdue is how long an attempt at a webhook may be due before its driver is taken for lost.
const overdue = time.Minute

// takeUp queues anew what no row of River's drives any more: jobs whose worker died and webhooks that are overdue.
func takeUp(db *pgxpool.Pool, queue *Queue, acts Acts) func(context.Context) error {
	return func(ctx context.Context) error {
		lost, err := acts.Media.FindLost(ctx)
		if err != nil {
			return err
		}
		for _, job := range lost {
			if err := drive(ctx, db, queue, job.Job, map[string]any{"job": job.ID}); err != nil {
				return err
			}
		}
		late, err := acts.Webhooks.Overdue(ctx, overdue)
		if err != nil {
			return err
		}
		for _, id := range late {
			if err := drive(ctx, db, queue, webhook.Job{Delivery: id}, map[string]any{"delivery": id}); err != nil {
				return err
			}
		}
		return nil
	}
}

// justBegun is how long a row that a worker has begun is trusted to be on its way to its act.
const justBegun = 20 * time.Second

// drive inserts a job unless a row of River's will run it, or has just begun to. A row that has run for longer is the
// lost worker's.
func drive(ctx context.Context, db *pgxpool.Pool, queue *Queue, job interface{ Kind() string }, args map[string]any) error {
	return postgres.Tx(ctx, db, func(tx pgx.Tx) error {
		var driven bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (
				SELECT FROM river_job
				WHERE kind = @kind AND args @> @args
				  AND (state IN ('available', 'pending', 'retryable', 'scheduled')
				       OR (state = 'running' AND attempted_at > now() - @begun::interval)))`,
			pgx.NamedArgs{"kind": job.Kind(), "args": args, "begun": justBegun}).Scan(&driven)
		if err != nil {
			return fmt.Errorf("look who drives a job: %w", err)
		}
		if driven {
			return nil
		}
		return queue.Insert(ctx, tx, job)
	})
}
