package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/billing"
	"veracity/platform/fault"
)

func TestEventsThatNobodyCouldWorkAreShownFirstAndWorkedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	op := r.operator(t)
	id, _, _ := r.customer(t)
	r.cashier.event.Account, r.cashier.event.Error, r.cashier.event.Attempts = &id, "read subscription: it hangs", 25
	r.cashier.event.Payload = []byte(`{"id":"evt_1","data":{"object":{"name":"<b>"}}}`)
	r.cashier.findings = []billing.Finding{{Account: id, What: "two subscriptions live"}, {What: "given_up invoice.paid evt_9"}}
	list := op.get("/admin/billing")
	require.Contains(t, list.text, "two subscriptions live")
	require.NotContains(t, list.text, "evt_9", "which the list of events has")
	for _, want := range []string{"invoice.paid", "evt_1", "Given up", "read subscription: it hangs", ">25<", "/admin/accounts/" + id.String()} {
		require.Contains(t, list.text, want)
	}
	require.NotContains(t, op.get("/admin/billing?state=pending").text, "evt_1")
	require.Contains(t, op.get("/admin/billing?state=all").text, "evt_1")

	one := op.get("/admin/billing/evt_1")
	require.Contains(t, one.text, "    &#34;object&#34;: {\n      &#34;name&#34;: &#34;&lt;b&gt;&#34;", "in lines, and as text")
	require.Contains(t, op.send(one, "/admin/billing/evt_1/again").text, "worked again")
	require.Equal(t, http.StatusNotFound, op.get("/admin/billing/evt_2").status)
}

func TestOperatorMakesAnAccountFollowThePaymentService(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	op := r.operator(t)
	id, _, _ := r.customer(t)
	path := "/admin/accounts/" + id.String()
	require.Contains(t, op.send(op.get(path), path+"/sync").text, "is now as the payment service has it")
	require.Equal(t, []string{"sync"}, r.cashier.did(id))
	r.cashier.fail(fault.New(fault.PaymentServiceUnavailable, "It does not answer."))
	failed := op.send(op.get(path), path+"/sync")
	require.Equal(t, http.StatusServiceUnavailable, failed.status)
	require.Contains(t, failed.text, "It does not answer.")
}
