package sandbox_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"

	"veracity/billing/sandbox"
)

func TestCustomersAreKeptAndDeleted(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	cus, err := r.stripe.Customers.Update(sub.Customer.ID, &stripe.CustomerParams{
		Name: stripe.String("Ada Lovelace"), Metadata: map[string]string{"account": "1", "old": "x"},
	})
	require.NoError(t, err)
	require.Equal(t, "Ada Lovelace", cus.Name)
	cus, err = r.stripe.Customers.Update(cus.ID, &stripe.CustomerParams{Metadata: map[string]string{"old": ""}})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"account": "1"}, cus.Metadata)
	require.Equal(t, "ada@example.com", cus.Email)

	found := r.stripe.Customers.List(&stripe.CustomerListParams{Email: stripe.String("ada@example.com")})
	require.True(t, found.Next())
	methods := r.stripe.PaymentMethods.List(&stripe.PaymentMethodListParams{Customer: stripe.String(cus.ID)})
	require.Error(t, methods.Err(), "the older address is not played")
	own := r.stripe.Customers.ListPaymentMethods(&stripe.CustomerListPaymentMethodsParams{Customer: stripe.String(cus.ID)})
	require.True(t, own.Next())
	require.Equal(t, "4242", own.PaymentMethod().Card.Last4)

	gone, err := r.stripe.Customers.Del(cus.ID, nil)
	require.NoError(t, err)
	require.True(t, gone.Deleted)
	require.Equal(t, stripe.SubscriptionStatusCanceled, r.subscription(t, sub.ID).Status)
	cus, err = r.stripe.Customers.Get(cus.ID, nil)
	require.NoError(t, err)
	require.True(t, cus.Deleted)
	_, err = r.stripe.Customers.Update(cus.ID, &stripe.CustomerParams{Name: stripe.String("x")})
	require.Equal(t, 404, refusal(t, err).HTTPStatusCode)
	inOrder(t, r.flush(t), "customer.updated", "customer.subscription.deleted", "customer.deleted")
}

func TestLookupKeyBelongsToOnePrice(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	params := &stripe.PriceParams{
		Product: stripe.String(r.pro.Product.ID), Currency: stripe.String("usd"), UnitAmount: stripe.Int64(12_900), LookupKey: stripe.String("pro"),
		Recurring: &stripe.PriceRecurringParams{Interval: stripe.String("month")},
	}
	_, err := r.stripe.Prices.New(params)
	require.Equal(t, "lookup_key", refusal(t, err).Param)
	params.TransferLookupKey = stripe.Bool(true)
	params.IdempotencyKey = nil
	dearer, err := r.stripe.Prices.New(params)
	require.NoError(t, err)
	list := r.stripe.Prices.List(&stripe.PriceListParams{LookupKeys: stripe.StringSlice([]string{"pro", "none"}), Active: stripe.Bool(true)})
	require.True(t, list.Next())
	require.Equal(t, dearer.ID, list.Price().ID)
	require.False(t, list.Next())
	old, err := r.stripe.Prices.Get(r.pro.ID, nil)
	require.NoError(t, err)
	require.Empty(t, old.LookupKey)

	_, err = r.stripe.Prices.Update(r.pro.ID, &stripe.PriceParams{UnitAmount: stripe.Int64(1)})
	require.Equal(t, stripe.ErrorCodeParameterUnknown, refusal(t, err).Code, "an amount never changes")
	back, err := r.stripe.Prices.Update(r.pro.ID, &stripe.PriceParams{
		LookupKey: stripe.String("pro"), TransferLookupKey: stripe.Bool(true), Nickname: stripe.String("old"), Active: stripe.Bool(false),
	})
	require.NoError(t, err)
	require.Equal(t, "pro", back.LookupKey)
	require.Equal(t, int64(9_900), back.UnitAmount)
	require.False(t, back.Active)
}

