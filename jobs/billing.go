package jobs

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"veracity/billing"
)

// Billing makes accounts follow their payments; package billing does.
type Billing interface {
	// Work and Sync say how long to wait for another worker that has the account, 0 when they are done.
	Work(ctx context.Context, event string) (again time.Duration, err error)
	Sync(ctx context.Context, account uuid.UUID) (again time.Duration, err error)
	// GiveUp notes that an event is not tried again by itself.
	GiveUp(ctx context.Context, event string, cause error) error
}

// billingWaits are the waits after each failed try, about a day together. A comparison that is given up is made anew within
// the hour.
var billingWaits = [...]time.Duration{
	5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

const (
	billingAttempts = len(billingWaits) + 1
	// syncAttempts is few, since the hourly task compares again.
	syncAttempts = 5
	// billingTimeout is the net below one try, which ends by its own time-outs.
	billingTimeout = 5 * time.Minute
)

// billingRetry adds up to a tenth, so that jobs that failed together do not come back together.
func billingRetry(attempt int) time.Time {
	wait := billingWaits[min(max(attempt, 1), len(billingWaits))-1]
	return time.Now().Add(wait + rand.N(wait/10)) //nolint:gosec // spreads load, guards nothing
}

var errNoBilling = errors.New("this process takes no payments: set VERACITY_STRIPE_SECRET_KEY, or work other queues")

type eventWorker struct {
	river.WorkerDefaults[billing.EventJob]
	billing Billing
}

// Work works an event once. The last failure gives the event up, for an operator to see.
func (w *eventWorker) Work(ctx context.Context, job *river.Job[billing.EventJob]) error {
	if w.billing == nil {
		return errNoBilling
	}
	again, err := w.billing.Work(ctx, job.Args.Event)
	switch {
	case err == nil && again > 0:
		return river.JobSnooze(again)
	case err == nil || ctx.Err() != nil || job.Attempt < job.MaxAttempts:
		return err
	}
	return errors.Join(err, w.billing.GiveUp(ctx, job.Args.Event, err))
}

// Timeout implements river.Worker.
func (w *eventWorker) Timeout(*river.Job[billing.EventJob]) time.Duration { return billingTimeout }

// NextRetry implements river.Worker.
func (w *eventWorker) NextRetry(job *river.Job[billing.EventJob]) time.Time {
	return billingRetry(job.Attempt)
}

type syncWorker struct {
	river.WorkerDefaults[billing.SyncJob]
	billing Billing
}

// Work compares an account once.
func (w *syncWorker) Work(ctx context.Context, job *river.Job[billing.SyncJob]) error {
	if w.billing == nil {
		return errNoBilling
	}
	again, err := w.billing.Sync(ctx, job.Args.Account)
	if err == nil && again > 0 {
		return river.JobSnooze(again)
	}
	return err
}

// Timeout implements river.Worker.
func (w *syncWorker) Timeout(*river.Job[billing.SyncJob]) time.Duration { return billingTimeout }

// NextRetry implements river.Worker.
func (w *syncWorker) NextRetry(job *river.Job[billing.SyncJob]) time.Time {
	return billingRetry(job.Attempt)
}
