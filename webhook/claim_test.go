package webhook_test

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/webhook"
)

// hanging answers requests with that body only once release is closed, and counts them; others it answers at once.
func (r *rig) hanging(payload string, release <-chan struct{}) *atomic.Int64 {
	var under atomic.Int64
	r.answers(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err == nil && string(body) == payload {
			under.Add(1)
			<-release
		}
		w.WriteHeader(http.StatusOK)
	})
	return &under
}

func TestAccountHasItsShareUnderWayInAllProcessesTogether(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *webhook.Config, _ *webhook.Parts) { c.Timeout = 30 * time.Second })
	processes := []*webhook.Deliveries{r.Deliveries, r.open(), r.open()}
	other := uuid.New()
	r.enrol(other)
	release := make(chan struct{})
	let := sync.OnceFunc(func() { close(release) })
	under := r.hanging("hang", release)
	ids := make([]uuid.UUID, 30)
	for i := range ids {
		ids[i] = r.create("hang")
	}
	var done sync.WaitGroup
	t.Cleanup(func() { let(); done.Wait() })
	waits := make(chan time.Duration, len(ids))
	for i, id := range ids {
		done.Go(func() {
			wait, err := processes[i%len(processes)].Attempt(t.Context(), id)
			if err == nil {
				waits <- wait
			}
		})
	}
	require.Eventually(t, func() bool { return len(waits) == len(ids)-4 }, 20*time.Second, 5*time.Millisecond)
	for range len(ids) - 4 {
		wait := <-waits
		require.GreaterOrEqual(t, wait, time.Second)
		require.LessOrEqual(t, wait, 3*time.Second)
	}
	require.Eventually(t, func() bool { return under.Load() == 4 }, 20*time.Second, 5*time.Millisecond)

	// What another account is to be told goes out meanwhile, by each process.
	for _, p := range processes {
		wait, err := p.Attempt(t.Context(), r.createFor(other, "quick"))
		require.NoError(t, err)
		require.Zero(t, wait)
	}
	let()
	done.Wait()
	require.Equal(t, int64(4), under.Load())
	var counted, rows int
	require.NoError(t, r.db.QueryRow(t.Context(), `
		SELECT sum(attempts), (SELECT count(*) FROM delivery_attempt) FROM delivery`).Scan(&counted, &rows))
	require.Equal(t, 4+3, counted, "what waits for others is not counted")
	require.Equal(t, 4+3, rows)
	for _, id := range ids {
		r.drain(id)
	}
	require.Equal(t, int64(30), under.Load())
}

func TestDeadWorkersAttemptsLeaveTheShareWhenTheirTimeHasRunOut(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *webhook.Config, _ *webhook.Parts) { c.PerAccount = 2 })
	dead := []uuid.UUID{r.create(`{}`), r.create(`{}`)}
	_, err := r.db.Exec(t.Context(), `UPDATE delivery SET attempting = true, attempts = 1, next_at = now() + interval '1 minute'`)
	require.NoError(t, err)
	id := r.create(`{}`)
	wait, err := r.Attempt(t.Context(), id)
	require.NoError(t, err)
	require.Positive(t, wait)
	require.Empty(t, r.arrived())

	_, err = r.db.Exec(t.Context(), `UPDATE delivery SET next_at = now() - interval '1 second' WHERE id = $1`, dead[0])
	require.NoError(t, err)
	r.drain(id)
	require.Len(t, r.arrived(), 1)
}

func TestWaitForTheShareGrowsWithTheTimeThatIsWaitedAlready(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *webhook.Config, _ *webhook.Parts) { c.PerAccount = 1 })
	r.create(`{}`)
	_, err := r.db.Exec(t.Context(), `UPDATE delivery SET attempting = true, next_at = now() + interval '1 minute'`)
	require.NoError(t, err)
	id := r.create(`{}`)
	for late, least := range map[string]time.Duration{"1 second": time.Second, "20 seconds": 5 * time.Second, "1 day": 15 * time.Second} {
		_, err := r.db.Exec(t.Context(), `UPDATE delivery SET next_at = now() - $2::text::interval WHERE id = $1`, id, late)
		require.NoError(t, err)
		wait, err := r.Attempt(t.Context(), id)
		require.NoError(t, err)
		require.GreaterOrEqual(t, wait, least, late)
		require.LessOrEqual(t, wait, least*5/4+time.Second, late)
	}
}

func TestManyOverdueDeliveriesOfOneAccountHideNobodyElses(t *testing.T) {
	t.Parallel()
	r := setup(t)
	other := uuid.New()
	r.enrol(other)
	lost := r.createFor(other, `{}`)
	_, err := r.db.Exec(t.Context(), `UPDATE delivery SET next_at = now() - interval '2 minutes'`)
	require.NoError(t, err)
	_, err = r.db.Exec(t.Context(), `
		INSERT INTO delivery (id, account_id, job_id, key_id, url, payload, next_at)
		SELECT gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), $2, '{}', now() - interval '1 hour'
		FROM generate_series(1, 1500)`, r.account, r.url)
	require.NoError(t, err)
	found, err := r.Overdue(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Len(t, found, 1000)
	require.Contains(t, found[:2], lost)
}
