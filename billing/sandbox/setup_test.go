package sandbox_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"
	"github.com/stripe/stripe-go/v79/client"
	"github.com/stripe/stripe-go/v79/webhook"

	"veracity/billing/sandbox"
)

// start is the moment at which the clock of every test stands: the last day of a long month.
var start = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

// rig is a sandbox with a frozen clock, the catalogue of two plans, a client of Stripe's own and a receiver of events.
type rig struct {
	*sandbox.Sandbox
	stripe   *client.API
	received *receiver

	starter, pro, proYear *stripe.Price
}

// receiver verifies events as an application does and remembers them in the order in which they came.
type receiver struct {
	mu     sync.Mutex
	events []stripe.Event
	// status is the answer to the next events.
	status int
	secret func() string
	bad    []error
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err == nil {
		var e stripe.Event
		e, err = webhook.ConstructEvent(body, req.Header.Get("Stripe-Signature"), r.secret())
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
	}
	if err != nil {
		r.bad = append(r.bad, err)
	}
	w.WriteHeader(r.status)
}

// took returns the types that came since the last call.
func (r *receiver) took() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	types := make([]string, len(r.events))
	for i, e := range r.events {
		types[i] = string(e.Type)
	}
	r.events = nil
	return types
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func newRig(t *testing.T, change ...func(*sandbox.Config)) *rig {
	t.Helper()
	r := &rig{received: &receiver{status: http.StatusOK}}
	endpoint := httptest.NewServer(r.received)
	t.Cleanup(endpoint.Close)
	cfg := sandbox.Config{WebhookURL: endpoint.URL, Now: func() time.Time { return start }, Manual: true}
	for _, c := range change {
		c(&cfg)
	}
	r.Sandbox = startWith(t, cfg)
	r.received.secret = r.WebhookSecret
	r.stripe = clientOf(r.URL(), r.SecretKey())
	t.Cleanup(func() { require.Empty(t, r.received.bad, "every event is signed and of the version that is spoken") })
	return r
}

func startWith(t *testing.T, cfg sandbox.Config) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.WithoutCancel(t.Context()))) })
	return s
}

func clientOf(url, key string) *client.API {
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL: stripe.String(url), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}, EnableTelemetry: stripe.Bool(false),
		MaxNetworkRetries: stripe.Int64(0), HTTPClient: &http.Client{Timeout: 10 * time.Second},
	})
	return client.New(key, &stripe.Backends{API: backend, Uploads: backend})
}

// withCatalogue makes products and prices: starter for 19, pro for 99 a month, pro for 990 a year.
func (r *rig) withCatalogue(t *testing.T) *rig {
	t.Helper()
	r.starter = r.price(t, "Starter", "starter", 1_900, "month")
	r.pro = r.price(t, "Pro", "pro", 9_900, "month")
	r.proYear = r.price(t, "Pro", "pro_year", 99_000, "year")
	return r
}

func (r *rig) price(t *testing.T, name, key string, cents int64, interval string) *stripe.Price {
	t.Helper()
	product, err := r.stripe.Products.New(&stripe.ProductParams{Name: stripe.String(name)})
	require.NoError(t, err)
	made, err := r.stripe.Prices.New(&stripe.PriceParams{
		Product: stripe.String(product.ID), Currency: stripe.String("usd"), UnitAmount: stripe.Int64(cents), LookupKey: stripe.String(key),
		Recurring: &stripe.PriceRecurringParams{Interval: stripe.String(interval)},
	})
	require.NoError(t, err)
	return made
}

func (r *rig) customer(t *testing.T) *stripe.Customer {
	t.Helper()
	made, err := r.stripe.Customers.New(&stripe.CustomerParams{Email: stripe.String("ada@example.com"), Name: stripe.String("Ada")})
	require.NoError(t, err)
	return made
}

func (r *rig) checkout(t *testing.T, of *stripe.Customer, price *stripe.Price, change ...func(*stripe.CheckoutSessionParams)) *stripe.CheckoutSession {
	t.Helper()
	params := &stripe.CheckoutSessionParams{
		Mode: stripe.String("subscription"), ClientReferenceID: stripe.String("account-1"),
		LineItems:  []*stripe.CheckoutSessionLineItemParams{{Price: stripe.String(price.ID), Quantity: stripe.Int64(1)}},
		SuccessURL: stripe.String("http://localhost:8080/account/plan?session={CHECKOUT_SESSION_ID}"),
		CancelURL:  stripe.String("http://localhost:8080/pricing"),
		SubscriptionData: &stripe.CheckoutSessionSubscriptionDataParams{
			Metadata: map[string]string{"account": "account-1"},
		},
	}
	if of != nil {
		params.Customer = stripe.String(of.ID)
	}
	for _, c := range change {
		c(params)
	}
	made, err := r.stripe.CheckoutSessions.New(params)
	require.NoError(t, err)
	return made
}

// subscribe buys a price with a card and returns what it has begun.
func (r *rig) subscribe(t *testing.T, price *stripe.Price, card sandbox.Card) *stripe.Subscription {
	t.Helper()
	session := r.checkout(t, r.customer(t), price)
	require.NoError(t, r.Pay(session.ID, sandbox.Payer{Card: card}))
	session, err := r.stripe.CheckoutSessions.Get(session.ID, nil)
	require.NoError(t, err)
	return r.subscription(t, session.Subscription.ID)
}

func (r *rig) subscription(t *testing.T, id string) *stripe.Subscription {
	t.Helper()
	params := &stripe.SubscriptionParams{}
	params.AddExpand("latest_invoice.payment_intent")
	sub, err := r.stripe.Subscriptions.Get(id, params)
	require.NoError(t, err)
	return sub
}

// invoices lists those of a subscription, the newest first.
func (r *rig) invoices(t *testing.T, sub string) []*stripe.Invoice {
	t.Helper()
	var all []*stripe.Invoice
	list := r.stripe.Invoices.List(&stripe.InvoiceListParams{Subscription: stripe.String(sub)})
	for list.Next() {
		all = append(all, list.Invoice())
	}
	require.NoError(t, list.Err())
	return all
}

// flush posts what waits and returns the types that came.
func (r *rig) flush(t *testing.T) []string {
	t.Helper()
	require.NoError(t, r.Flush(t.Context()))
	return r.received.took()
}

// inOrder requires that the types came in the order given, whatever came between.
func inOrder(t *testing.T, came []string, want ...string) {
	t.Helper()
	rest := came
	for _, one := range want {
		i := slices.Index(rest, one)
		require.GreaterOrEqual(t, i, 0, "%s, in %v", one, came)
		rest = rest[i+1:]
	}
}

func refusal(t *testing.T, err error) *stripe.Error {
	t.Helper()
	var e *stripe.Error
	require.ErrorAs(t, err, &e)
	return e
}

const day = 24 * time.Hour
