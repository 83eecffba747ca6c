package main

import (
	"context"
	"net/http"
	"path"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/billing"
	"veracity/billing/sandbox"
	"veracity/platform/fault"
	"veracity/quota"
	"veracity/web/browsertest"
)

// selling makes a service sell its plans through a sandbox of payments, which ends with the test. Accounts begin on the
// plan without API access.
func selling(t *testing.T, box **sandbox.Sandbox, changes ...func(*sandbox.Config)) func(*Settings) {
	t.Helper()
	return func(s *Settings) {
		cfg := sandbox.Config{WebhookURL: s.BaseURL + billing.WebhookPath}
		for _, change := range changes {
			change(&cfg)
		}
		started, err := sandbox.Start(t.Context(), cfg)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, started.Close(context.WithoutCancel(t.Context()))) })
		*box = started
		s.Stripe.SecretKey, s.Stripe.WebhookSecret, s.Stripe.APIURL = started.SecretKey(), started.WebhookSecret(), started.URL()
		s.payClock = started.Now
		s.Account.SignUpPlan = "free"
	}
}

// grants are the credits that each period of an account was opened with, in order; the journal must bear them out.
func (s *service) grants(id uuid.UUID) []int64 {
	s.t.Helper()
	differences, err := quota.Audit(s.t.Context(), s.DB, &id)
	require.NoError(s.t, err)
	require.Empty(s.t, differences)
	rows, err := s.DB.Query(s.t.Context(), `
		SELECT amount FROM credit_entry WHERE account_id = $1 AND kind IN ('grant', 'adjust') ORDER BY period_start, id`, id)
	require.NoError(s.t, err)
	var all []int64
	for rows.Next() {
		var amount int64
		require.NoError(s.t, rows.Scan(&amount))
		all = append(all, amount)
	}
	require.NoError(s.t, rows.Err())
	return all
}

// becomes waits until a check by the customer's key comes to a code, "" for a verdict, and keeps to it.
func (c customer) becomes(code string) {
	c.t.Helper()
	var last reply
	picture := inBase64(labelledPNG(c.t))
	require.Eventually(c.t, func() bool {
		last = c.audit(picture)
		said, _ := last.object()["code"].(string)
		return said == code
	}, time.Minute, 200*time.Millisecond, "a check answers %q", code)
	if code == "" {
		require.Equal(c.t, "ai", last.ok()["verdict"])
		return
	}
	last.refused(http.StatusPaymentRequired, code)
}

// accountOf is the account of the person with an address.
func (s *service) accountOf(email string) uuid.UUID {
	s.t.Helper()
	var id uuid.UUID
	require.NoError(s.t, s.DB.QueryRow(s.t.Context(), `
		SELECT m.account_id FROM membership m JOIN app_user u ON u.id = m.user_id WHERE u.email = $1`, email).Scan(&id))
	return id
}

// TestAPlanIsBoughtFailsIsMendedAndEnds is the life of a paid plan as a person lives it.
func TestAPlanIsBoughtFailsIsMendedAndEnds(t *testing.T) {
	t.Parallel()
	for name, scripts := range map[string]bool{"with scripts": true, "without scripts": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var box *sandbox.Sandbox
			s := startSite(t, selling(t, &box))
			_, err := s.Billing.Setup(t.Context())
			require.NoError(t, err)
			tab := browsertest.Open(t, s.url)
			if !scripts {
				tab.WithoutScript()
			}
			email := s.newcomer(tab)
			s.buy(tab, "Pro", sandbox.CardFailsLater)
			c := customer{service: s.service, account: s.accountOf(email), key: s.makeKey(tab, "Production")}
			c.becomes("")
			require.Equal(t, []int64{10_000}, s.grants(c.account))

			require.NoError(t, box.AdvanceToRenewal())
			c.becomes("payment_failed")
			require.Equal(t, []int64{10_000}, s.grants(c.account), "what is not paid opens no period")
			tab.Go("/account/keys")
			tab.See("The last payment failed")
			tab.Press("Mend the payment")
			tab.See("Enter another card")
			tab.Press("Mend the payment")
			s.giveCard(tab, box)
			c.becomes("")
			require.Equal(t, []int64{10_000, 10_000}, s.grants(c.account))

			tab.Go("/account/plan")
			tab.See("Card and invoices")
			tab.Press("Cancel the plan")
			tab.See("What happens")
			tab.Press("Cancel the plan")
			tab.See("Cancelled")
			c.becomes("")
			require.NoError(t, box.AdvanceToRenewal())
			c.becomes("plan_required")
			tab.Go("/account/plan")
			tab.See("No API access")
			require.Equal(t, []int64{10_000, 10_000}, s.grants(c.account), "not one credit was granted twice")
			require.Contains(t, s.newestTo(email), "is cancelled")
		})
	}
}

