package billing

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/stripe/stripe-go/v79"
	"github.com/stripe/stripe-go/v79/webhook"

	"veracity/account/access"
	"veracity/platform/fault"
)

// signed is the value of Stripe-Signature for a body, made at a time.
func signed(body []byte, secret string, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: at}).Header
}

// post has an event come in, signed as it should be.
func (s *scripted) post(t *testing.T, body []byte) {
	t.Helper()
	require.NoError(t, s.Intake(t.Context(), body, signed(body, "whsec_script", time.Now())))
}

func TestOnlyEventsThatStripeHasJustSignedAreTaken(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	body := event("evt_1", "invoice.paid", object{"id": "in_1", "object": "invoice", "customer": "cus_a"})
	for name, signature := range map[string]string{
		"none": "", "nonsense": "t=1,v1=zz", "another secret": signed(body, "whsec_other", time.Now()),
		"too old":        signed(body, "whsec_script", time.Now().Add(-6*time.Minute)),
		"another body":   signed([]byte(`{}`), "whsec_script", time.Now()),
		"time swapped":   strings.Replace(signed(body, "whsec_script", time.Now().Add(-time.Hour)), "t=1", "t=2", 1),
		"no time at all": "v1=" + strings.Repeat("0", 64),
	} {
		require.ErrorIs(t, s.Intake(t.Context(), body, signature), ErrSignature, name)
	}
	for name, broken := range map[string]string{"no JSON": `{"id":`, "no event": `{}`, "an object without ids": `{"id":"evt_1","type":"invoice.paid","data":{"object":[]}}`} {
		err := s.Intake(t.Context(), []byte(broken), signed([]byte(broken), "whsec_script", time.Now()))
		require.ErrorIs(t, err, ErrSignature, name)
	}
	require.Empty(t, jobs[EventJob](t, s.rig, "stripe_event"))
	events, err := s.Events(t.Context(), access.CLI(uuid.Nil), EventFilter{})
	require.NoError(t, err)
	require.Empty(t, events)

	s.post(t, body)
	s.cfg.WebhookSecret = ""
	require.ErrorIs(t, s.Intake(t.Context(), body, signed(body, "", time.Now())), ErrClosed)
}

func TestAnEventIsStoredAndQueuedOnce(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	body := event("evt_1", "invoice.paid", object{"id": "in_1", "object": "invoice", "customer": object{"id": "cus_a", "object": "customer"}})
	for range 3 {
		s.post(t, body)
	}
	s.post(t, event("evt_2", "product.created", object{"id": "prod_1", "object": "product"}))
	require.Equal(t, []EventJob{{Event: "evt_1"}}, jobs[EventJob](t, s.rig, "stripe_event"))
	found, err := s.Event(t.Context(), access.CLI(uuid.Nil), "evt_1")
	require.NoError(t, err)
	require.Equal(t, []any{"invoice.paid", "in_1", "cus_a", EventPending}, []any{found.Type, found.Object, found.Customer, found.State})
	require.JSONEq(t, string(body), string(found.Payload))
	found, err = s.Event(t.Context(), access.CLI(uuid.Nil), "evt_2")
	require.NoError(t, err)
	require.Equal(t, EventIgnored, found.State)
}

func TestAnEventThatCannotBeStoredIsNotTaken(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	_, err := s.db.Exec(t.Context(), `DROP TABLE outbox`)
	require.NoError(t, err)
	body := event("evt_1", "invoice.paid", object{"id": "in_1", "object": "invoice", "customer": "cus_a"})
	err = s.Intake(t.Context(), body, signed(body, "whsec_script", time.Now()))
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrSignature)
	_, err = s.Event(t.Context(), access.CLI(uuid.Nil), "evt_1")
	require.Equal(t, fault.UnknownEvent, fault.CodeOf(err), "without its job it is not stored either")
}

