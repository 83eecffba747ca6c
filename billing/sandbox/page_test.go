package sandbox_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"

	"veracity/billing/sandbox"
)

// post sends a form of a page as a browser of the same origin does, and returns the status, where it leads, and the page.
func (r *rig) post(t *testing.T, path string, form url.Values) (int, string, string) {
	t.Helper()
	resp := r.rawResponse(t, http.MethodPost, path, form.Encode(), map[string]string{"Sec-Fetch-Site": "same-origin", "Authorization": ""})
	defer func() { require.NoError(t, resp.Body.Close()) }()
	return resp.StatusCode, resp.Header.Get("Location"), readAll(t, resp)
}

func readAll(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(b)
}

func path(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u.RequestURI()
}

func TestPaymentPage(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	session := r.checkout(t, r.customer(t), r.pro)
	to := path(t, session.URL)
	resp := r.rawResponse(t, http.MethodGet, to, "", nil)
	page := readAll(t, resp)
	require.NoError(t, resp.Body.Close())
	require.Contains(t, page, "Sandbox: no money moves")
	require.Contains(t, page, "99.00 USD a month")
	require.Contains(t, page, "ada@example.com")
	require.Equal(t, "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self' http://localhost:8080",
		resp.Header.Get("Content-Security-Policy"))

	status, _, page := r.post(t, to, url.Values{"card": {string(sandbox.CardDeclined)}})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, page, "Your card was declined")
	status, where, _ := r.post(t, to, url.Values{"card": {string(sandbox.CardNeedsAction)}})
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, to, where)
	_, page = r.raw(t, http.MethodGet, to, "", nil)
	require.Contains(t, page, "Confirm the payment")
	status, _, page = r.post(t, to+"/confirm", url.Values{"answer": {"no"}})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, page, "not confirmed")
	status, where, _ = r.post(t, to, url.Values{"card": {string(sandbox.CardWorks)}})
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, "http://localhost:8080/account/plan?session="+session.ID, where)

	status, page = r.raw(t, http.MethodGet, to, "", nil)
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, page, "This payment is over")
	status, _, _ = r.post(t, to, url.Values{"card": {string(sandbox.CardWorks)}})
	require.Equal(t, http.StatusNotFound, status)
	sessionNow, err := r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	inv := r.invoices(t, sessionNow.Subscription.ID)[0]
	_, page = r.raw(t, http.MethodGet, path(t, inv.HostedInvoiceURL), "", nil)
	require.Contains(t, page, inv.Number)
	require.Contains(t, page, "99.00 USD")
}

// portalConfig lets people do everything, and switch between all prices.
func (r *rig) portalConfig(t *testing.T) *stripe.BillingPortalConfiguration {
	t.Helper()
	made, err := r.stripe.BillingPortalConfigurations.New(&stripe.BillingPortalConfigurationParams{
		BusinessProfile:  &stripe.BillingPortalConfigurationBusinessProfileParams{Headline: stripe.String("Veracity")},
		DefaultReturnURL: stripe.String("http://localhost:8080/account/plan"),
		Metadata:         map[string]string{"app": "veracity"},
		Features: &stripe.BillingPortalConfigurationFeaturesParams{
			CustomerUpdate: &stripe.BillingPortalConfigurationFeaturesCustomerUpdateParams{
				Enabled: stripe.Bool(true), AllowedUpdates: stripe.StringSlice([]string{"email", "tax_id"}),
			},
			InvoiceHistory:      &stripe.BillingPortalConfigurationFeaturesInvoiceHistoryParams{Enabled: stripe.Bool(true)},
			PaymentMethodUpdate: &stripe.BillingPortalConfigurationFeaturesPaymentMethodUpdateParams{Enabled: stripe.Bool(true)},
			SubscriptionCancel:  &stripe.BillingPortalConfigurationFeaturesSubscriptionCancelParams{Enabled: stripe.Bool(true)},
			SubscriptionUpdate: &stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateParams{
				Enabled: stripe.Bool(true), DefaultAllowedUpdates: stripe.StringSlice([]string{"price"}), ProrationBehavior: stripe.String("always_invoice"),
				Products: []*stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateProductParams{
					{Product: stripe.String(r.starter.Product.ID), Prices: []*string{stripe.String(r.starter.ID)}},
					{Product: stripe.String(r.pro.Product.ID), Prices: []*string{stripe.String(r.pro.ID)}},
				},
			},
		},
	})
	require.NoError(t, err)
	require.Equal(t, r.pro.ID, made.Features.SubscriptionUpdate.Products[1].Prices[0])
	require.Equal(t, stripe.BillingPortalConfigurationFeaturesSubscriptionCancelModeAtPeriodEnd, made.Features.SubscriptionCancel.Mode)
	return made
}

