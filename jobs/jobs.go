// Package jobs runs what happens outside of requests on River queues in PostgreSQL. It registers the workers and the
// periodic jobs; each only calls one act of a domain package. No act itself lives here.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// QueueMaintenance is the queue of the periodic jobs.
const QueueMaintenance = "maintenance"

// Queues are the names that a worker can be told to work.
func Queues() []string { return []string{QueueMaintenance} }

// Config are the settings of a worker.
type Config struct {
	// Queues are the queues that this process works.
	Queues []string
	// MaintenanceAtOnce is how many maintenance jobs this process runs at once.
	MaintenanceAtOnce int
	// JobTimeout ends a job that runs longer; RescueAfter, which must be longer, hands a job to another worker when
	// its own died.
	JobTimeout, RescueAfter time.Duration
	// SoftStop is how long running jobs may go on once the process is told to stop.
	SoftStop time.Duration
}

// DefaultConfig is the product's defaults. Maintenance is idempotent and each task is short, so two at once suffice
// and a lost one is taken up within two minutes.
func DefaultConfig() Config {
	return Config{
		Queues: Queues(), MaintenanceAtOnce: 2,
		JobTimeout: 60 * time.Second, RescueAfter: 90 * time.Second, SoftStop: 20 * time.Second,
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	for _, q := range c.Queues {
		if !slices.Contains(Queues(), q) {
			return fmt.Errorf("VERACITY_QUEUES names the queue %q: allowed are %s", q, strings.Join(Queues(), ", "))
		}
	}
	switch {
	case len(c.Queues) == 0:
		return fmt.Errorf("VERACITY_QUEUES is empty: name at least one of %s", strings.Join(Queues(), ", "))
	case c.MaintenanceAtOnce < 1 || c.MaintenanceAtOnce > 100:
		return fmt.Errorf("VERACITY_MAINTENANCE_AT_ONCE is %d: allowed are 1 to 100", c.MaintenanceAtOnce)
	case c.JobTimeout < time.Second:
		return fmt.Errorf("VERACITY_JOB_TIMEOUT is %s: allowed are times from 1s", c.JobTimeout)
	case c.RescueAfter <= c.JobTimeout:
		return fmt.Errorf("VERACITY_RESCUE_AFTER is %s: it must be longer than VERACITY_JOB_TIMEOUT (%s)", c.RescueAfter, c.JobTimeout)
	case c.SoftStop < 0 || c.SoftStop > 10*time.Minute:
		return fmt.Errorf("VERACITY_SOFT_STOP is %s: allowed are 0s to 10m", c.SoftStop)
	}
	return nil
}

// Worker works queues until it is stopped.
type Worker struct {
	client *river.Client[pgx.Tx]
}

// Start begins to work the queues of cfg.
func Start(ctx context.Context, cfg Config, db *pgxpool.Pool, tasks []Task, log *slog.Logger) (*Worker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &taskWorker{tasks: tasks}); err != nil {
		return nil, fmt.Errorf("register maintenance: %w", err)
	}
	queues := map[string]river.QueueConfig{}
	for _, q := range cfg.Queues {
		queues[q] = river.QueueConfig{MaxWorkers: cfg.MaintenanceAtOnce}
	}
	client, err := river.NewClient(riverpgxv5.New(db), &river.Config{
		Queues: queues, Workers: workers, PeriodicJobs: periodic(tasks), Logger: slog.New(warnings{log.Handler()}),
		JobTimeout: cfg.JobTimeout, RescueStuckJobsAfter: cfg.RescueAfter, SoftStopTimeout: cfg.SoftStop,
		ErrorHandler: &reporter{log: log},
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
