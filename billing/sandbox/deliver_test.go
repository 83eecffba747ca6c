package sandbox_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"

	"veracity/billing/sandbox"
)

// customers makes n, each of which is an event.
func (r *rig) customers(t *testing.T, n int) {
	t.Helper()
	for range n {
		r.customer(t)
	}
}

func (r *rig) ids() []string {
	r.received.mu.Lock()
	defer r.received.mu.Unlock()
	ids := make([]string, len(r.received.events))
	for i, e := range r.received.events {
		ids[i] = e.ID
	}
	return ids
}

// created are the ids of all events in the order in which they happened.
func (r *rig) created() []string {
	var ids []string
	for _, e := range r.Events() {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestEventsComeSignedAndInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *sandbox.Config) { c.Manual = false })
	r.customers(t, 5)
	require.Eventually(t, func() bool { return len(r.Pending()) == 0 }, 5*time.Second, 5*time.Millisecond)
	require.Equal(t, r.created(), r.ids())
	for _, e := range r.Events() {
		require.Equal(t, []string{"accepted"}, e.States)
	}
}

func TestEventSaysWhatChangedAndWhoAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cus := r.customer(t)
	params := &stripe.CustomerParams{Name: stripe.String("Bob"), Metadata: map[string]string{"a": "1"}}
	params.IdempotencyKey = stripe.String("key-1")
	_, err := r.stripe.Customers.Update(cus.ID, params)
	require.NoError(t, err)
	r.customers(t, 1)
	list := r.stripe.Events.List(&stripe.EventListParams{Type: stripe.String("customer.updated")})
	require.True(t, list.Next())
	e := list.Event()
	require.False(t, list.Next())
	require.Equal(t, stripe.APIVersion, e.APIVersion)
	require.Equal(t, int64(1), e.PendingWebhooks)
	require.Equal(t, "key-1", e.Request.IdempotencyKey)
	require.NotEmpty(t, e.Request.ID)
	require.Equal(t, "Ada", e.GetPreviousValue("name"))
	require.Equal(t, map[string]any{"name": "Ada", "metadata": map[string]any{"a": nil}}, e.Data.PreviousAttributes)
	require.Equal(t, "Bob", e.GetObjectValue("name"))
	got, err := r.stripe.Events.Get(e.ID, nil)
	require.NoError(t, err)
	require.JSONEq(t, string(e.Data.Raw), string(got.Data.Raw), "an event shows what was")
}

func TestFaultsOfDeliveries(t *testing.T) {
	t.Parallel()
	t.Run("double", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		require.NoError(t, r.SetFaults(sandbox.Faults{Double: 2}))
		r.customers(t, 3)
		require.NoError(t, r.Flush(t.Context()))
		all := r.created()
		require.Equal(t, []string{all[0], all[0], all[1], all[1], all[2]}, r.ids())
	})
	t.Run("drop", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		require.NoError(t, r.SetFaults(sandbox.Faults{Drop: 1}))
		r.customers(t, 2)
		require.NoError(t, r.Flush(t.Context()))
		all := r.created()
		require.Equal(t, all[1:], r.ids())
		require.Equal(t, []string{"lost"}, r.Events()[0].States)
		require.NoError(t, r.Post(t.Context(), all[0]), "it can be sent by hand")
		require.Equal(t, []string{all[1], all[0]}, r.ids())
	})
	t.Run("delay", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, func(c *sandbox.Config) { c.Manual = false })
		require.NoError(t, r.SetFaults(sandbox.Faults{Delay: 1}))
		r.customers(t, 2)
		require.Eventually(t, func() bool { return len(r.Pending()) == 1 }, 5*time.Second, 5*time.Millisecond)
		require.NoError(t, r.Flush(t.Context()))
		all := r.created()
		require.Equal(t, []string{all[1], all[0]}, r.ids())
	})
	t.Run("reorder", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, func(c *sandbox.Config) { c.Manual = false })
		require.NoError(t, r.SetFaults(sandbox.Faults{Reorder: 3}))
		r.customers(t, 3)
		require.Eventually(t, func() bool { return len(r.ids()) == 3 }, 5*time.Second, 5*time.Millisecond)
		all := r.created()
		require.Equal(t, []string{all[2], all[1], all[0]}, r.ids())
	})
	t.Run("by hand", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.customers(t, 3)
		all := r.created()
		require.NoError(t, r.Post(t.Context(), all[2], all[0], all[2]))
		require.Equal(t, []string{all[2], all[0], all[2]}, r.ids())
		require.Len(t, r.Pending(), 1)
		require.ErrorIs(t, r.Post(t.Context(), "evt_none"), sandbox.ErrNoObject)
	})
}

func TestRefusedEventComesAgainUntilItIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *sandbox.Config) {
		c.Manual, c.Resend = false, []time.Duration{time.Millisecond, time.Millisecond}
	})
	r.received.answer(http.StatusInternalServerError)
	r.customers(t, 1)
	require.Eventually(t, func() bool { return r.Events()[0].States[0] == "given up" }, 10*time.Second, 10*time.Millisecond)
	require.Len(t, r.ids(), 3, "once and twice again")
	r.received.answer(http.StatusOK)
	require.NoError(t, r.Post(t.Context(), r.created()...))
	require.Equal(t, []string{"accepted"}, r.Events()[0].States)
}

func TestFlushTellsOfARefusal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.customers(t, 1)
	r.received.answer(http.StatusFound)
	require.ErrorIs(t, r.Flush(t.Context()), sandbox.ErrNotAccepted)
	require.Len(t, r.Pending(), 1)
	r.received.answer(http.StatusNoContent)
	require.NoError(t, r.Flush(t.Context()))
	require.Empty(t, r.Pending())
}