func TestProductsTakeIDsOfTheirMakers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	params := &stripe.ProductParams{ID: stripe.String("veracity_pro"), Name: stripe.String("Pro"), Metadata: map[string]string{"plan": "pro"}}
	made, err := r.stripe.Products.New(params)
	require.NoError(t, err)
	require.Equal(t, "veracity_pro", made.ID)
	params.IdempotencyKey = nil
	_, err = r.stripe.Products.New(params)
	require.Equal(t, stripe.ErrorCodeResourceAlreadyExists, refusal(t, err).Code)
	made, err = r.stripe.Products.Update(made.ID, &stripe.ProductParams{Description: stripe.String("Ten thousand credits"), Active: stripe.Bool(false)})
	require.NoError(t, err)
	require.False(t, made.Active)
	price, err := r.stripe.Prices.New(&stripe.PriceParams{
		Product: stripe.String(made.ID), Currency: stripe.String("usd"), UnitAmount: stripe.Int64(1),
		Recurring: &stripe.PriceRecurringParams{Interval: stripe.String("month")},
	})
	require.NoError(t, err)
	get := &stripe.PriceParams{}
	get.AddExpand("product")
	price, err = r.stripe.Prices.Get(price.ID, get)
	require.NoError(t, err)
	require.Equal(t, "Ten thousand credits", price.Product.Description)
	list := r.stripe.Products.List(&stripe.ProductListParams{Active: stripe.Bool(true)})
	require.False(t, list.Next())
	require.NoError(t, list.Err())
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var ids []string
	for range 25 {
		ids = append(ids, r.customer(t).ID)
	}
	var seen []string
	list := r.stripe.Customers.List(&stripe.CustomerListParams{ListParams: stripe.ListParams{Limit: stripe.Int64(7)}})
	for list.Next() {
		seen = append(seen, list.Customer().ID)
	}
	require.NoError(t, list.Err())
	require.Len(t, seen, 25)
	for i, id := range ids {
		require.Equal(t, id, seen[24-i], "the newest comes first")
	}
	before := r.stripe.Customers.List(&stripe.CustomerListParams{
		ListParams: stripe.ListParams{Limit: stripe.Int64(2), EndingBefore: stripe.String(ids[10]), Single: true},
	})
	require.NoError(t, before.Err())
	require.True(t, before.Meta().HasMore)
	require.Len(t, before.CustomerList().Data, 2)
	for _, wrong := range []string{"0", "101"} {
		status, _ := r.raw(t, http.MethodGet, "/v1/customers?limit="+wrong, "", nil)
		require.Equal(t, http.StatusBadRequest, status)
	}
	page := stripe.ListParams{StartingAfter: stripe.String("cus_none")}
	require.Error(t, r.stripe.Customers.List(&stripe.CustomerListParams{ListParams: page}).Err())
}

// raw sends a request as it is and returns the status and the body.
func (r *rig) raw(t *testing.T, method, path, form string, header map[string]string) (int, string) {
	t.Helper()
	resp := r.rawResponse(t, method, path, form, header)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode, string(body)
}

func (r *rig) rawResponse(t *testing.T, method, path, form string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL()+path, strings.NewReader(form))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.SecretKey())
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range header {
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	require.NoError(t, err)
	return resp
}

func TestIdempotencyKeyActsOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	key := map[string]string{"Idempotency-Key": "one"}
	first, body := r.raw(t, http.MethodPost, "/v1/customers", "email=a@example.com", key)
	require.Equal(t, http.StatusOK, first)
	resp := r.rawResponse(t, http.MethodPost, "/v1/customers", "email=a@example.com", key)
	again, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, body, string(again))
	require.Equal(t, "true", resp.Header.Get("Idempotent-Replayed"))
	status, body := r.raw(t, http.MethodPost, "/v1/customers", "email=b@example.com", key)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, "idempotency_error")
	require.Equal(t, []string{"customer.created"}, r.flush(t))

	mended := map[string]string{"Idempotency-Key": "two"}
	status, _ = r.raw(t, http.MethodPost, "/v1/customers", "mail=a@example.com", mended)
	require.Equal(t, http.StatusBadRequest, status)
	status, _ = r.raw(t, http.MethodPost, "/v1/customers", "email=c@example.com", mended)
	require.Equal(t, http.StatusOK, status, "a refusal does not use the key up")
}

func TestRequestsThatAreNotRightAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	long := "name=" + strings.Repeat("x", 1<<20)
	for name, one := range map[string]struct {
		method, path, form string
		header             map[string]string
		status             int
		says               string
	}{
		"no key":            {"GET", "/v1/customers", "", map[string]string{"Authorization": ""}, 401, "Invalid API Key"},
		"another key":       {"GET", "/v1/customers", "", map[string]string{"Authorization": "Bearer sk_test_x"}, 401, "Invalid API Key"},
		"another version":   {"GET", "/v1/customers", "", map[string]string{"Stripe-Version": "2025-01-01"}, 400, "Invalid Stripe API version"},
		"another host":      {"GET", "/v1/customers", "", map[string]string{"Host": "example.com"}, 421, ""},
		"unknown path":      {"GET", "/v1/coupons", "", nil, 404, "Unrecognized request URL"},
		"unknown method":    {"DELETE", "/v1/prices/x", "", nil, 404, "Unrecognized request URL"},
		"unknown parameter": {"POST", "/v1/customers", "foo[bar]=1", nil, 400, "foo[bar]"},
		"unknown object":    {"GET", "/v1/subscriptions/sub_x", "", nil, 404, "resource_missing"},
		"unknown expand":    {"GET", "/v1/prices/" + r.pro.ID, "expand[]=status", nil, 400, "cannot be expanded"},
		"no integer":        {"POST", "/v1/prices", "unit_amount=x&currency=usd&product=" + r.pro.Product.ID, nil, 400, "Invalid integer"},
		"no boolean":        {"POST", "/v1/products/" + r.pro.Product.ID, "active=yes", nil, 400, "Invalid boolean"},
		"no product":        {"POST", "/v1/prices", "unit_amount=1&currency=usd&product=prod_x", nil, 400, "No such product"},
		"no form":           {"POST", "/v1/customers", "%zz", nil, 400, "form-encoded"},
		"long body":         {"POST", "/v1/customers", long, nil, 400, "could not be read"},
		"deep parameter":    {"POST", "/v1/customers", "a[b][c][d][e][f][g][h][i]=1", nil, 400, "unknown parameter"},
		"one-time price": {
			"POST", "/v1/checkout/sessions",
			"mode=subscription&success_url=http://x/&line_items[0][price]=price_x", nil, 400, "No such price",
		},
		"payment mode": {
			"POST", "/v1/checkout/sessions",
			"mode=payment&success_url=http://x/&line_items[0][price]=" + r.pro.ID, nil, 400, "mode",
		},
		"no success_url": {"POST", "/v1/checkout/sessions", "mode=subscription&line_items[0][price]=" + r.pro.ID, nil, 400, "success_url"},
		"script as success_url": {
			"POST", "/v1/checkout/sessions",
			"mode=subscription&success_url=javascript:alert(1)&line_items[0][price]=" + r.pro.ID, nil, 400, "Not a valid URL",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := r.raw(t, one.method, one.path, one.form, one.header)
			require.Equal(t, one.status, status, body)
			require.Contains(t, body, one.says)
			if one.status != http.StatusMisdirectedRequest {
				require.Contains(t, body, `"type":"invalid_request_error"`)
			}
		})
	}
}