func (r *rig) visit(t *testing.T, conf *stripe.BillingPortalConfiguration, cus string, flow *stripe.BillingPortalSessionFlowDataParams) string {
	t.Helper()
	made, err := r.stripe.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{
		Customer: stripe.String(cus), Configuration: stripe.String(conf.ID), FlowData: flow,
	})
	require.NoError(t, err)
	require.Equal(t, "http://localhost:8080/account/plan", made.ReturnURL)
	return path(t, made.URL)
}

func TestPortalChangesASubscription(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.starter, sandbox.CardFailsLater)
	conf := r.portalConfig(t)
	to := r.visit(t, conf, sub.Customer.ID, nil)
	_, page := r.raw(t, http.MethodGet, to, "", nil)
	for _, want := range []string{"Visa ending in 0341", "Change to Pro", "Cancel the subscription", sub.LatestInvoice.Number, "http://localhost:8080/account/plan"} {
		require.Contains(t, page, want)
	}
	act := func(form url.Values) (int, string) {
		form.Set("subscription", sub.ID)
		status, _, page := r.post(t, to, form)
		return status, page
	}
	require.Contains(t, page, "active")
	status, page := act(url.Values{"act": {"plan"}, "price": {r.pro.ID}})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, page, "Your card was declined")
	status, _ = act(url.Values{"act": {"plan"}, "price": {r.proYear.ID}})
	require.Equal(t, http.StatusUnprocessableEntity, status, "what is not offered cannot be had")
	status, _ = act(url.Values{"act": {"card"}, "card": {string(sandbox.CardDeclined)}})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	status, _ = act(url.Values{"act": {"card"}, "card": {string(sandbox.CardWorks)}})
	require.Equal(t, http.StatusSeeOther, status)
	status, _ = act(url.Values{"act": {"plan"}, "price": {r.pro.ID}})
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, r.pro.ID, r.subscription(t, sub.ID).Items.Data[0].Price.ID)
	status, _ = act(url.Values{"act": {"end"}})
	require.Equal(t, http.StatusSeeOther, status)
	require.True(t, r.subscription(t, sub.ID).CancelAtPeriodEnd)
	_, page = r.raw(t, http.MethodGet, to, "", nil)
	require.Contains(t, page, "Keep the subscription")
	status, _ = act(url.Values{"act": {"resume"}})
	require.Equal(t, http.StatusSeeOther, status)
	require.False(t, r.subscription(t, sub.ID).CancelAtPeriodEnd)
	status, _ = act(url.Values{"act": {"resume"}})
	require.Equal(t, http.StatusUnprocessableEntity, status)

	other := r.subscribe(t, r.starter, sandbox.CardWorks)
	status, _, _ = r.post(t, to, url.Values{"act": {"end"}, "subscription": {other.ID}})
	require.Equal(t, http.StatusUnprocessableEntity, status, "another's subscription is out of reach")
	status, _ = r.raw(t, http.MethodGet, to+"x", "", nil)
	require.Equal(t, http.StatusNotFound, status)
}

