package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/jobs"
	"veracity/media/acttest"
	"veracity/migrations/schematest"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

// work starts a worker that knows the tasks and a customer's acts.
func work(t *testing.T, r *acttest.Rig, change func(*jobs.Config), tasks ...jobs.Task) *jobs.Worker {
	t.Helper()
	cfg := jobs.DefaultConfig()
	cfg.TakeUpEvery, cfg.Poll = time.Second, 100*time.Millisecond
	if change != nil {
		change(&cfg)
	}
	queue, err := jobs.NewQueue(r.DB)
	require.NoError(t, err)
	acts := jobs.Acts{Tasks: tasks}
	acts.Media, acts.Webhooks = r.OpenWithWebhooks(queue)
	w, err := jobs.Start(t.Context(), cfg, r.DB, acts, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Stop(context.WithoutCancel(t.Context()))) })
	return w
}

func TestTaskRunsOnceAPeriodOnAllWorkersTogether(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	var runs, other atomic.Int32
	tasks := []jobs.Task{
		{Name: "count", Every: time.Hour, Run: func(context.Context) error { runs.Add(1); return nil }},
		{Name: "other", Every: time.Hour, Run: func(context.Context) error { other.Add(1); return nil }},
	}
	work(t, r, nil, tasks...)
	work(t, r, nil, tasks...)
	require.Eventually(t, func() bool { return runs.Load() == 1 && other.Load() == 1 }, 20*time.Second, 10*time.Millisecond)

	depth, err := jobs.Depths(t.Context(), r.DB)
	require.NoError(t, err)
	for _, queue := range jobs.Queues() {
		require.Zero(t, depth[queue].Due, queue)
	}
}

func TestFailedTaskIsTriedAgain(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	work(t, acttest.Setup(t), nil, jobs.Task{Name: "fails-once", Every: time.Hour, Run: func(context.Context) error {
		if runs.Add(1) == 1 {
			return errors.New("storage sneezed")
		}
		return nil
	}})
	require.Eventually(t, func() bool { return runs.Load() == 2 }, 20*time.Second, 10*time.Millisecond)
}

func TestStopLetsARunningTaskEnd(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}), atomic.Bool{}
	w := work(t, acttest.Setup(t), nil, jobs.Task{Name: "slow", Every: time.Hour, Run: func(ctx context.Context) error {
		close(started)
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
			ended.Store(true)
		}
		return nil
	}})
	<-started
	require.NoError(t, w.Stop(t.Context()))
	require.True(t, ended.Load())
}

func TestSettingsOutOfRangeAreNamed(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*jobs.Config){
		"VERACITY_QUEUES names":         func(c *jobs.Config) { c.Queues = []string{"mail"} },
		"VERACITY_QUEUES is empty":      func(c *jobs.Config) { c.Queues = nil },
		"VERACITY_MAINTENANCE_AT_ONCE":  func(c *jobs.Config) { c.MaintenanceAtOnce = 0 },
		"VERACITY_LETTERS_AT_ONCE":      func(c *jobs.Config) { c.LettersAtOnce = 0 },
		"VERACITY_CHECKS_AT_ONCE":       func(c *jobs.Config) { c.ChecksAtOnce = 0 },
		"VERACITY_OPTIMIZATIONS_AT_ONC": func(c *jobs.Config) { c.OptimizationsAtOnce = 1001 },
		"VERACITY_WEBHOOKS_AT_ONCE":     func(c *jobs.Config) { c.WebhooksAtOnce = -1 },
		"VERACITY_TASK_TIMEOUT":         func(c *jobs.Config) { c.TaskTimeout = time.Hour },
		"VERACITY_TAKE_UP_EVERY":        func(c *jobs.Config) { c.TakeUpEvery = 0 },
		"VERACITY_POLL":                 func(c *jobs.Config) { c.Poll = 0 },
		"VERACITY_JOB_TIMEOUT is":       func(c *jobs.Config) { c.JobTimeout = 0 },
		"longer than VERACITY_JOB":      func(c *jobs.Config) { c.RescueAfter = c.JobTimeout },
		"VERACITY_SOFT_STOP is -1s: al": func(c *jobs.Config) { c.SoftStop = -time.Second },
	} {
		cfg := jobs.DefaultConfig()
		change(&cfg)
		require.ErrorContains(t, cfg.Validate(), want)
	}
}
