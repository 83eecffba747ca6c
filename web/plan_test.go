package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account/access"
	"veracity/billing"
	"veracity/platform/fault"
	"veracity/web"
)

// cashier is billing that says what the test has written for it, and notes what it was asked.
type cashier struct {
	mu       sync.Mutex
	stands   billing.Billing
	invoices []billing.Invoice
	next     *billing.Invoice
	// down is what every question to the payment service comes to.
	down error
	// leads is the address of the payment service's pages.
	leads    string
	acts     []string
	event    billing.Event
	findings []billing.Finding
}

const payOrigin = "https://pay.example.com"

func newCashier() *cashier {
	return &cashier{
		stands: billing.Billing{Plan: "pro", BilledBy: "operator"}, leads: payOrigin + "/page?session=1",
		event: billing.Event{ID: "evt_1", Type: "invoice.paid", State: billing.EventGivenUp, ReceivedAt: time.Now(), Payload: json.RawMessage(`{"id":"evt_1"}`)},
	}
}

// selling makes the portal of a rig sell plans.
func selling(c *web.Config) { c.Billing, c.PayAt = true, []string{payOrigin} }

func (c *cashier) stand(b billing.Billing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stands = b
}

func (c *cashier) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = err
}

// note keeps an act that the person may do.
func (c *cashier) note(by access.Actor, right access.Right, words ...string) error {
	if err := by.May(right); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acts = append(c.acts, strings.Join(append([]string{by.Account.String()}, words...), " "))
	return c.down
}

// did are the acts so far, without the account.
func (c *cashier) did(account uuid.UUID) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var acts []string
	for _, act := range c.acts {
		if rest, ok := strings.CutPrefix(act, account.String()+" "); ok {
			acts = append(acts, rest)
		}
	}
	return acts
}

func (c *cashier) Read(context.Context, uuid.UUID) (billing.Billing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stands, nil
}

func (c *cashier) Invoices(context.Context, uuid.UUID) ([]billing.Invoice, *billing.Invoice, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.invoices, c.next, c.down
}

func (c *cashier) Checkout(_ context.Context, by access.Actor, plan, interval string) (string, error) {
	return c.leads, c.note(by, access.ManagePlan, "checkout", plan, interval)
}

func (c *cashier) Portal(_ context.Context, by access.Actor, flow string) (string, error) {
	return c.leads, c.note(by, access.ManagePlan, "portal", flow)
}

func (c *cashier) ChangePlan(_ context.Context, by access.Actor, plan string) error {
	return c.note(by, access.ManagePlan, "change", plan)
}

func (c *cashier) Cancel(_ context.Context, by access.Actor) error {
	return c.note(by, access.ManagePlan, "cancel")
}

func (c *cashier) Resume(_ context.Context, by access.Actor) error {
	return c.note(by, access.ManagePlan, "resume")
}

func (c *cashier) Events(_ context.Context, by access.Actor, f billing.EventFilter) ([]billing.Event, error) {
	if err := by.May(access.Operate); err != nil {
		return nil, err
	}
	if f.State != "" && f.State != c.event.State {
		return nil, nil
	}
	return []billing.Event{c.event}, nil
}

func (c *cashier) Event(_ context.Context, by access.Actor, id string) (billing.Event, error) {
	if err := by.May(access.Operate); err != nil {
		return billing.Event{}, err
	}
	if id != c.event.ID {
		return billing.Event{}, fault.New(fault.UnknownEvent, "There is no event %s.", id)
	}
	return c.event, nil
}

func (c *cashier) WorkAgain(_ context.Context, by access.Actor, id string) error {
	return c.note(by, access.Operate, "again", id)
}

func (c *cashier) SyncOne(_ context.Context, account uuid.UUID) (billing.SyncReport, error) {
	return billing.SyncReport{Accounts: 1, Changed: []uuid.UUID{account}}, c.note(access.CLI(account), access.Operate, "sync")
}

func (c *cashier) Findings(context.Context) ([]billing.Finding, error) {
	return c.findings, nil
}

