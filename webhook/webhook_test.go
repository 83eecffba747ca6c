package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/platform/postgres"
	"veracity/webhook"
)

func TestDeliveryArrivesSignedByteForByte(t *testing.T) {
	t.Parallel()
	r := setup(t)
	payload := "{\"id\":\"1\",\"file_url\":\"https://x/y?a=1&b=2\"}\n"
	id := r.create(payload)
	r.drain(id)

	got := r.arrived()
	require.Len(t, got, 1)
	require.Equal(t, payload, string(got[0].body))
	require.Equal(t, "application/json", got[0].header.Get("Content-Type"))
	require.Equal(t, id.String(), got[0].header.Get("Webhook-Id"))
	verifyService(t, secret, got[0])
	verifyStandard(t, secret, got[0])

	d, attempts := r.read(id)
	require.Equal(t, webhook.Delivered, d.State)
	require.Nil(t, d.NextAt)
	require.NotNil(t, d.EndedAt)
	require.Len(t, attempts, 1)
	require.Equal(t, http.StatusNoContent, *attempts[0].Status)
	require.NotNil(t, attempts[0].EndedAt)
	require.NotNil(t, attempts[0].LatencyMS)
}

func TestFailuresAreRetriedOnScheduleThenGivenUp(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(strings.Repeat("x", 5000)))
	})
	id := r.create(`{}`)
	r.drain(id)

	d, attempts := r.read(id)
	require.Equal(t, webhook.GivenUp, d.State)
	require.Equal(t, 3, d.Attempts)
	require.Len(t, attempts, 3)
	require.Len(t, attempts[2].Excerpt, 1024)
	require.GreaterOrEqual(t, attempts[1].StartedAt.Sub(*attempts[0].EndedAt), 10*time.Millisecond)
	require.GreaterOrEqual(t, attempts[2].StartedAt.Sub(*attempts[1].EndedAt), 20*time.Millisecond)
	got := r.arrived()
	require.Len(t, got, 3)
	for _, one := range got {
		require.Equal(t, id.String(), one.header.Get("Webhook-Id"), "a receiver tells repetitions by the id")
	}
}

func TestWhatTheAnswerMeans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		state    webhook.State
		attempts int
	}{
		"200":                       {200, webhook.Delivered, 1},
		"299":                       {299, webhook.Delivered, 1},
		"301 is not followed":       {301, webhook.GivenUp, 3},
		"404":                       {404, webhook.GivenUp, 3},
		"410 stops at once":         {410, webhook.GivenUp, 1},
		"429":                       {429, webhook.GivenUp, 3},
		"503 is not given up early": {503, webhook.GivenUp, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			r.answers(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", r.url)
				w.WriteHeader(c.status)
			})
			id := r.create(`{}`)
			r.drain(id)
			d, _ := r.read(id)
			require.Equal(t, c.state, d.State)
			require.Len(t, r.arrived(), c.attempts)
		})
	}
}

