package webhook_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
	"veracity/webhook"
)

func TestRedeliveryBeginsTheScheduleAnew(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	id := r.create(`{"a":1}`)
	r.drain(id)
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	require.NoError(t, r.Redeliver(t.Context(), r.account, id))
	require.Len(t, r.queue.jobs, 2)
	r.drain(id)
	d, attempts := r.read(id)
	require.Equal(t, webhook.GivenUp, d.State)
	require.Len(t, attempts, 4, "one refused, three of the new schedule")
	require.Equal(t, r.arrived()[0].body, r.arrived()[3].body)

	require.Equal(t, fault.NotFound, fault.CodeOf(r.Redeliver(t.Context(), uuid.New(), id)), "a foreign account")
	require.Equal(t, fault.NotFound, fault.CodeOf(r.Redeliver(t.Context(), r.account, uuid.New())))
	_, _, err := r.Get(t.Context(), uuid.New(), id)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}

func TestRedeliveryDoesNotDoubleAnAttemptUnderWay(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	r.answers(func(w http.ResponseWriter, _ *http.Request) {
		// Asked for while the first attempt is still running.
		_ = r.Redeliver(context.WithoutCancel(t.Context()), r.account, id)
		_, _ = r.Attempt(context.WithoutCancel(t.Context()), id)
		w.WriteHeader(http.StatusOK)
	})
	r.drain(id)
	require.Len(t, r.arrived(), 1)
	d, _ := r.read(id)
	require.Equal(t, webhook.Delivered, d.State)
}

func TestRedeliveryDuringTheLastAttemptKeepsItsNewSchedule(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	var once sync.Once
	r.answers(func(w http.ResponseWriter, _ *http.Request) {
		if len(r.arrived()) == 3 {
			once.Do(func() { _ = r.Redeliver(context.WithoutCancel(t.Context()), r.account, id) })
		}
		w.WriteHeader(http.StatusBadGateway)
	})
	r.drain(id)
	d, attempts := r.read(id)
	require.Equal(t, webhook.GivenUp, d.State)
	require.Len(t, attempts, 5, "the third one failed as the first of the new schedule, and two follow")
	require.Len(t, r.queue.jobs, 1, "who makes the attempt goes on")
	require.GreaterOrEqual(t, attempts[3].StartedAt.Sub(*attempts[2].EndedAt), 10*time.Millisecond)
	require.GreaterOrEqual(t, attempts[4].StartedAt.Sub(*attempts[3].EndedAt), 20*time.Millisecond)
}

func TestRedeliveryIsQueuedOnlyWhenItMakesAnAttemptDue(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *webhook.Config, _ *webhook.Parts) { c.Retries = []time.Duration{time.Hour} })
	id := r.create(`{}`)
	again := func(rows int, when string) {
		t.Helper()
		require.NoError(t, r.Redeliver(t.Context(), r.account, id))
		require.Len(t, r.queue.jobs, rows, when)
	}
	again(1, "it is due as it is")
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	wait, err := r.Attempt(t.Context(), id)
	require.NoError(t, err)
	require.Greater(t, wait, 50*time.Minute)
	again(2, "it waited for the next attempt")
	again(2, "it is due now")

	_, err = r.db.Exec(t.Context(), `UPDATE delivery SET attempting = true, next_at = now() + interval '1 minute' WHERE id = $1`, id)
	require.NoError(t, err)
	again(2, "an attempt is under way")
	_, err = r.db.Exec(t.Context(), `UPDATE delivery SET next_at = now() - interval '1 second' WHERE id = $1`, id)
	require.NoError(t, err)
	again(3, "who made the attempt has died")
	again(3, "it has been queued anew")

	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	r.drain(id)
	again(4, "it had been delivered")
}