// subscribed is a plan that is paid every month, in good order.
func subscribed(plan string) billing.Billing {
	end := time.Date(2027, 4, 1, 12, 0, 0, 0, time.UTC)
	return billing.Billing{Plan: plan, BilledBy: "stripe", Status: "active", Interval: billing.Month, PeriodEnd: &end, Customer: true}
}

func TestThePlanIsBoughtOnThePaymentServicesPage(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	r.cashier.stand(billing.Billing{Plan: "free", BilledBy: "none"})
	owner := r.person(t, access.Owner)
	page := owner.get("/account/plan?plan=scale")
	require.Contains(t, page.text, "No API access")
	require.Contains(t, page.text, "your choice")
	require.Equal(t, "scale", page.form("/account/plan/checkout").Get("plan"), "the plan that one came for is the first")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self' "+payOrigin+";")
	require.NotContains(t, owner.get("/account/keys").header.Get("Content-Security-Policy"), payOrigin)

	left := owner.once(http.MethodPost, "/account/plan/checkout", url.Values{"plan": {"scale"}, "url": {"https://evil.example"}})
	require.Equal(t, http.StatusSeeOther, left.status)
	require.Equal(t, payOrigin+"/page?session=1", left.header.Get("Location"))
	require.Equal(t, []string{"checkout scale month"}, r.cashier.did(owner.Account))
}

func TestNobodyIsSentToAnotherPlaceThanThePaymentService(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	owner := r.person(t, access.Owner)
	for _, to := range []string{
		"https://pay.example.com.evil.example/", "http://pay.example.com/", "//pay.example.com/", "/account", "https://user@pay.example.com/", "javascript:alert(1)", "",
	} {
		r.cashier.mu.Lock()
		r.cashier.leads = to
		r.cashier.mu.Unlock()
		for _, path := range []string{"/account/plan/checkout", "/account/plan/portal"} {
			answer := owner.once(http.MethodPost, path, url.Values{"plan": {"scale"}})
			require.Equal(t, http.StatusInternalServerError, answer.status, to)
			require.Empty(t, answer.header.Get("Location"), to)
		}
	}
}

func TestAPurchaseIsBelievedOnceOurOwnRowsTellOfIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	r.cashier.stand(billing.Billing{Plan: "free", BilledBy: "none"})
	owner := r.person(t, access.Owner)
	waits := owner.get("/account/plan?checkout=done")
	require.Contains(t, waits.text, "Waiting for the payment service")
	require.Contains(t, waits.text, "data-refresh")
	require.Empty(t, r.cashier.did(owner.Account), "the address that one comes back by does nothing")
	r.cashier.stand(subscribed("pro"))
	done := owner.get("/account/plan?checkout=done")
	require.Contains(t, done.text, "The payment is confirmed")
	require.NotContains(t, done.text, "data-refresh")
	require.Contains(t, owner.get("/account/plan?checkout=cancelled").text, "Nothing was bought")
}