func TestPortalFlowsLeadBack(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.starter, sandbox.CardWorks)
	conf := r.portalConfig(t)
	back := &stripe.BillingPortalSessionFlowDataAfterCompletionParams{
		Type:     stripe.String("redirect"),
		Redirect: &stripe.BillingPortalSessionFlowDataAfterCompletionRedirectParams{ReturnURL: stripe.String("http://localhost:9090/done")},
	}
	flows := []struct {
		flow *stripe.BillingPortalSessionFlowDataParams
		form url.Values
	}{
		{
			&stripe.BillingPortalSessionFlowDataParams{Type: stripe.String("payment_method_update")},
			url.Values{"act": {"card"}, "card": {string(sandbox.CardWorks)}},
		},
		{
			&stripe.BillingPortalSessionFlowDataParams{
				Type: stripe.String("subscription_update_confirm"),
				SubscriptionUpdateConfirm: &stripe.BillingPortalSessionFlowDataSubscriptionUpdateConfirmParams{
					Subscription: stripe.String(sub.ID),
					Items: []*stripe.BillingPortalSessionFlowDataSubscriptionUpdateConfirmItemParams{
						{ID: stripe.String(sub.Items.Data[0].ID), Price: stripe.String(r.pro.ID), Quantity: stripe.Int64(1)},
					},
				},
			},
			url.Values{"act": {"plan"}, "price": {r.pro.ID}},
		},
		{
			&stripe.BillingPortalSessionFlowDataParams{
				Type:               stripe.String("subscription_cancel"),
				SubscriptionCancel: &stripe.BillingPortalSessionFlowDataSubscriptionCancelParams{Subscription: stripe.String(sub.ID)},
			},
			url.Values{"act": {"end"}},
		},
	}
	for _, one := range flows {
		one.flow.AfterCompletion = back
		to := r.visit(t, conf, sub.Customer.ID, one.flow)
		resp := r.rawResponse(t, http.MethodGet, to, "", nil)
		require.NoError(t, resp.Body.Close())
		require.Contains(t, resp.Header.Get("Content-Security-Policy"), "http://localhost:9090")
		one.form.Set("subscription", sub.ID)
		status, where, page := r.post(t, to, one.form)
		require.Equal(t, http.StatusSeeOther, status, page)
		require.Equal(t, "http://localhost:9090/done", where)
	}
	sub = r.subscription(t, sub.ID)
	require.Equal(t, r.pro.ID, sub.Items.Data[0].Price.ID)
	require.True(t, sub.CancelAtPeriodEnd)
	_, err := r.stripe.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{
		Customer: stripe.String(sub.Customer.ID), Configuration: stripe.String(conf.ID), FlowData: flows[2].flow,
	})
	require.Contains(t, refusal(t, err).Msg, "already set to be canceled")
}

func TestPortalNeedsAConfiguration(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	cus := r.customer(t)
	_, err := r.stripe.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{Customer: stripe.String(cus.ID)})
	require.Equal(t, "configuration", refusal(t, err).Param, "a new account has no default one")
	conf := r.portalConfig(t)
	conf, err = r.stripe.BillingPortalConfigurations.Update(conf.ID, &stripe.BillingPortalConfigurationParams{
		Active: stripe.Bool(true),
		Features: &stripe.BillingPortalConfigurationFeaturesParams{
			PaymentMethodUpdate: &stripe.BillingPortalConfigurationFeaturesPaymentMethodUpdateParams{Enabled: stripe.Bool(false)},
		},
	})
	require.NoError(t, err)
	require.False(t, conf.Features.PaymentMethodUpdate.Enabled)
	require.True(t, conf.Features.InvoiceHistory.Enabled, "the rest stays")
	_, err = r.stripe.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{
		Customer: stripe.String(cus.ID), Configuration: stripe.String(conf.ID),
		FlowData: &stripe.BillingPortalSessionFlowDataParams{Type: stripe.String("payment_method_update")},
	})
	require.Contains(t, refusal(t, err).Msg, "not enabled")
	status, _, _ := r.post(t, r.visit(t, conf, cus.ID, nil), url.Values{"act": {"card"}, "card": {string(sandbox.CardWorks)}})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	list := r.stripe.BillingPortalConfigurations.List(&stripe.BillingPortalConfigurationListParams{Active: stripe.Bool(true)})
	require.True(t, list.Next())
	require.Equal(t, "veracity", list.BillingPortalConfiguration().Metadata["app"])
	got, err := r.stripe.BillingPortalConfigurations.Get(conf.ID, nil)
	require.NoError(t, err)
	require.Equal(t, "Veracity", got.BusinessProfile.Headline)
}