func TestCheckoutAsksForTaxIDs(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	cus := r.customer(t)
	ask := func(p *stripe.CheckoutSessionParams) {
		p.TaxIDCollection = &stripe.CheckoutSessionTaxIDCollectionParams{Enabled: stripe.Bool(true)}
	}
	params := &stripe.CheckoutSessionParams{
		Mode: stripe.String("subscription"), Customer: stripe.String(cus.ID), SuccessURL: stripe.String("http://localhost/"),
		LineItems: []*stripe.CheckoutSessionLineItemParams{{Price: stripe.String(r.pro.ID), Quantity: stripe.Int64(1)}},
	}
	ask(params)
	_, err := r.stripe.CheckoutSessions.New(params)
	require.Contains(t, refusal(t, err).Msg, "customer_update[name]")
	session := r.checkout(t, cus, r.pro, ask, func(p *stripe.CheckoutSessionParams) {
		p.CustomerUpdate = &stripe.CheckoutSessionCustomerUpdateParams{Name: stripe.String("auto"), Address: stripe.String("auto")}
	})
	require.NoError(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardWorks, Name: "Ada Ltd", TaxID: "DE123456789"}))
	session, err = r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	require.Equal(t, "DE123456789", session.CustomerDetails.TaxIDs[0].Value)
	inv := r.invoices(t, session.Subscription.ID)[0]
	require.Equal(t, "Ada Ltd", inv.CustomerName)
	require.Equal(t, stripe.TaxIDTypeEUVAT, *inv.CustomerTaxIDs[0].Type)
}

func TestCheckoutMakesACustomerAndExpires(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	session := r.checkout(t, nil, r.pro)
	require.True(t, strings.HasPrefix(session.URL, r.URL()+"/pay/cs_test_"))
	require.ErrorIs(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardWorks}), sandbox.ErrIncomplete)
	require.NoError(t, r.Pay(session.ID, sandbox.Payer{Card: sandbox.CardWorks, Email: "bob@example.com"}))
	get := &stripe.CheckoutSessionParams{}
	get.AddExpand("customer")
	get.AddExpand("subscription.latest_invoice.payment_intent")
	session, err := r.stripe.CheckoutSessions.Get(session.ID, get)
	require.NoError(t, err)
	require.Equal(t, "bob@example.com", session.Customer.Email)
	require.Equal(t, "account-1", session.ClientReferenceID)
	require.Equal(t, stripe.PaymentIntentStatusSucceeded, session.Subscription.LatestInvoice.PaymentIntent.Status)
	require.Empty(t, session.URL)

	other := r.checkout(t, nil, r.pro)
	other, err = r.stripe.CheckoutSessions.Expire(other.ID, nil)
	require.NoError(t, err)
	require.Equal(t, stripe.CheckoutSessionStatusExpired, other.Status)
	require.ErrorIs(t, r.Pay(other.ID, sandbox.Payer{Card: sandbox.CardWorks, Email: "x@example.com"}), sandbox.ErrNotOpen)
	_, err = r.stripe.CheckoutSessions.Expire(other.ID, nil)
	require.Equal(t, 400, refusal(t, err).HTTPStatusCode)
	list := r.stripe.CheckoutSessions.List(&stripe.CheckoutSessionListParams{Customer: stripe.String(session.Customer.ID)})
	require.True(t, list.Next())
	require.Equal(t, session.ID, list.CheckoutSession().ID)
}

func TestSubscriptionsAreListedByStatus(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	_, err := r.stripe.Subscriptions.Cancel(sub.ID, nil)
	require.NoError(t, err)
	count := func(status string) int {
		params := &stripe.SubscriptionListParams{Customer: stripe.String(sub.Customer.ID)}
		if status != "" {
			params.Status = stripe.String(status)
		}
		params.AddExpand("data.latest_invoice.payment_intent")
		params.AddExpand("data.items.data.price")
		n := 0
		list := r.stripe.Subscriptions.List(params)
		for list.Next() {
			require.Equal(t, int64(9_900), list.Subscription().LatestInvoice.PaymentIntent.Amount)
			n++
		}
		require.NoError(t, list.Err())
		return n
	}
	require.Equal(t, 1, count("all"))
	require.Equal(t, 1, count("canceled"))
	require.Equal(t, 0, count(""), "what has ended is asked for by name")
	require.Equal(t, 0, count("active"))
}