func TestThePlanPageSaysHowThePlanStandsAndWhatCanBeDone(t *testing.T) {
	t.Parallel()
	end := time.Date(2027, 4, 1, 12, 0, 0, 0, time.UTC)
	r := newRig(t, selling)
	owner := r.person(t, access.Owner)
	for name, row := range map[string]struct {
		change      func(*billing.Billing)
		says, never []string
	}{
		"active": {
			func(*billing.Billing) {},
			[]string{"Active", "$99 a month", "Renews", "2027-04-01 12:00:00 UTC", "/account/plan/cancel", "Card and invoices", "/account/plan/change?plan=scale", "Upgrade"},
			[]string{"Mend the payment", "/account/plan/resume", "/account/plan/checkout"},
		},
		"trial": {
			func(b *billing.Billing) { b.Status = "trialing" }, []string{"Trial ends", "Nothing is charged until the trial ends"}, []string{"Mend"},
		},
		"payment failed": {
			func(b *billing.Billing) { b.Status = "past_due" },
			[]string{"Payment failed", "Mend the payment", `value="payment_method"`, "/account/plan/cancel"},
			[]string{"/account/plan/change", "Renews"},
		},
		"cancelled": {
			func(b *billing.Billing) { b.CancelAt = &end },
			[]string{"Cancelled", "Ends", "/account/plan/resume"},
			[]string{"/account/plan/cancel", "/account/plan/change", "Renews"},
		},
		"downgrade to come": {
			func(b *billing.Billing) { b.Plan, b.PendingPlan = "scale", "pro" },
			[]string{"Changes", "<dd>Pro</dd>", "Stay on it", "/account/plan/change?plan=scale"},
			[]string{"/account/plan/change?plan=pro"},
		},
		"by the year": {func(b *billing.Billing) { b.Interval = billing.Year }, []string{"Paid by the year"}, []string{"<dd>$99 a month"}},
		"set by the operator": {
			func(b *billing.Billing) { *b = billing.Billing{Plan: "pro", BilledBy: "operator"} },
			[]string{"Set by the operator", "/account/plan/checkout"},
			[]string{"Invoices</h2>", "/account/plan/portal", "/account/plan/cancel"},
		},
	} {
		b := subscribed("pro")
		row.change(&b)
		r.cashier.stand(b)
		text := owner.get("/account/plan").text
		for _, want := range row.says {
			require.Contains(t, text, want, name)
		}
		for _, not := range row.never {
			require.NotContains(t, text, not, name)
		}
	}
}

func TestAChangeOfThePlanIsExplainedAndAskedFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	owner := r.person(t, access.Owner)
	r.cashier.stand(subscribed("pro"))
	up := owner.get("/account/plan/change?plan=scale")
	require.Contains(t, up.text, "charged now for the difference")
	require.Contains(t, up.text, "75,000 credits a month")
	require.Empty(t, r.cashier.did(owner.Account))
	require.Contains(t, owner.send(up, "/account/plan/change").text, "moves to Scale")

	r.cashier.stand(subscribed("scale"))
	down := owner.get("/account/plan/change?plan=pro")
	require.Contains(t, down.text, "Nothing changes, and nothing is charged, until")
	require.Contains(t, down.text, "2027-04-01 12:00:00 UTC")
	require.Contains(t, owner.send(down, "/account/plan/change").text, "moves to Pro on 1 Apr 2027")

	cancel := owner.get("/account/plan/cancel")
	require.Contains(t, cancel.text, "works until")
	require.Contains(t, owner.send(cancel, "/account/plan/cancel").text, "Nothing more is charged")
	b := subscribed("scale")
	b.CancelAt = b.PeriodEnd
	r.cashier.stand(b)
	require.Equal(t, "/account/plan", owner.get("/account/plan/cancel").url.Path, "it is cancelled already")
	keep := owner.get("/account/plan/resume")
	require.Contains(t, keep.text, "charged $499 a month, next on")
	require.Contains(t, owner.send(keep, "/account/plan/resume").text, "The plan goes on")
	require.Equal(t, []string{"change scale", "change pro", "cancel", "resume"}, r.cashier.did(owner.Account))

	require.Equal(t, http.StatusNotFound, owner.get("/account/plan/change?plan=gold").status)
	require.Equal(t, http.StatusNotFound, owner.get("/account/plan/change?plan=free").status)
	r.cashier.stand(billing.Billing{Plan: "free", BilledBy: "none"})
	require.Equal(t, "/account/plan?plan=pro", owner.get("/account/plan/change?plan=pro").url.RequestURI(), "what is not subscribed is bought")
}

func TestARefusedPaymentIsSaidWhereItWasAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	owner := r.person(t, access.Owner)
	r.cashier.stand(subscribed("pro"))
	r.cashier.fail(fault.New(fault.PaymentDeclined, "The bank declined the payment."))
	for path, status := range map[string]int{"change": http.StatusPaymentRequired, "cancel": http.StatusPaymentRequired, "checkout": http.StatusPaymentRequired, "portal": http.StatusPaymentRequired, "resume": http.StatusPaymentRequired} {
		page := owner.post("/account/plan/"+path, url.Values{"plan": {"scale"}})
		require.Equal(t, status, page.status, path)
		require.Contains(t, page.text, "The bank declined the payment.", path)
		require.Contains(t, page.text, `role="alert"`, path)
	}
}

