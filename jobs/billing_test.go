package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/billing"
	"veracity/jobs"
	"veracity/media/acttest"
	"veracity/platform/postgres"
)

// till fails, is busy and works as the test says, and keeps what it was asked.
type till struct {
	mu      sync.Mutex
	answer  func(try int) (time.Duration, error)
	asked   []string
	givenUp []string
}

// Work implements jobs.Billing.
func (c *till) Work(_ context.Context, event string) (time.Duration, error) { return c.ask(event) }

// Sync implements jobs.Billing.
func (c *till) Sync(_ context.Context, account uuid.UUID) (time.Duration, error) {
	return c.ask(account.String())
}

// GiveUp implements jobs.Billing.
func (c *till) GiveUp(_ context.Context, event string, _ error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.givenUp = append(c.givenUp, event)
	return nil
}

func (c *till) ask(what string) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, what)
	if c.answer == nil {
		return 0, nil
	}
	return c.answer(len(c.asked))
}

func (c *till) seen(asked, givenUp int) func() bool {
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.asked) >= asked && len(c.givenUp) == givenUp
	}
}

// open queues jobs and starts a worker of all queues.
func (c *till) open(t *testing.T, r *acttest.Rig, queued ...interface{ Kind() string }) {
	t.Helper()
	queue, err := jobs.NewQueue(r.DB)
	require.NoError(t, err)
	require.NoError(t, postgres.Tx(t.Context(), r.DB, func(tx pgx.Tx) error {
		for _, job := range queued {
			if err := queue.Insert(t.Context(), tx, job); err != nil {
				return err
			}
		}
		return nil
	}))
	cfg := jobs.DefaultConfig()
	cfg.Poll = 100 * time.Millisecond
	acts := jobs.Acts{Letters: &letterbox{}}
	if c != nil {
		acts.Billing = c
	}
	acts.Media, acts.Webhooks = r.OpenWithWebhooks(queue)
	w, err := jobs.Start(t.Context(), cfg, r.DB, acts, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Stop(context.WithoutCancel(t.Context()))) })
}

// again lets what waits run now, with as many tries as are given.
func again(t *testing.T, r *acttest.Rig, attempt int) {
	t.Helper()
	_, err := r.DB.Exec(t.Context(), `
		UPDATE river_job SET state = 'available', scheduled_at = now(), attempt = $1 WHERE queue = 'billing' AND state IN ('scheduled', 'retryable')`, attempt)
	require.NoError(t, err)
}

func TestEventsAndComparisonsAreWorked(t *testing.T) {
	t.Parallel()
	r, c, account := acttest.Setup(t), &till{}, uuid.New()
	c.open(t, r, billing.EventJob{Event: "evt_1"}, billing.SyncJob{Account: account})
	require.Eventually(t, c.seen(2, 0), 20*time.Second, 10*time.Millisecond)
	require.ElementsMatch(t, []string{"evt_1", account.String()}, c.asked)
}

func TestAnAccountThatIsBusyIsWaitedForWithoutCostingATry(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	c := &till{answer: func(try int) (time.Duration, error) {
		if try == 1 {
			return time.Hour, nil
		}
		return 0, nil
	}}
	c.open(t, r, billing.EventJob{Event: "evt_1"})
	require.Eventually(t, func() bool {
		var waits bool
		err := r.DB.QueryRow(t.Context(), `SELECT state = 'scheduled' AND attempt = 0 AND scheduled_at > now() + interval '50 minutes' FROM river_job WHERE kind = 'stripe_event'`).Scan(&waits)
		return err == nil && waits
	}, 20*time.Second, 10*time.Millisecond)
	again(t, r, 0)
	require.Eventually(t, c.seen(2, 0), 20*time.Second, 10*time.Millisecond)
}

func TestAnEventThatKeepsFailingIsTriedForADayAndThenGivenUp(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	c := &till{answer: func(int) (time.Duration, error) { return 0, errors.New("stripe is away") }}
	c.open(t, r, billing.EventJob{Event: "evt_1"})
	require.Eventually(t, func() bool {
		var most int
		err := r.DB.QueryRow(t.Context(), `SELECT max_attempts FROM river_job WHERE kind = 'stripe_event' AND state = 'retryable'`).Scan(&most)
		return err == nil && most == 11
	}, 20*time.Second, 10*time.Millisecond)
	require.True(t, c.seen(1, 0)())
	again(t, r, 10)
	require.Eventually(t, c.seen(2, 1), 20*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{"evt_1"}, c.givenUp)
}

func TestAProcessThatTakesNoPaymentsLeavesThemToOthers(t *testing.T) {
	t.Parallel()
	r := acttest.Setup(t)
	(*till)(nil).open(t, r, billing.EventJob{Event: "evt_1"})
	_, err := r.DB.Exec(t.Context(), `INSERT INTO river_job (kind, queue, max_attempts, args) VALUES ('letter', 'letter', 3, '{}')`)
	require.NoError(t, err)
	state := func(kind string) (found string) {
		require.NoError(t, r.DB.QueryRow(t.Context(), `SELECT state FROM river_job WHERE kind = $1`, kind).Scan(&found))
		return found
	}
	require.Eventually(t, func() bool { return state("letter") == "completed" }, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, "available", state("stripe_event"))
}