// buy pays for a plan from the page of the plan, and waits until it is confirmed.
func (s site) buy(tab *browsertest.Tab, plan string, card sandbox.Card) {
	s.t.Helper()
	tab.Go("/account/plan")
	tab.Press("Buy: " + plan)
	tab.See("Due now")
	tab.Tick("main input[value=\"" + string(card) + "\"]")
	tab.Press("Subscribe")
	s.sees(tab, "/account/plan?checkout=done", "The payment is confirmed")
}

// giveCard gives a card that works in the payment service's portal.
func (s site) giveCard(tab *browsertest.Tab, box *sandbox.Sandbox) {
	s.t.Helper()
	tab.See("Sandbox")
	require.Contains(s.t, tab.Path(), box.URL()+"/portal/")
	tab.Tick("main input[value=\"" + string(sandbox.CardWorks) + "\"]")
	tab.Press("Use this card")
	tab.See("Card and invoices")
}

// sees waits until a page shows a text. Without scripts a page is looked at again by hand.
func (s site) sees(tab *browsertest.Tab, path, text string) {
	s.t.Helper()
	tab.See("Plan")
	require.Eventually(s.t, func() bool {
		if tab.Shows(text) {
			return true
		}
		tab.Go(path)
		return false
	}, time.Minute, time.Second, "%s shows %q", path, text)
}

// payer is a customer whose plan is paid through the sandbox.
type payer struct {
	customer
	box *sandbox.Sandbox
	by  access.Actor
	// id is the customer's in the sandbox.
	id string
}

// pays makes an account that buys pro by a card, and a key.
func pays(t *testing.T, card sandbox.Card, changes ...func(*sandbox.Config)) payer {
	t.Helper()
	var box *sandbox.Sandbox
	s := start(t, selling(t, &box, changes...), func(s *Settings) { s.Jobs.Poll = 100 * time.Millisecond })
	require.NoError(t, s.startWorker(t.Context()))
	_, err := s.Billing.Setup(t.Context())
	require.NoError(t, err)
	acc, err := s.Accounts.Create(t.Context(), uuid.NewString()+"@example.com", "free", account.Overrides{})
	require.NoError(t, err)
	p := payer{customer: customer{service: s, account: acc.ID}, box: box, by: access.Actor{Account: acc.ID, Role: access.Owner}}
	page, err := s.Billing.Checkout(t.Context(), p.by, "pro", billing.Month)
	require.NoError(t, err)
	require.NoError(t, s.DB.QueryRow(t.Context(), `SELECT id FROM stripe_customer WHERE account_id = $1`, acc.ID).Scan(&p.id))
	require.NoError(t, box.Pay(path.Base(page), sandbox.Payer{Card: card}))
	require.Eventually(t, func() bool {
		made, err := s.Accounts.CreateKey(t.Context(), p.by, "test")
		p.key, p.keyID = made.Key, made.ID
		return err == nil
	}, time.Minute, 100*time.Millisecond)
	return p
}

// daysToTheEnd are longer than the sandbox tries to collect a renewal.
const daysToTheEnd = 20 * 24 * time.Hour

func (p payer) renew() { p.t.Helper(); require.NoError(p.t, p.box.AdvanceToRenewal()) }

func (p payer) cancel() { p.t.Helper(); require.NoError(p.t, p.Billing.Cancel(p.t.Context(), p.by)) }

func (p payer) change(plan string) {
	p.t.Helper()
	require.NoError(p.t, p.Billing.ChangePlan(p.t.Context(), p.by, plan))
}

// failForGood lets a renewal fail until nobody tries it any more.
func (p payer) failForGood() {
	p.t.Helper()
	p.renew()
	require.NoError(p.t, p.box.Advance(daysToTheEnd))
}

