package sandbox

import "time"

// Card is a test card of the payment pages.
type Card string

// The cards that can be given. Their numbers are those of https://docs.stripe.com/testing.
const (
	// CardWorks pays always.
	CardWorks Card = "4242424242424242"
	// CardDeclined pays never.
	CardDeclined Card = "4000000000000002"
	// CardNeedsAction asks the customer to confirm the first payment and pays from then on.
	CardNeedsAction Card = "4000002500003155"
	// CardFailsLater pays once, when it is given, and never again.
	CardFailsLater Card = "4000000000000341"
)

// Cards are all of them, as the pages offer them.
func Cards() []Card { return []Card{CardWorks, CardDeclined, CardNeedsAction, CardFailsLater} }

// Says is what happens to a payment with the card.
func (c Card) Says() string {
	switch c {
	case CardWorks:
		return "works"
	case CardDeclined:
		return "is declined"
	case CardNeedsAction:
		return "asks to confirm the first payment"
	case CardFailsLater:
		return "works now, fails at the next renewal"
	}
	return "is unknown"
}

// Number is the card's number in groups of four.
func (c Card) Number() string {
	if len(c) != 16 {
		return string(c)
	}
	return string(c[:4] + " " + c[4:8] + " " + c[8:12] + " " + c[12:])
}

func (c Card) known() bool {
	for _, one := range Cards() {
		if one == c {
			return true
		}
	}
	return false
}

// newMethod is a card of a customer that is not yet attached.
func (w *world) newMethod(cus *customer, card Card) *method {
	m := &method{
		head: w.newHead("pm", "payment_method"), AllowRedisplay: "limited", Customer: &cus.ID, Metadata: map[string]string{}, Type: "card",
		BillingDetails: billingDetails{Email: cus.Email, Name: cus.Name},
		Card: cardDetails{
			Brand: "visa", Country: "US", DisplayBrand: "visa", ExpMonth: 12, ExpYear: time.Unix(w.now(), 0).UTC().Year() + 3,
			Fingerprint: string(card[10:]), Funding: "credit", Last4: string(card[12:]),
		},
	}
	m.Private.Asks = card == CardNeedsAction
	if card == CardDeclined {
		m.Private.Declines = -1
	}
	return m
}

var (
	cardDeclined = failure{
		Code: "card_declined", DeclineCode: "generic_decline", Message: "Your card was declined.", Type: "card_error",
	}
	cardAsks = failure{
		Code: "authentication_required", DeclineCode: "authentication_required", Type: "card_error",
		Message: "Your card was declined. This transaction requires authentication.",
	}
	notConfirmed = failure{
		Code: "payment_intent_authentication_failure", Type: "invalid_request_error",
		Message: "The provided PaymentMethod has failed authentication.",
	}
	noCard = failure{
		Code: "resource_missing", Type: "invalid_request_error",
		Message: "This customer has no attached payment source or default payment method.",
	}
)

// foresee is why a payment with a card would fail, nil if it would not.
func foresee(m *method, amount int64) *failure {
	switch {
	case amount <= 0:
		return nil
	case m == nil:
		return &noCard
	case m.Private.Declines != 0:
		return &cardDeclined
	case m.Private.Asks:
		return &cardAsks
	}
	return nil
}

// intend makes the payment intent of an invoice.
func (w *world) intend(inv *invoice) {
	pi := &intent{
		head: w.newHead("pi", "payment_intent"), Amount: inv.AmountDue, CaptureMethod: "automatic", ConfirmationMethod: "automatic",
		Currency: inv.Currency, Customer: inv.Customer, Description: "Subscription update", Invoice: inv.ID,
		Metadata: map[string]string{}, PaymentMethodTypes: []string{"card"}, SetupFutureUsage: "off_session", Status: needsMethod,
	}
	if inv.BillingReason == reasonCreate {
		pi.Description = "Subscription creation"
	}
	pi.ClientSecret = pi.ID + "_" + newID("secret")
	inv.PaymentIntent = &pi.ID
	w.Intents.add(pi)
	w.emit("payment_intent.created", pi, nil)
}

// collect tries to have an open invoice paid. Automatic tells that the clock tries, and tries again after a failure.
func (w *world) collect(inv *invoice, automatic bool) *failure {
	cus, ok := w.Customers.find(inv.Customer)
	if !ok || inv.Status != open {
		return nil
	}
	sub, _ := w.Subscriptions.find(deref(inv.Subscription))
	m := w.methodOf(cus, sub)
	f := foresee(m, inv.AmountDue)
	w.saved = false
	inv.Attempted = true
	inv.AttemptCount++
	if m != nil && m.Private.Declines > 0 {
		m.Private.Declines--
	}
	pi, ok := w.Intents.find(deref(inv.PaymentIntent))
	if !ok { // nothing is asked for
		w.settle(inv)
		return nil
	}
	if m != nil {
		pi.PaymentMethod = &m.ID
	}
	if f != nil {
		w.refused(inv, pi, m, *f, automatic)
		return f
	}
	w.charged(inv, pi, m)
	w.settle(inv)
	return nil
}