func TestEveryEventLeadsToItsAccount(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	s.bought("sub_a", "pro", Month)
	for i, kind := range EventTypes() {
		require.True(t, handled[kind], kind)
		if kind == eventDispute {
			continue // names a charge alone
		}
		of := object{"id": "obj", "object": strings.Split(kind, ".")[0], "customer": "cus_a"}
		if kind == "customer.deleted" {
			of = object{"id": "cus_a", "object": "customer", "deleted": true}
		}
		id := "evt_" + string(rune('a'+i))
		s.post(t, event(id, kind, of))
		again, err := s.Work(t.Context(), id)
		require.NoError(t, err)
		require.Zero(t, again)
		found, err := s.Event(t.Context(), access.CLI(uuid.Nil), id)
		require.NoError(t, err)
		require.Equal(t, []any{EventWorked, &s.owner.Account, 1}, []any{found.State, found.Account, found.Attempts}, kind)
	}
	require.Len(t, handled, len(EventTypes()))
	require.Equal(t, "pro active", s.standing(t), "what an event's body claims counts for nothing")
	before := s.count("GET")
	_, err := s.Work(t.Context(), "evt_b")
	require.NoError(t, err)
	require.Equal(t, before, s.count("GET"), "what was worked is not worked again")
	_, err = s.Work(t.Context(), "evt_unheard")
	require.NoError(t, err)
}

func TestACustomerIsFoundByWhatItCarries(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	stranger, other := s.newAccount(t, "free"), uuid.New()
	s.customers["cus_new"] = object{"id": "cus_new", "object": "customer", "metadata": object{"account_id": stranger.Account.String()}}
	s.customers["cus_else"] = object{"id": "cus_else", "object": "customer", "metadata": object{"account_id": other.String()}}
	s.customers["cus_plain"] = object{"id": "cus_plain", "object": "customer", "metadata": object{}}
	for customer, want := range map[string]EventState{
		"cus_new": EventWorked, "cus_else": EventNotOurs, "cus_plain": EventNotOurs, "cus_gone": EventNotOurs, "": EventNotOurs,
	} {
		s.post(t, event("evt_"+customer, "invoice.paid", object{"id": "in", "object": "invoice", "customer": customer}))
		_, err := s.Work(t.Context(), "evt_"+customer)
		require.NoError(t, err)
		found, err := s.Event(t.Context(), access.CLI(uuid.Nil), "evt_"+customer)
		require.NoError(t, err)
		require.Equal(t, want, found.State, customer)
	}
	account, known, err := s.accountOf(t.Context(), "cus_new")
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, stranger.Account, account)
}

func TestAnEventThatFailsIsGivenUpForAnOperatorWhoHasItWorkedAgain(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	operator := access.Actor{User: s.owner.User, Operator: true}
	s.bought("sub_a", "pro", Month)
	s.fail = func(string, string) int { return http.StatusInternalServerError }
	s.post(t, event("evt_1", "invoice.paid", object{"id": "in_1", "object": "invoice", "customer": "cus_a"}))
	for range 2 {
		_, err := s.Work(t.Context(), "evt_1")
		require.ErrorContains(t, err, "as the script says")
	}
	require.NoError(t, s.GiveUp(t.Context(), "evt_1", errors.New("as the script says")))
	events, err := s.Events(t.Context(), operator, EventFilter{State: EventGivenUp})
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, 2, events[0].Attempts)
	require.Contains(t, events[0].Error, "as the script says")
	found, err := s.Findings(t.Context())
	require.NoError(t, err)
	require.Equal(t, "given_up invoice.paid evt_1", found[0].What)

	s.fail = nil
	_ = jobs[EventJob](t, s.rig, "stripe_event")
	require.NoError(t, s.WorkAgain(t.Context(), operator, "evt_1"))
	s.work(t)
	require.Equal(t, "pro active", s.standing(t))
	require.NoError(t, s.WorkAgain(t.Context(), operator, "evt_1"), "what was worked stays so")
	require.Empty(t, jobs[EventJob](t, s.rig, "stripe_event"))
	require.Equal(t, fault.UnknownEvent, fault.CodeOf(s.WorkAgain(t.Context(), operator, "evt_none")))
}