func TestSilentReceiverIsTimedOutAndTriedAgain(t *testing.T) {
	t.Parallel()
	r := setup(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	r.answers(func(http.ResponseWriter, *http.Request) { <-release })
	id := r.create(`{}`)
	wait, err := r.Attempt(t.Context(), id)
	require.NoError(t, err)
	require.Positive(t, wait)
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	r.drain(id)
	d, attempts := r.read(id)
	require.Equal(t, webhook.Delivered, d.State)
	require.Nil(t, attempts[0].Status)
	require.NotEmpty(t, *attempts[0].Error)
}

func TestAddressIsCheckedAgainAtEachAttempt(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	// A private address that no operator has allowed, as a name could come to mean after the call.
	_, err := r.db.Exec(t.Context(), `UPDATE delivery SET url = 'https://10.0.0.1/hook' WHERE id = $1`, id)
	require.NoError(t, err)
	r.drain(id)
	d, attempts := r.read(id)
	require.Equal(t, webhook.GivenUp, d.State)
	require.NotEmpty(t, *attempts[0].Error)
	require.NotContains(t, *attempts[0].Error, "10.0.0.1")
	require.Empty(t, r.arrived())
}

func TestOneOfManyWorkersMakesTheAttempt(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	var done sync.WaitGroup
	for range 12 {
		done.Go(func() { _, _ = r.Attempt(t.Context(), id) })
	}
	done.Wait()
	require.Len(t, r.arrived(), 1)
}

func TestAttemptOfADeadWorkerIsMadeAgain(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	ctx, kill := context.WithCancel(t.Context())
	r.answers(func(http.ResponseWriter, *http.Request) { kill(); <-ctx.Done() })
	_, err := r.Attempt(ctx, id)
	require.Error(t, err)
	wait, err := r.Attempt(t.Context(), id)
	require.NoError(t, err)
	require.Greater(t, wait, 10*time.Second, "the dead worker's time is waited for")

	_, err = r.db.Exec(t.Context(), `UPDATE delivery SET next_at = now() WHERE id = $1`, id)
	require.NoError(t, err)
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	r.drain(id)
	d, attempts := r.read(id)
	require.Equal(t, webhook.Delivered, d.State)
	require.Len(t, attempts, 2)
	require.Nil(t, attempts[0].EndedAt, "nobody knows how the first one ended")
}

func TestOneDeliveryAJob(t *testing.T) {
	t.Parallel()
	r := setup(t)
	o := webhook.Order{Account: r.account, Job: uuid.New(), Key: uuid.New(), URL: r.url, Payload: []byte(`{}`)}
	for range 2 {
		require.NoError(t, postgres.Tx(t.Context(), r.db, func(tx pgx.Tx) error { return r.Create(t.Context(), tx, o) }))
	}
	require.Len(t, r.queue.jobs, 1)
	list, err := r.List(t.Context(), r.account, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func TestSecretThatCannotBeOpenedIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	r := setup(t, func(_ *webhook.Config, p *webhook.Parts) {
		p.Secrets = secrets{err: errors.New("sealed by a lost key")}
	})
	id := r.create(`{}`)
	r.drain(id)
	d, attempts := r.read(id)
	require.Equal(t, webhook.GivenUp, d.State)
	require.NotContains(t, *attempts[0].Error, "lost key")
	require.Empty(t, r.arrived())
}

func TestOverdueDeliveriesAreFoundAndOldOnesForgotten(t *testing.T) {
	t.Parallel()
	r := setup(t)
	late, done := r.create(`{}`), r.create(`{}`)
	r.drain(done)
	_, err := r.db.Exec(t.Context(), `UPDATE delivery SET next_at = now() - interval '2 minutes' WHERE id = $1`, late)
	require.NoError(t, err)
	found, err := r.Overdue(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{late}, found)

	_, err = r.db.Exec(t.Context(), `UPDATE delivery SET created_at = now() - interval '31 days'`)
	require.NoError(t, err)
	n, err := r.Forget(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(1), n, "what is still to be sent stays")
}

func TestSettingsOutOfRangeAreNamed(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*webhook.Config){
		"VERACITY_WEBHOOK_TIMEOUT is":      func(c *webhook.Config) { c.Timeout = 0 },
		"VERACITY_WEBHOOK_RETRIES has a":   func(c *webhook.Config) { c.Retries = []time.Duration{0} },
		"VERACITY_WEBHOOK_RETRIES has 51 ": func(c *webhook.Config) { c.Retries = make([]time.Duration, 51) },
		"VERACITY_WEBHOOK_KEEP is":         func(c *webhook.Config) { c.Keep = 0 },
		"VERACITY_WEBHOOKS_PER_ACCOUNT is": func(c *webhook.Config) { c.PerAccount = 0 },
		"VERACITY_WEBHOOKS_AT_ONCE is":     func(c *webhook.Config) { c.AtOnce = 1001 },
	} {
		cfg := webhook.DefaultConfig()
		change(&cfg)
		require.ErrorContains(t, cfg.Validate(), want)
	}
}
