package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/quota"
	"veracity/usage"
)

// logged waits for a request in the log of the customer.
func (c customer) logged(id string) usage.Request {
	c.t.Helper()
	var found []usage.Request
	require.Eventually(c.t, func() bool {
		var err error
		found, err = usage.Requests(c.t.Context(), c.DB, c.account, usage.RequestFilter{ID: id})
		require.NoError(c.t, err)
		return len(found) == 1
	}, 10*time.Second, 20*time.Millisecond)
	return found[0]
}

func TestAnsweredRequestIsInTheLogOfItsAccountUnderItsRequestID(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, other := s.customer(account.Overrides{}), s.customer(account.Overrides{})
	answer := one.audit(inBase64(labelledPNG(t)))
	answer.ok()
	refused := one.audit(`{"image_base64": "no picture"}`)

	line := one.logged(answer.header.Get("Request-Id"))
	require.Equal(t, []any{"POST /audit", http.StatusOK, "ok", "ai", int64(1), one.keyID},
		[]any{line.Call(), line.Status, line.Code, line.Verdict, line.Credits, line.Key})
	line = one.logged(refused.header.Get("Request-Id"))
	require.Equal(t, []any{refused.status, refused.object()["code"], "", int64(0)}, []any{line.Status, line.Code, line.Verdict, line.Credits})
	found, err := usage.Requests(t.Context(), s.DB, other.account, usage.RequestFilter{ID: answer.header.Get("Request-Id")})
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestUsageOfAllCallsAddsUpToTheLedger(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	var last string
	for range 3 {
		answer := c.audit(inBase64(labelledPNG(t)))
		answer.ok()
		last = answer.header.Get("Request-Id")
	}
	// A process that was killed between a charge and its line in the log: the charge is usage all the same.
	hold, err := quota.Hold(t.Context(), s.DB, quota.Request{Account: c.account, Amount: 1, Key: c.keyID, Call: usage.Audit})
	require.NoError(t, err)
	_, err = quota.Settle(t.Context(), s.DB, c.account, hold, 1)
	require.NoError(t, err)
	c.logged(last)

	balance, err := quota.Read(t.Context(), s.DB, c.account)
	require.NoError(t, err)
	rows, err := usage.ByCall(t.Context(), s.DB, c.account, time.Now().Add(-24*time.Hour), time.Now())
	require.NoError(t, err)
	sum := usage.Totals(rows)
	require.Equal(t, []int64{balance.Spent, 4, 3, 3}, []int64{sum.Credits, sum.Credits, sum.Requests, sum.AI})
}
