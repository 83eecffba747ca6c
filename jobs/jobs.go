// Package jobs runs what happens outside of requests on River queues in PostgreSQL. It registers the workers and the
// periodic jobs; each only calls one act of a domain package. No act itself lives here.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Worker works queues until it is stopped.
type Worker struct {
	client *river.Client[pgx.Tx]
	// quit ends the taker, and taken is closed when it has.
	quit  context.CancelFunc
	taken chan struct{}
}

// Start begins to work the queues of cfg.
func Start(ctx context.Context, cfg Config, db *pgxpool.Pool, acts Acts, log *slog.Logger) (*Worker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	queue, err := NewQueue(db)
	if err != nil {
		return nil, err
	}
	workers := river.NewWorkers()
	if err := register(workers, cfg, acts, log); err != nil {
		return nil, fmt.Errorf("register workers: %w", err)
	}
	queues := map[string]river.QueueConfig{}
	for _, q := range cfg.Queues {
		if q == QueueBilling && acts.Billing == nil && len(cfg.Queues) > 1 {
			continue
		}
		queues[q] = river.QueueConfig{MaxWorkers: cfg.atOnce(q)}
	}
	client, err := river.NewClient(riverpgxv5.New(db), &river.Config{
		Queues: queues, Workers: workers, PeriodicJobs: periodic(acts.Tasks), Logger: slog.New(warnings{log.Handler()}),
		JobTimeout: cfg.JobTimeout, RescueStuckJobsAfter: cfg.RescueAfter, SoftStopTimeout: cfg.SoftStop,
		FetchPollInterval: cfg.Poll, MaxAttempts: attempts, ErrorHandler: &reporter{log: log},
	})
	if err != nil {
		return nil, fmt.Errorf("make worker: %w", err)
	}
	// The worker ends through Stop, which lets jobs finish, and not with the context that started it.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	w := &Worker{client: client, taken: make(chan struct{})}
	taking, quit := context.WithCancel(context.WithoutCancel(ctx))
	w.quit = quit
	go func() {
		defer close(w.taken)
		(&taker{db: db, queue: queue, acts: acts, log: log}).run(taking, cfg.TakeUpEvery)
	}()
	return w, nil
}

// Stop takes no more jobs and waits for those that run, at most for Config.SoftStop.
func (w *Worker) Stop(ctx context.Context) error {
	w.quit()
	<-w.taken
	if err := w.client.Stop(ctx); err != nil {
		return fmt.Errorf("stop worker: %w", err)
	}
	return nil
}

// Depth is how a queue stands.
type Depth struct {
	// Due is how many jobs could run now, Oldest how long the first of them has waited.
	Due    int64
	Oldest time.Duration
}

// Depths reads how each queue stands. Jobs that wait for their time, such as webhooks between two attempts, do not count.
func Depths(ctx context.Context, db *pgxpool.Pool) (map[string]Depth, error) {
	rows, err := db.Query(ctx, `
		SELECT queue, count(*), max(now() - scheduled_at) FROM river_job
		WHERE state IN ('available', 'retryable', 'scheduled') AND scheduled_at <= now() GROUP BY queue`)
	if err != nil {
		return nil, fmt.Errorf("count waiting jobs: %w", err)
	}
	depths := map[string]Depth{}
	for _, q := range Queues() {
		depths[q] = Depth{}
	}
	var (
		queue string
		d     Depth
	)
	_, err = pgx.ForEachRow(rows, []any{&queue, &d.Due, &d.Oldest}, func() error {
		depths[queue] = d
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count waiting jobs: %w", err)
	}
	return depths, nil
}