func TestControlPage(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	press := func(where string, form url.Values) {
		status, to, page := r.post(t, where, form)
		require.Equal(t, http.StatusSeeOther, status, page)
		require.Equal(t, "/", to)
	}
	press("/control/advance", url.Values{"by": {"day"}})
	require.Equal(t, start.Add(day), r.Now())
	press("/control/card", url.Values{"customer": {sub.Customer.ID}, "do": {"once"}})
	press("/control/advance", url.Values{"by": {"renewal"}})
	require.Equal(t, stripe.SubscriptionStatusPastDue, r.subscription(t, sub.ID).Status)
	press("/control/card", url.Values{"customer": {sub.Customer.ID}, "do": {"fail"}})
	press("/control/card", url.Values{"customer": {sub.Customer.ID}, "do": {"mend"}})
	require.Equal(t, stripe.SubscriptionStatusActive, r.subscription(t, sub.ID).Status)
	press("/control/advance", url.Values{"by": {"month"}})
	press("/control/dispute", url.Values{"charge": {r.LastCharge(sub.Customer.ID)}})
	press("/control/flush", nil)
	require.Contains(t, r.received.took(), "charge.dispute.created")
	press("/control/faults", url.Values{"double": {"1"}, "drop": {"0"}, "delay": {"0"}, "reorder": {"0"}})
	r.customers(t, 1)
	require.Equal(t, []string{"customer.created", "customer.created"}, r.flush(t))
	press("/control/post", url.Values{"event": {r.Events()[0].ID}})
	require.Len(t, r.received.took(), 1)

	_, page := r.raw(t, http.MethodGet, "/", "", nil)
	for _, want := range []string{"Sandbox: no money moves", "ada@example.com", sub.ID, "charge.dispute.created", "accepted"} {
		require.Contains(t, page, want)
	}
	require.NotRegexp(t, regexp.MustCompile(`<script|style=|\son[a-z]+=`), page, "the policy allows neither")
	for where, form := range map[string]url.Values{
		"/control/advance": {"by": {"year"}}, "/control/card": {"customer": {"cus_x"}, "do": {"fail"}}, "/control/dispute": {"charge": {"ch_x"}},
		"/control/faults": {"double": {"-1"}}, "/control/post": {"event": {"evt_x"}},
	} {
		status, _, _ := r.post(t, where, form)
		require.Equal(t, http.StatusUnprocessableEntity, status, where)
	}
}

func TestPagesRefuseOtherSites(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	status, _ := r.raw(t, http.MethodPost, "/control/flush", "", map[string]string{"Sec-Fetch-Site": "cross-site"})
	require.Equal(t, http.StatusForbidden, status)
	status, _ = r.raw(t, http.MethodPost, "/control/flush", "", map[string]string{"Origin": "http://evil.example"})
	require.Equal(t, http.StatusForbidden, status)
	status, _ = r.raw(t, http.MethodGet, "/", "", map[string]string{"Host": "rebound.example:80"})
	require.Equal(t, http.StatusMisdirectedRequest, status)
	status, css := r.raw(t, http.MethodGet, "/style.css", "", map[string]string{"Host": "localhost:1"})
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, css, "body")
	status, _ = r.raw(t, http.MethodPost, "/control/flush", strings.Repeat("x", 65<<10), nil)
	require.Equal(t, http.StatusBadRequest, status)
}