func TestRenewalIsCollectedEarly(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	require.NoError(t, r.AdvanceTo(start.AddDate(0, 0, 28)))
	draft := r.subscription(t, sub.ID).LatestInvoice
	require.Equal(t, stripe.InvoiceStatusDraft, draft.Status)
	open, err := r.stripe.Invoices.FinalizeInvoice(draft.ID, &stripe.InvoiceFinalizeInvoiceParams{AutoAdvance: stripe.Bool(true)})
	require.NoError(t, err)
	require.Equal(t, stripe.InvoiceStatusOpen, open.Status)
	require.NotEmpty(t, open.Number)
	_, err = r.stripe.Invoices.FinalizeInvoice(draft.ID, nil)
	require.Equal(t, 400, refusal(t, err).HTTPStatusCode)
	done, err := r.stripe.Invoices.Pay(draft.ID, nil)
	require.NoError(t, err)
	require.True(t, done.Paid)
	_, err = r.stripe.Invoices.Pay(draft.ID, nil)
	require.Equal(t, 400, refusal(t, err).HTTPStatusCode)
	_, err = r.stripe.Invoices.VoidInvoice(draft.ID, nil)
	require.Equal(t, 400, refusal(t, err).HTTPStatusCode)
	require.NoError(t, r.Advance(2*day))
	require.Len(t, r.invoices(t, sub.ID), 2, "it is collected once")
	preview, err := r.stripe.Invoices.CreatePreview(&stripe.InvoiceCreatePreviewParams{Subscription: stripe.String(sub.ID)})
	require.NoError(t, err)
	require.Equal(t, int64(9_900), preview.Total)
}

func TestDisputeNamesItsPayment(t *testing.T) {
	t.Parallel()
	r := newRig(t).withCatalogue(t)
	sub := r.subscribe(t, r.pro, sandbox.CardWorks)
	id := r.LastCharge(sub.Customer.ID)
	require.NoError(t, r.Dispute(id))
	require.ErrorIs(t, r.Dispute(id), sandbox.ErrNoObject)
	require.Contains(t, r.flush(t), "charge.dispute.created")
	list := r.stripe.Disputes.List(&stripe.DisputeListParams{Charge: stripe.String(id)})
	require.True(t, list.Next())
	get := &stripe.DisputeParams{}
	get.AddExpand("charge")
	get.AddExpand("payment_intent")
	found, err := r.stripe.Disputes.Get(list.Dispute().ID, get)
	require.NoError(t, err)
	require.Equal(t, sub.Customer.ID, found.Charge.Customer.ID)
	require.Equal(t, sub.LatestInvoice.ID, found.PaymentIntent.Invoice.ID)
	charge, err := r.stripe.Charges.Get(id, nil)
	require.NoError(t, err)
	require.True(t, charge.Disputed)
	intent, err := r.stripe.PaymentIntents.Get(sub.LatestInvoice.PaymentIntent.ID, nil)
	require.NoError(t, err)
	require.Equal(t, id, intent.LatestCharge.ID)
	method, err := r.stripe.PaymentMethods.Get(charge.PaymentMethod, nil)
	require.NoError(t, err)
	require.Equal(t, "4242", method.Card.Last4)
}

func TestStartRefusesWhatItMustNot(t *testing.T) {
	t.Parallel()
	for _, cfg := range []sandbox.Config{{Listen: "0.0.0.0:0"}, {Listen: "192.0.2.1:80"}, {Listen: "localhost"}, {End: "forgiven"}} {
		_, err := sandbox.Start(t.Context(), cfg)
		require.Error(t, err)
	}
	busy := httptest.NewServer(nil)
	t.Cleanup(busy.Close)
	_, err := sandbox.Start(t.Context(), sandbox.Config{Listen: strings.TrimPrefix(busy.URL, "http://")})
	require.Error(t, err)
}
