package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"veracity/media"
	"veracity/webhook"
)

// Acts are what the workers call.
type Acts struct {
	Media    *media.Service
	Webhooks *webhook.Deliveries
	// Letters sends mails. A worker of the queue letter needs it.
	Letters Letters
	// Billing makes accounts follow their payments; nil in a process that takes none, which leaves the queue billing alone.
	Billing Billing
	// Tasks are the periodic acts of maintenance.
	Tasks []Task
}

// driver wakes an act up until it says that nothing is left to do. River's row only drives: the act reads where it
// stands from its own row, may be called twice, and decides about its own failures and retries.
type driver[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	timeout time.Duration
	id      func(T) uuid.UUID
	act     func(ctx context.Context, id uuid.UUID) (again time.Duration, err error)
}

// Work calls the act once. A wait that it asks for is a snooze, which River does not count as an attempt.
func (d *driver[T]) Work(ctx context.Context, job *river.Job[T]) error {
	again, err := d.act(ctx, d.id(job.Args))
	if err != nil {
		return err
	}
	if again > 0 {
		return river.JobSnooze(again)
	}
	return nil
}

// Timeout implements river.Worker.
func (d *driver[T]) Timeout(*river.Job[T]) time.Duration { return d.timeout }

// maxErrorWait is the longest wait after an act could not reach its database.
const maxErrorWait = time.Minute

// NextRetry implements river.Worker: soon, since an error here is the database's and not the job's.
func (d *driver[T]) NextRetry(job *river.Job[T]) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*5*time.Second, maxErrorWait))
}

// webhookTimeout is the net below an attempt at a webhook, which ends by its own time-out long before.
const webhookTimeout = 3 * time.Minute

// register adds a worker for each kind of job.
func register(workers *river.Workers, cfg Config, acts Acts, log *slog.Logger) error {
	if err := river.AddWorkerSafely(workers, &driver[media.CheckJob]{
		timeout: cfg.JobTimeout, act: acts.Media.Work, id: func(j media.CheckJob) uuid.UUID { return j.Job },
	}); err != nil {
		return err
	}
	if err := river.AddWorkerSafely(workers, &driver[media.OptimizeJob]{
		timeout: cfg.JobTimeout, act: acts.Media.Work, id: func(j media.OptimizeJob) uuid.UUID { return j.Job },
	}); err != nil {
		return err
	}
	if err := river.AddWorkerSafely(workers, &driver[webhook.Job]{
		timeout: webhookTimeout, act: acts.Webhooks.Attempt, id: func(j webhook.Job) uuid.UUID { return j.Delivery },
	}); err != nil {
		return err
	}
	if err := river.AddWorkerSafely(workers, &letterWorker{letters: acts.Letters, log: log}); err != nil {
		return err
	}
	if err := river.AddWorkerSafely(workers, &eventWorker{billing: acts.Billing}); err != nil {
		return err
	}
	if err := river.AddWorkerSafely(workers, &syncWorker{billing: acts.Billing}); err != nil {
		return err
	}
	return river.AddWorkerSafely(workers, &taskWorker{tasks: acts.Tasks, timeout: cfg.TaskTimeout})
}