func TestEndpointsTakeWhatTheyAskFor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	list := r.stripe.WebhookEndpoints.List(nil)
	require.True(t, list.Next())
	own := list.WebhookEndpoint()
	require.Equal(t, stripe.APIVersion, own.APIVersion)
	_, err := r.stripe.WebhookEndpoints.Update(own.ID, &stripe.WebhookEndpointParams{EnabledEvents: stripe.StringSlice([]string{"customer.subscription.*", "price.created"})})
	require.NoError(t, err)
	r.withCatalogue(t)
	r.customers(t, 1)
	require.Equal(t, []string{"price.created", "price.created", "price.created"}, r.flush(t))

	made, err := r.stripe.WebhookEndpoints.New(&stripe.WebhookEndpointParams{
		URL: stripe.String(own.URL), EnabledEvents: stripe.StringSlice([]string{"*"}), APIVersion: stripe.String(stripe.APIVersion),
	})
	require.NoError(t, err)
	require.NotEmpty(t, made.Secret)
	got, err := r.stripe.WebhookEndpoints.Get(made.ID, nil)
	require.NoError(t, err)
	require.Empty(t, got.Secret, "it is told once")
	_, err = r.stripe.WebhookEndpoints.Update(made.ID, &stripe.WebhookEndpointParams{Disabled: stripe.Bool(true)})
	require.NoError(t, err)
	r.customers(t, 1)
	require.Empty(t, r.flush(t))
	_, err = r.stripe.WebhookEndpoints.Del(made.ID, nil)
	require.NoError(t, err)
	_, err = r.stripe.WebhookEndpoints.New(&stripe.WebhookEndpointParams{
		URL: stripe.String(own.URL), EnabledEvents: stripe.StringSlice([]string{"*"}), APIVersion: stripe.String("2020-08-27"),
	})
	require.Equal(t, "api_version", refusal(t, err).Param)
}

func TestEventsNeverLeaveTheMachine(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *sandbox.Config) { c.WebhookURL = "http://192.0.2.1/webhooks" })
	r.customers(t, 1)
	require.ErrorIs(t, r.Flush(t.Context()), sandbox.ErrNotAccepted)
}

func TestStateOutlivesARestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "stripe")
	r := newRig(t, func(c *sandbox.Config) { c.Dir = dir }).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	require.NoError(t, r.Advance(5*day))
	waiting := len(r.Pending())
	require.NoError(t, r.Close(t.Context()))
	info, err := os.Stat(filepath.Join(dir, "stripe.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	again := startWith(t, sandbox.Config{Dir: dir, Manual: true, Now: func() time.Time { return start }, WebhookURL: "http://127.0.0.1:1/other"})
	require.Equal(t, r.SecretKey(), again.SecretKey())
	require.Equal(t, r.WebhookSecret(), again.WebhookSecret())
	require.Equal(t, start.Add(5*day), again.Now())
	require.Len(t, again.Pending(), waiting)
	stripe2 := clientOf(again.URL(), again.SecretKey())
	list := stripe2.WebhookEndpoints.List(nil)
	require.True(t, list.Next())
	require.Equal(t, "http://127.0.0.1:1/other", list.WebhookEndpoint().URL, "its own endpoint follows the address")
	require.False(t, list.Next())
	got, err := stripe2.Subscriptions.Get(sub.ID, nil)
	require.NoError(t, err)
	require.Equal(t, sub.CurrentPeriodEnd, got.CurrentPeriodEnd)
	require.NoError(t, again.AdvanceToRenewal())
	got, err = stripe2.Subscriptions.Get(sub.ID, nil)
	require.NoError(t, err)
	require.Equal(t, sub.CurrentPeriodEnd, got.CurrentPeriodStart)

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no half of a file is left")
}

func TestStateThatCannotBeReadIsNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "stripe.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err := sandbox.Start(t.Context(), sandbox.Config{Dir: dir})
	require.ErrorContains(t, err, path)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "{", string(b))
}

func TestManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *sandbox.Config) { c.Manual, c.Dir = false, t.TempDir() }).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				_, err := r.stripe.Customers.New(&stripe.CustomerParams{Email: stripe.String("x@example.com")})
				if err != nil {
					t.Error(err)
				}
				if err := r.Advance(day); err != nil {
					t.Error(err)
				}
				_ = r.Events()
			}
		})
	}
	wg.Wait()
	require.Equal(t, start.Add(20*day), r.Now())
	require.Equal(t, stripe.SubscriptionStatusActive, r.subscription(t, sub.ID).Status)
	require.Eventually(t, func() bool { return len(r.Pending()) == 0 }, 10*time.Second, 10*time.Millisecond)
	var seen map[string]any
	require.NoError(t, json.Unmarshal(r.Events()[0].Payload, &seen))
	require.Equal(t, "event", seen["object"])
}

func TestCloseWaitsForItsWork(t *testing.T) {
	t.Parallel()
	s, err := sandbox.Start(t.Context(), sandbox.Config{})
	require.NoError(t, err)
	require.NoError(t, s.Close(context.WithoutCancel(t.Context())))
	require.NoError(t, s.Close(context.WithoutCancel(t.Context())), "twice is once")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), nil)
	require.NoError(t, err)
	_, err = (&http.Client{}).Do(req)
	require.Error(t, err)
}

func TestClockMovesForwardOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	require.ErrorIs(t, r.Advance(-time.Second), sandbox.ErrClock)
	require.ErrorIs(t, r.Advance(6*366*day), sandbox.ErrClock)
	require.ErrorIs(t, r.AdvanceTo(start.Add(-day)), sandbox.ErrClock)
	require.NoError(t, r.AdvanceToRenewal(), "nothing renews")
	require.Equal(t, start, r.Now())
}
