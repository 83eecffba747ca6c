// Package jobs runs what happens outside of requests on River queues in PostgreSQL. It registers the workers and the
// periodic jobs; each only calls one act of a domain package. No act itself lives here.
package jobs

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Worker works queues until it is stopped.
type Worker struct {
	client *river.Client[pgx.Tx]
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
	acts.Tasks = append(acts.Tasks[:len(acts.Tasks):len(acts.Tasks)],
		Task{Name: "take-up-lost-jobs", Every: cfg.TakeUpEvery, Run: takeUp(db, queue, acts)})
	workers := river.NewWorkers()
	if err := register(workers, cfg, acts); err != nil {
		return nil, fmt.Errorf("register workers: %w", err)
	}
	queues := map[string]river.QueueConfig{}
	for _, q := range cfg.Queues {
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
	return &Worker{client: client}, nil
}

// Stop takes no more jobs and waits for those that run, at most for Config.SoftStop.
func (w *Worker) Stop(ctx context.Context) error {
	if err := w.client.Stop(ctx); err != nil {
		return fmt.Errorf("stop worker: %w", err)
	}
	return nil
}

// Depth counts the jobs of each queue that wait to run.
func Depth(ctx context.Context, db *pgxpool.Pool) (map[string]int64, error) {
	rows, err := db.Query(ctx, `
		SELECT queue, count(*) FROM river_job WHERE state IN ('available', 'retryable', 'scheduled') GROUP BY queue`)
	if err != nil {
		return nil, fmt.Errorf("count waiting jobs: %w", err)
	}
	depth := map[string]int64{}
	for _, q := range Queues() {
		depth[q] = 0
	}
	var (
		queue string
		n     int64
	)
	_, err = pgx.ForEachRow(rows, []any{&queue, &n}, func() error {
		depth[queue] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count waiting jobs: %w", err)
	}
	return depth, nil
}