func TestInvoicesAreShownAndTheirAbsenceBreaksNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	owner := r.person(t, access.Owner)
	at := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	r.cashier.stand(subscribed("pro"))
	r.cashier.invoices = []billing.Invoice{
		{Number: "VER-0001", Status: "paid", Currency: "usd", Total: 9_900, CreatedAt: at, Page: "https://pay.example.com/i/1", PDF: "javascript:alert(1)"},
		{Status: "open", Currency: "eur", Total: 1_999, CreatedAt: at},
	}
	r.cashier.next = &billing.Invoice{Status: "upcoming", Currency: "usd", Total: 9_950}
	page := owner.get("/account/plan")
	for _, want := range []string{"VER-0001", "Paid", "$99", "https://pay.example.com/i/1", "To be paid", "1,999 EUR", "The next one is $99.50", "2027-04-01 12:00:00 UTC"} {
		require.Contains(t, page.text, want)
	}
	require.NotContains(t, page.text, "javascript:")

	for _, down := range []error{fault.New(fault.PaymentServiceUnavailable, "It does not answer."), errors.New("secret host")} {
		r.cashier.fail(down)
		page = owner.get("/account/plan")
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, page.text, "The payment service does not answer just now")
		require.Contains(t, page.text, "$99 a month")
		require.NotContains(t, page.text, "secret host")
	}
}

func TestWhoDoesNotPaySeesThePlanAndChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	r.cashier.stand(subscribed("pro"))
	for _, role := range []access.Role{access.Developer, access.Viewer} {
		who := r.person(t, role)
		text := who.get("/account/plan").text
		require.Contains(t, text, "$99 a month")
		require.Contains(t, text, "Owners and billing members of the account change the plan.")
		for _, not := range []string{"/account/plan/portal", "/account/plan/cancel", "/account/plan/change", "/account/plan/checkout"} {
			require.NotContains(t, text, not)
			require.NotContains(t, who.get("/pricing").text, not)
		}
	}
	require.Contains(t, r.person(t, access.Billing).get("/account/plan").text, "/account/plan/cancel")
}

func TestPricingLeadsEachVisitorToThePlan(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	require.Contains(t, r.browser(t).get("/pricing").text, `href="/signup?plan=scale"`)
	owner := r.person(t, access.Owner)
	r.cashier.stand(billing.Billing{Plan: "free", BilledBy: "none"})
	buy := owner.get("/pricing")
	require.Equal(t, "pro", buy.form("/account/plan/checkout").Get("plan"))
	require.Contains(t, buy.header.Get("Content-Security-Policy"), payOrigin)
	r.cashier.stand(subscribed("pro"))
	change := owner.get("/pricing").text
	require.Contains(t, change, `href="/account/plan/change?plan=scale"`)
	require.NotContains(t, change, "/account/plan/checkout")
}

func TestWithoutAPaymentServiceThereIsNoPageOfPayment(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	owner, op := r.person(t, access.Owner), r.operator(t)
	require.Equal(t, http.StatusNotFound, owner.get("/account/plan").status)
	require.Equal(t, http.StatusNotFound, op.get("/admin/billing").status)
	require.NotContains(t, owner.get("/account").text, `href="/account/plan"`)
	require.NotContains(t, op.get("/admin/accounts/"+owner.Account.String()).text, "Sync this account")
}

func TestAStateIsMendedOnThePageOfThePlan(t *testing.T) {
	t.Parallel()
	r := newRig(t, selling)
	owner := r.person(t, access.Owner)
	require.NoError(t, r.Accounts.SetState(t.Context(), owner.Account, "payment_failed"))
	keys := owner.get("/account/keys").text
	require.Contains(t, keys, `href="/account/plan">Mend the payment`)
	require.NotContains(t, keys, "/pricing\">Mend")
	require.NotContains(t, owner.get("/account/plan").text, `href="/account/plan">Mend the payment`, "it stands on the page itself")
}
