package media_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/fault"
	"veracity/quota"
)

func TestExpiredResultsAndTheirBytesAreGone(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t, func(c *media.Config) { c.ResultTTL = 2 * time.Second })
	check, optimization := r.Check(5), r.Optimize("https://hooks.example.com/done")
	r.Drive(check)
	r.Drive(optimization)
	require.Len(t, r.Blobs(), 1)
	n, err := r.ExpireJobs(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "nothing has expired yet")
	_, err = r.OpenOutput(t.Context(), optimization.String())
	require.NoError(t, err)

	require.Eventually(t, func() bool {
		_, err := r.OpenOutput(t.Context(), optimization.String())
		return fault.CodeOf(err) == fault.NotFound
	}, 10*time.Second, 20*time.Millisecond, "a link ends at its time, swept or not")
	_, err = r.ReadOptimization(t.Context(), r.Caller, optimization.String())
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
	require.Eventually(t, func() bool {
		_, err := r.ReadCheck(t.Context(), r.Caller, check.String())
		return fault.CodeOf(err) == fault.NotFound
	}, 10*time.Second, 20*time.Millisecond)

	n, err = r.ExpireJobs(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Empty(t, r.Blobs())
	r.Sound(3)
}

func TestSourcesLeftByAKilledWorkerAreSwept(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	id := r.Optimize("")
	source := r.Blobs()
	require.Len(t, source, 1)
	r.Drive(id)
	// As if the worker had been killed between the end of the job and the removal of its source.
	require.NoError(t, r.Store.Put(t.Context(), source[0], strings.NewReader("x"), 1, "application/octet-stream"))
	_, err := r.DB.Exec(t.Context(), `UPDATE job SET source_key = $1, ended_at = ended_at - interval '2 minutes'`, source[0])
	require.NoError(t, err)
	_, err = r.ExpireJobs(t.Context())
	require.NoError(t, err)
	require.NotContains(t, r.Blobs(), source[0])
	var left *string
	require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT source_key FROM job`).Scan(&left))
	require.Nil(t, left)
}

func TestYoungOrphansAreLeftAlone(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	for _, key := range []string{"sources/" + uuid.NewString(), "outputs/" + uuid.NewString() + "/" + uuid.NewString()} {
		require.NoError(t, r.Store.Put(t.Context(), key, strings.NewReader("x"), 1, "application/octet-stream"))
	}
	n, err := r.SweepJobs(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "their call may be about to make the job")
	require.Len(t, r.Blobs(), 2)
}

func TestReconcilerFindsWhatDoesNotMatch(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	kept, robbed := r.Check(5), r.Check(5)
	found, err := media.Reconcile(t.Context(), r.DB)
	require.NoError(t, err)
	require.Empty(t, found)

	var hold uuid.UUID
	require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT hold_id FROM job WHERE id = $1`, robbed).Scan(&hold))
	_, err = quota.Release(t.Context(), r.DB, r.Caller.Account, hold)
	require.NoError(t, err)
	_, err = r.DB.Exec(t.Context(), `
		UPDATE job SET status = 'failed', error_code = 'job_failed', error_message = 'x', ended_at = now(), expires_at = now()
		WHERE id = $1`, kept)
	require.NoError(t, err)
	found, err = media.Reconcile(t.Context(), r.DB)
	require.NoError(t, err)
	require.Len(t, found, 2)
	what := map[string]uuid.UUID{found[0].What: *found[0].Job, found[1].What: *found[1].Job}
	require.Equal(t, map[string]uuid.UUID{"a hold without a live job": kept, "a live job without its hold": robbed}, what)
}
