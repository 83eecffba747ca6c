package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/jobs"
	"veracity/migrations/schematest"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

func work(t *testing.T, db *pgxpool.Pool, tasks ...jobs.Task) *jobs.Worker {
	t.Helper()
	w, err := jobs.Start(t.Context(), jobs.DefaultConfig(), db, tasks, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Stop(context.WithoutCancel(t.Context()))) })
	return w
}

func TestTaskRunsOnceAPeriodOnAllWorkersTogether(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	var runs, other atomic.Int32
	tasks := []jobs.Task{
		{Name: "count", Every: time.Hour, Run: func(context.Context) error { runs.Add(1); return nil }},
		{Name: "other", Every: time.Hour, Run: func(context.Context) error { other.Add(1); return nil }},
	}
	work(t, db, tasks...)
	work(t, db, tasks...)
	require.Eventually(t, func() bool { return runs.Load() == 1 && other.Load() == 1 }, 20*time.Second, 10*time.Millisecond)

	depth, err := jobs.Depth(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{jobs.QueueMaintenance: 0}, depth)
}

func TestFailedTaskIsTriedAgain(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	var runs atomic.Int32
	work(t, db, jobs.Task{Name: "fails-once", Every: time.Hour, Run: func(context.Context) error {
		if runs.Add(1) == 1 {
			return errors.New("storage sneezed")
		}
		return nil
	}})
	require.Eventually(t, func() bool { return runs.Load() == 2 }, 20*time.Second, 10*time.Millisecond)
}

func TestStopLetsARunningTaskEnd(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	started, ended := make(chan struct{}), atomic.Bool{}
	w, err := jobs.Start(t.Context(), jobs.DefaultConfig(), db, []jobs.Task{{Name: "slow", Every: time.Hour, Run: func(ctx context.Context) error {
		close(started)
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
			ended.Store(true)
		}
		return nil
	}}}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
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
		"VERACITY_JOB_TIMEOUT is":       func(c *jobs.Config) { c.JobTimeout = 0 },
		"longer than VERACITY_JOB":      func(c *jobs.Config) { c.RescueAfter = c.JobTimeout },
		"VERACITY_SOFT_STOP is -1s: al": func(c *jobs.Config) { c.SoftStop = -time.Second },
	} {
		cfg := jobs.DefaultConfig()
		change(&cfg)
		require.ErrorContains(t, cfg.Validate(), want)
	}
}
