package webhook_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/account/trail"
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
	require.NoError(t, r.Redeliver(t.Context(), access.CLI(r.account), id))
	require.Len(t, r.queue.jobs, 2)
	r.drain(id)
	d, attempts := r.read(id)
	require.Equal(t, webhook.GivenUp, d.State)
	require.Len(t, attempts, 4, "one refused, three of the new schedule")
	require.Equal(t, r.arrived()[0].body, r.arrived()[3].body)

	require.Equal(t, fault.NotFound, fault.CodeOf(r.Redeliver(t.Context(), access.CLI(uuid.New()), id)), "a foreign account")
	require.Equal(t, fault.NotFound, fault.CodeOf(r.Redeliver(t.Context(), access.CLI(r.account), uuid.New())))
	_, _, err := r.Get(t.Context(), uuid.New(), id)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}

func TestRedeliveryDoesNotDoubleAnAttemptUnderWay(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	r.answers(func(w http.ResponseWriter, _ *http.Request) {
		// Asked for while the first attempt is still running.
		_ = r.Redeliver(context.WithoutCancel(t.Context()), access.CLI(r.account), id)
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
			once.Do(func() { _ = r.Redeliver(context.WithoutCancel(t.Context()), access.CLI(r.account), id) })
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
		require.NoError(t, r.Redeliver(t.Context(), access.CLI(r.account), id))
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

func TestRedeliveryNeedsTheRightAndIsWrittenDown(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	r.drain(id)
	_, before, err := r.Get(t.Context(), r.account, id)
	require.NoError(t, err)
	for _, role := range []access.Role{access.Viewer, access.Billing} {
		by := access.Actor{Account: r.account, User: uuid.New(), Role: role}
		require.Equal(t, fault.Forbidden, fault.CodeOf(r.Redeliver(t.Context(), by, id)), role)
	}
	foreign := access.Actor{Account: uuid.New(), User: uuid.New(), Role: access.Owner}
	require.Equal(t, fault.NotFound, fault.CodeOf(r.Redeliver(t.Context(), foreign, id)))

	by := access.Actor{Account: r.account, User: uuid.New(), Role: access.Developer, Address: "192.0.2.1"}
	require.NoError(t, r.Redeliver(t.Context(), by, id))
	r.drain(id)
	_, after, err := r.Get(t.Context(), r.account, id)
	require.NoError(t, err)
	require.Len(t, after, len(before)+1)
	entries, err := trail.Read(t.Context(), r.db, access.CLI(r.account), trail.Filter{Account: r.account, Limit: 10})
	require.NoError(t, err)
	require.Len(t, entries, 1, "refusals change nothing and leave nothing")
	require.Equal(t, "webhook.redelivered", entries[0].Act)
	require.Equal(t, id.String(), entries[0].Subject)
	require.Equal(t, by.User, entries[0].User)
}

func TestSignedIsWhatTheLastAttemptCarried(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{"id":"x"}`)
	none, err := r.Signed(t.Context(), r.account, id)
	require.NoError(t, err)
	require.Nil(t, none, "nothing has been sent")
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	r.drain(id)
	header, err := r.Signed(t.Context(), r.account, id)
	require.NoError(t, err)
	last := r.arrived()[2].header
	for _, name := range []string{"Content-Type", "Service-Signature", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		require.Equal(t, last[name], header[name], name)
	}
	_, err = r.Signed(t.Context(), uuid.New(), id)
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "a foreign account")
}

func TestADeliverySentAgainWithoutEndShowsItsNewestAttempts(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.create(`{}`)
	_, err := r.db.Exec(t.Context(), `INSERT INTO delivery_attempt (delivery_id, number) SELECT $1, generate_series(1, 130)`, id)
	require.NoError(t, err)
	_, attempts := r.read(id)
	require.Len(t, attempts, 100)
	require.Equal(t, 31, attempts[0].Number)
	require.Equal(t, 130, attempts[99].Number)
}