func TestContractEachStateOfThePaymentAnswersAsTold(t *testing.T) {
	t.Parallel()
	paid, twice := []int64{10_000}, []int64{10_000, 10_000}
	for name, row := range map[string]struct {
		card   sandbox.Card
		end    string
		change func(payer)
		code   string
		// grants are the credits of all periods as the journal has them.
		grants []int64
	}{
		"active":                  {sandbox.CardWorks, "", func(payer) {}, "", paid},
		"renewed":                 {sandbox.CardWorks, "", payer.renew, "", twice},
		"upgraded":                {sandbox.CardWorks, "", func(p payer) { p.change("scale") }, "", []int64{10_000, 65_000}},
		"downgraded, not yet":     {sandbox.CardWorks, "", func(p payer) { p.change("starter") }, "", paid},
		"downgraded":              {sandbox.CardWorks, "", func(p payer) { p.change("starter"); p.renew() }, "", []int64{10_000, 1_000}},
		"renewal declined":        {sandbox.CardFailsLater, "", payer.renew, "payment_failed", paid},
		"renewal never paid":      {sandbox.CardFailsLater, sandbox.EndUnpaid, payer.failForGood, "payment_failed", paid},
		"given up by Stripe":      {sandbox.CardFailsLater, sandbox.EndCanceled, payer.failForGood, "plan_required", paid},
		"cancelled, not over":     {sandbox.CardWorks, "", payer.cancel, "", paid},
		"cancelled and over":      {sandbox.CardWorks, "", func(p payer) { p.cancel(); p.renew() }, "plan_required", paid},
		"over, and never told of": {sandbox.CardWorks, "", payer.endUnheard, "plan_required", paid},
		"mended": {sandbox.CardFailsLater, "", func(p payer) {
			p.renew()
			p.becomes("payment_failed")
			require.NoError(p.t, p.box.ChangeCard(p.id, sandbox.CardWorks))
		}, "", twice},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pays(t, row.card, func(c *sandbox.Config) { c.End = row.end })
			p.becomes("")
			row.change(p)
			p.settles(row.code)
			said, _ := p.audit(inBase64(labelledPNG(t))).object()["message"].(string)
			if row.code == "plan_required" {
				require.Contains(t, said, "free", "it names the plan")
			}
			_, err := p.Accounts.CreateKey(t.Context(), p.by, "another")
			require.Equal(t, fault.Code(row.code), fault.CodeOf(err), "keys are made as calls are answered")
			require.Equal(t, row.grants, p.grants(p.account))
		})
	}
}

// endUnheard lets a cancelled plan run out while every event of the payment service is lost.
func (p payer) endUnheard() {
	p.t.Helper()
	p.cancel()
	require.NoError(p.t, p.box.SetFaults(sandbox.Faults{Drop: 1000}))
	p.renew()
	require.NoError(p.t, p.Billing.Enforce(p.t.Context()))
}

// settles waits until what the payment service has said is worked and a check comes to a code.
func (p payer) settles(code string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		var open int
		require.NoError(p.t, p.DB.QueryRow(p.t.Context(), `SELECT count(*) FROM stripe_event WHERE state = 'pending'`).Scan(&open))
		return open == 0 && len(p.box.Pending()) == 0
	}, time.Minute, 100*time.Millisecond, "all events are worked")
	p.becomes(code)
}

func TestEventsOfStripeNeedASignatureAndNoBrowser(t *testing.T) {
	t.Parallel()
	var box *sandbox.Sandbox
	sells, sellsNothing := start(t, selling(t, &box)), start(t)
	deaf := start(t, selling(t, &box), func(s *Settings) { s.Stripe.WebhookSecret = "" })
	for name, headers := range map[string][]string{
		"without a signature": nil, "with a wrong one": {"Stripe-Signature", "t=1,v1=00"}, "as another site's form": {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
	} {
		require.Equal(t, http.StatusBadRequest, sells.send(http.MethodPost, billing.WebhookPath, `{"id":"evt_1"}`, headers...).status, name)
		require.Equal(t, http.StatusNotFound, deaf.send(http.MethodPost, billing.WebhookPath, `{"id":"evt_1"}`, headers...).status, name)
	}
	require.Equal(t, http.StatusNotFound, sellsNothing.send(http.MethodPost, billing.WebhookPath, `{"id":"evt_1"}`).status)
	var stored int
	require.NoError(t, sells.DB.QueryRow(t.Context(), `SELECT count(*) FROM stripe_event`).Scan(&stored))
	require.Zero(t, stored)
}
