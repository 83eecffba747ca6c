package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"veracity/account"
	"veracity/billing"
	"veracity/media"
	"veracity/webhook"
)

// attempts is how often River calls a worker whose call failed, which means that the database did: what becomes of a
// job's own failures stands in its row.
const attempts = 25

// Queue puts jobs on their queues. It works none, so any process can have one.
type Queue struct {
	client *river.Client[pgx.Tx]
}

// NewQueue makes a queue on the database.
func NewQueue(db *pgxpool.Pool) (*Queue, error) {
	client, err := river.NewClient(riverpgxv5.New(db), &river.Config{})
	if err != nil {
		return nil, fmt.Errorf("make queue: %w", err)
	}
	return &Queue{client: client}, nil
}

// Insert puts a domain's job on its queue in tx; it runs once tx has committed.
func (q *Queue) Insert(ctx context.Context, tx pgx.Tx, job interface{ Kind() string }) error {
	args, opts, err := insertion(job)
	if err != nil {
		return err
	}
	if _, err := q.client.InsertTx(ctx, tx, args, opts); err != nil {
		return fmt.Errorf("insert %s job: %w", job.Kind(), err)
	}
	return nil
}

// Priorities: what was begun before goes before what was not, for its time is running.
const (
	begunPriority = 1
	newPriority   = 2
)

// insertion says on which queue each kind of job goes, and how far in front.
func insertion(job interface{ Kind() string }) (river.JobArgs, *river.InsertOpts, error) {
	opts := &river.InsertOpts{MaxAttempts: attempts, Priority: newPriority}
	begun := false
	switch args := job.(type) {
	case media.CheckJob:
		opts.Queue, begun = QueueCheck, args.Begun
	case media.OptimizeJob:
		opts.Queue, begun = QueueOptimize, args.Begun
	case webhook.Job:
		opts.Queue = QueueWebhook
	case billing.EventJob:
		opts.Queue, opts.MaxAttempts = QueueBilling, billingAttempts
	case billing.SyncJob:
		opts.Queue, opts.MaxAttempts = QueueBilling, syncAttempts
	case account.Letter:
		opts.Queue, opts.MaxAttempts = QueueLetter, letterAttempts
	default:
		return nil, nil, fmt.Errorf("no queue works jobs of type %T", job)
	}
	if begun {
		opts.Priority = begunPriority
	}
	return job, opts, nil
}