func TestOldEventsAreForgottenAndLostOnesGivenUp(t *testing.T) {
	t.Parallel()
	s := newScripted(t, database(t))
	for id, row := range map[string]struct {
		kind string
		days int
	}{"evt_old": {"product.created", 91}, "evt_new": {"product.created", 89}, "evt_lost": {"invoice.paid", 100}, "evt_waits": {"invoice.paid", 1}} {
		s.post(t, event(id, row.kind, object{"id": "x", "object": "x"}))
		_, err := s.db.Exec(t.Context(), `UPDATE stripe_event SET received_at = now() - make_interval(days => $1) WHERE id = $2`, row.days, id)
		require.NoError(t, err)
	}
	n, err := s.ForgetEvents(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	events, err := s.Events(t.Context(), access.CLI(uuid.Nil), EventFilter{Limit: 10})
	require.NoError(t, err)
	states := map[string]EventState{}
	for _, e := range events {
		states[e.ID] = e.State
	}
	require.Equal(t, map[string]EventState{"evt_new": EventIgnored, "evt_lost": EventGivenUp, "evt_waits": EventPending}, states)
}

// TestPublishedObjectsHaveWhatIsRead holds the names that are read against the examples of Stripe's own description.
func TestPublishedObjectsHaveWhatIsRead(t *testing.T) {
	t.Parallel()
	s := stripeMock(t)
	ctx := t.Context()
	sub, err := s.stripe.subscriptions.Get("sub_123", &stripe.SubscriptionParams{Params: get(ctx, "latest_invoice")})
	require.NoError(t, err)
	invoice, err := s.stripe.invoices.Get("in_123", &stripe.InvoiceParams{Params: get(ctx)})
	require.NoError(t, err)
	session, err := s.stripe.checkouts.Get("cs_123", &stripe.CheckoutSessionParams{Params: get(ctx)})
	require.NoError(t, err)
	dispute, err := s.stripe.disputes.Get("dp_123", &stripe.DisputeParams{Params: get(ctx, "charge")})
	require.NoError(t, err)
	customer, err := s.stripe.customers.Get("cus_123", &stripe.CustomerParams{Params: get(ctx)})
	require.NoError(t, err)
	price, err := s.stripe.prices.Get("price_123", &stripe.PriceParams{Params: get(ctx)})
	require.NoError(t, err)
	for name, row := range map[string]struct {
		raw    []byte
		fields string
		event  bool
	}{
		"subscription": {sub.LastResponse.RawJSON, "id object customer status created current_period_start current_period_end cancel_at cancel_at_period_end ended_at items latest_invoice pending_update", true},
		"invoice": {
			invoice.LastResponse.RawJSON,
			"id object customer status billing_reason lines subscription number currency total amount_remaining created next_payment_attempt hosted_invoice_url invoice_pdf", true,
		},
		"checkout": {session.LastResponse.RawJSON, "id object customer client_reference_id url", true},
		"dispute":  {dispute.LastResponse.RawJSON, "id object charge", true},
		"customer": {customer.LastResponse.RawJSON, "id object metadata", true},
		"price":    {price.LastResponse.RawJSON, "id object lookup_key metadata product recurring unit_amount currency active", false},
	} {
		var published map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(row.raw, &published), name)
		for _, field := range strings.Fields(row.fields) {
			require.Contains(t, published, field, name)
		}
		if !row.event {
			continue
		}
		h, err := readHeader(row.raw)
		require.NoError(t, err, name)
		require.NotEmpty(t, h.object, name)
		if name != "dispute" && name != "checkout" { // an example of a checkout has no customer yet
			require.NotEmpty(t, h.customer, name)
		}
	}
	for _, field := range []string{"object", "amount", "period", "price", "proration", "subscription", "type"} {
		var lines struct {
			Lines struct{ Data []map[string]json.RawMessage }
		}
		require.NoError(t, json.Unmarshal(invoice.LastResponse.RawJSON, &lines))
		require.NotEmpty(t, lines.Lines.Data)
		require.Contains(t, lines.Lines.Data[0], field)
	}
}
