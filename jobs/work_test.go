package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/jobs"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/postgres"
)

// queued makes r queue its jobs for real and gives acts that do.
func queued(t *testing.T, r *acttest.Rig) *media.Service {
	t.Helper()
	queue, err := jobs.NewQueue(r.DB)
	require.NoError(t, err)
	r.Service = r.Open(queue)
	return r.Service
}

// ended waits until the job has ended and demands how.
func ended(t *testing.T, r *acttest.Rig, id uuid.UUID, want media.Status) {
	t.Helper()
	var status media.Status
	require.Eventually(t, func() bool {
		err := r.DB.QueryRow(t.Context(), `SELECT status FROM job WHERE id = $1`, id).Scan(&status)
		return err == nil && (status == media.Succeeded || status == media.Failed)
	}, 30*time.Second, 20*time.Millisecond)
	require.Equal(t, want, status)
}

func TestTwoWorkersShareTheJobsAndEndEachOnce(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queued(t, r)
	work(t, r, nil)
	work(t, r, nil)
	charged := int64(0)
	for range 6 {
		ids := []uuid.UUID{r.Check(0), r.Check(60), r.Optimize("")}
		for _, id := range ids {
			ended(t, r, id, media.Succeeded)
		}
		charged += 3 + 3 + 2
	}
	require.Equal(t, 18, r.Engine.Begun())
	r.Sound(charged)
}

func TestWorkerWorksItsOwnQueuesAlone(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queued(t, r)
	work(t, r, func(c *jobs.Config) { c.Queues = []string{jobs.QueueOptimize} })
	check, optimization := r.Check(0), r.Optimize("")
	ended(t, r, optimization, media.Succeeded)
	found, err := r.ReadCheck(t.Context(), r.Caller, check.String())
	require.NoError(t, err)
	require.Equal(t, media.Queued, found.Status)
	depth, err := jobs.Depths(t.Context(), r.DB)
	require.NoError(t, err)
	require.Equal(t, int64(1), depth[jobs.QueueCheck].Due)
	require.Positive(t, depth[jobs.QueueCheck].Oldest)

	work(t, r, func(c *jobs.Config) { c.Queues = []string{jobs.QueueCheck} })
	ended(t, r, check, media.Succeeded)
}

func TestJobWhoseQueueRowIsLostIsTakenUp(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	// The rig's own queue keeps jobs from River, as if their rows had been lost.
	waiting, running := r.Check(0), r.Check(0)
	_, err := r.DB.Exec(t.Context(), `UPDATE job SET created_at = now() - interval '2 minutes' WHERE id = $1`, waiting)
	require.NoError(t, err)
	_, err = r.DB.Exec(t.Context(), `
		UPDATE job SET status = 'running', run = gen_random_uuid(), attempt = 1, started_at = now(), lease_until = now() - interval '1 s'
		WHERE id = $1`, running)
	require.NoError(t, err)
	work(t, r, nil)
	ended(t, r, waiting, media.Succeeded)
	ended(t, r, running, media.Succeeded)
	require.Equal(t, 2, r.Engine.Begun())
	r.Sound(6)
}

func TestRunningJobOfADeadWorkerIsTakenUpAlthoughItsRowStillRuns(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queued(t, r)
	id := r.Check(0)
	_, err := r.DB.Exec(t.Context(), `
		UPDATE job SET status = 'running', run = gen_random_uuid(), attempt = 1, started_at = now(), lease_until = now() - interval '1 s'
		WHERE id = $1`, id)
	require.NoError(t, err)
	_, err = r.DB.Exec(t.Context(), `
		UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now() - interval '1 minute', attempted_by = '{gone}'
		WHERE kind = 'check'`)
	require.NoError(t, err)
	work(t, r, nil)
	ended(t, r, id, media.Succeeded)
	r.Sound(3)
}

func TestQueuedJobIsNotQueuedTwice(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queued(t, r)
	id := r.Check(0)
	_, err := r.DB.Exec(t.Context(), `UPDATE job SET created_at = now() - interval '2 minutes' WHERE id = $1`, id)
	require.NoError(t, err)
	for range 2 {
		work(t, r, func(c *jobs.Config) { c.Queues = []string{jobs.QueueMaintenance} })
	}
	require.Never(t, func() bool {
		var rows int
		err := r.DB.QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE kind = 'check'`).Scan(&rows)
		return err == nil && rows > 1
	}, 3*time.Second, 100*time.Millisecond, "over two looks of two workers")
	lost, err := r.FindLost(t.Context())
	require.NoError(t, err)
	require.Empty(t, lost)
}

func TestFindingsAreKeptForEveryProcess(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	for _, found := range []int{3, 0} {
		require.NoError(t, jobs.NoteFinding(t.Context(), r.DB, "strays", found))
		got, err := jobs.Findings(t.Context(), r.DB)
		require.NoError(t, err)
		require.Equal(t, map[string]int64{"strays": int64(found)}, got)
	}
}

func TestBegunJobsGoBeforeYoungerOnes(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queue, err := jobs.NewQueue(r.DB)
	require.NoError(t, err)
	young, begun := uuid.New(), uuid.New()
	require.NoError(t, postgres.Tx(t.Context(), r.DB, func(tx pgx.Tx) error {
		return errors.Join(queue.Insert(t.Context(), tx, media.CheckJob{Job: young}),
			queue.Insert(t.Context(), tx, media.CheckJob{Job: begun, Begun: true}))
	}))
	var first uuid.UUID
	require.NoError(t, r.DB.QueryRow(t.Context(), `
		SELECT args ->> 'job' FROM river_job ORDER BY priority, scheduled_at, id LIMIT 1`).Scan(&first))
	require.Equal(t, begun, first)
}

func TestStoppedWorkerHandsItsJobOver(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queued(t, r)
	begun := make(chan struct{}, 1)
	r.Engine.Clip = func(ctx context.Context, _ engine.ClipRequest) (engine.Report, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return engine.Report{}, ctx.Err()
	}
	first := work(t, r, func(c *jobs.Config) { c.SoftStop = 50 * time.Millisecond })
	id := r.Check(0)
	<-begun
	require.NoError(t, first.Stop(t.Context()))
	r.Engine.SetClip(acttest.OfVideo(1))
	work(t, r, nil)
	ended(t, r, id, media.Succeeded)
	r.Sound(1)
}

func TestUnknownKindsOfJobsAreRefused(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	queue, err := jobs.NewQueue(r.DB)
	require.NoError(t, err)
	tx, err := r.DB.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	require.ErrorContains(t, queue.Insert(t.Context(), tx, odd{}), "no queue works")
}

type odd struct{}

func (odd) Kind() string { return "odd" }