// charged writes down a payment that went through.
func (w *world) charged(inv *invoice, pi *intent, m *method) {
	ch := w.newCharge(pi, m)
	ch.Paid, ch.Captured, ch.AmountCaptured, ch.Status = true, true, ch.Amount, succeeded
	pi.Status, pi.AmountReceived, pi.LatestCharge, pi.LastPaymentError, pi.NextAction = succeeded, pi.Amount, &ch.ID, nil, nil
	inv.Charge = &ch.ID
	w.Charges.add(ch)
	w.emit("charge.succeeded", ch, nil)
	w.emit("payment_intent.succeeded", pi, nil)
}

func (w *world) newCharge(pi *intent, m *method) *charge {
	ch := &charge{
		head: w.newHead("ch", "charge"), Amount: pi.Amount, BillingDetails: m.BillingDetails, Currency: pi.Currency,
		Customer: pi.Customer, Description: pi.Description, Invoice: pi.Invoice, Metadata: map[string]string{},
		PaymentIntent: pi.ID, PaymentMethod: m.ID, Status: "failed",
	}
	ch.PaymentMethodDetails.Card, ch.PaymentMethodDetails.Type = m.Card, "card"
	return ch
}

// refused writes down a payment that did not go through, when it is tried again, and what becomes of the subscription.
func (w *world) refused(inv *invoice, pi *intent, m *method, f failure, automatic bool) {
	if m != nil {
		ch := w.newCharge(pi, m)
		ch.FailureCode, ch.FailureMessage = &f.Code, &f.Message
		pi.LatestCharge, inv.Charge = &ch.ID, &ch.ID
		w.Charges.add(ch)
		w.emit("charge.failed", ch, nil)
	}
	pi.Status, pi.LastPaymentError, pi.NextAction = needsMethod, &f, nil
	asks := f == cardAsks
	if asks {
		pi.Status, pi.NextAction = needsAction, &nextAction{"use_stripe_sdk"}
	}
	over := false
	if automatic {
		over = w.scheduleRetry(inv)
	}
	if asks {
		w.emit("payment_intent.requires_action", pi, nil)
		w.emit("invoice.payment_action_required", inv, nil)
	} else {
		w.emit("payment_intent.payment_failed", pi, nil)
	}
	w.emit("invoice.payment_failed", inv, nil)
	w.failed(inv, over)
}

// scheduleRetry tells when the next attempt is due, or that there is none.
func (w *world) scheduleRetry(inv *invoice) (over bool) {
	if inv.Private.Failures >= len(w.cfg.Retries) {
		inv.NextPaymentAttempt, inv.AutoAdvance = nil, false
		return true
	}
	inv.NextPaymentAttempt = ptr(w.now() + int64(w.cfg.Retries[inv.Private.Failures])*day)
	inv.Private.Failures++
	return false
}

// failed lets a subscription follow a payment that failed. The first invoice's and a pending update's change nothing.
func (w *world) failed(inv *invoice, over bool) {
	sub, ok := w.Subscriptions.find(deref(inv.Subscription))
	if !ok || !sub.recurs() || inv.Private.Applies || deref(sub.LatestInvoice) != inv.ID {
		return
	}
	if cus, ok := w.Customers.find(inv.Customer); ok {
		w.update("customer.updated", cus, func() { cus.Delinquent = true })
	}
	switch {
	case over && w.cfg.End == EndCanceled:
		w.endSubscription(sub, canceled, "payment_failed")
	case over:
		w.update("customer.subscription.updated", sub, func() { sub.Status = unpaid })
	case sub.Status != unpaid:
		w.update("customer.subscription.updated", sub, func() { sub.Status = pastDue })
	}
}

func listCharges(c *call) (any, error) {
	of, in := c.str("customer"), c.str("payment_intent")
	return pageOf(c, &c.Charges, func(ch *charge) bool {
		return (of == "" || ch.Customer == of) && (in == "" || ch.PaymentIntent == in)
	})
}

func listDisputes(c *call) (any, error) {
	of, in := c.str("charge"), c.str("payment_intent")
	return pageOf(c, &c.Disputes, func(d *dispute) bool {
		return (of == "" || d.Charge == of) && (in == "" || d.PaymentIntent == in)
	})
}
