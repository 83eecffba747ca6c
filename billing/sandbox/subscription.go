package sandbox

import "slices"

// incompleteFor is how long a first payment may take (https://docs.stripe.com/billing/subscriptions/overview).
const incompleteFor = 23 * hour

// begin makes the subscription that a session asks for, with its first invoice open. A trial's is for nothing and so paid.
func (w *world) begin(cus *customer, m *method, want subscriptionToBeMade) *subscription {
	now := w.now()
	sub := &subscription{
		head: w.newHead("sub", "subscription"), BillingCycleAnchor: now, CollectionMethod: "charge_automatically",
		Customer: cus.ID, DefaultTaxRates: []string{}, Description: want.Description, Discounts: []string{},
		InvoiceSettings: invoiceSettings{Issuer: issuer{"self"}}, Metadata: want.Metadata, StartDate: now, Status: incomplete,
		PaymentSettings: subscriptionPayment{SaveDefaultPaymentMethod: "off"},
	}
	sub.TrialSettings.EndBehavior.MissingPaymentMethod = want.Missing
	if m != nil {
		sub.DefaultPaymentMethod = &m.ID
	}
	sub.Items = listOf[*item]("/v1/subscription_items?subscription=" + sub.ID)
	for _, it := range want.Items {
		sub.Items.Data = append(sub.Items.Data, w.newItem(sub, it.Price, it.Quantity))
	}
	p, _ := w.priceAndName(want.Items[0].Price)
	sub.Currency = p.Currency
	end := want.TrialEnd
	if want.TrialDays > 0 {
		end = ptr(now + want.TrialDays*day)
	}
	if end != nil {
		sub.Status, sub.TrialStart, sub.TrialEnd, sub.BillingCycleAnchor = trialing, &now, end, *end
	}
	sub.CurrentPeriodStart, sub.CurrentPeriodEnd = now, cycleEnd(sub.BillingCycleAnchor, now, p.Recurring)
	w.Subscriptions.add(sub)
	inv := w.draftOfFirst(cus, sub)
	sub.LatestInvoice = &inv.ID
	w.emit("customer.subscription.created", sub, nil)
	w.emit("invoice.created", inv, nil)
	w.finalize(inv)
	return sub
}

// draftOfFirst is bill without its event, which follows the one of the subscription.
func (w *world) draftOfFirst(cus *customer, sub *subscription) *invoice {
	in := period{Start: sub.CurrentPeriodStart, End: sub.CurrentPeriodEnd}
	inv := w.draftOf(cus, sub, reasonCreate, w.cycleLines(sub, sub.Items.Data, in, sub.Status == trialing))
	inv.head = w.newHead("in", "invoice")
	inv.Lines.URL = "/v1/invoices/" + inv.ID + "/lines"
	for _, l := range inv.Lines.Data {
		l.Invoice = &inv.ID
	}
	return w.Invoices.add(inv)
}

func (w *world) newItem(sub *subscription, price string, quantity int64) *item {
	return &item{
		ID: newID("si"), Object: "subscription_item", Created: w.now(), Discounts: []string{}, Metadata: map[string]string{},
		Price: price, Quantity: quantity, Subscription: sub.ID, TaxRates: []string{},
	}
}

// endSubscription ends one for good and stops the collection of what is unpaid
// (https://docs.stripe.com/api/subscriptions/cancel).
func (w *world) endSubscription(sub *subscription, status, reason string) {
	for _, inv := range w.Invoices.rows {
		if deref(inv.Subscription) == sub.ID && (inv.Status == draft || inv.Status == open) {
			w.saved = false
			inv.AutoAdvance, inv.NextPaymentAttempt, inv.AutomaticallyFinalizesAt = false, nil, nil
			if status == incompleteExpired && inv.Status == open {
				w.giveUp(inv)
			}
		}
	}
	before := w.render(sub)
	sub.Status, sub.EndedAt, sub.PendingUpdate = status, ptr(w.now()), nil
	if sub.CanceledAt == nil {
		sub.CanceledAt = ptr(w.now())
	}
	if sub.CancellationDetails.Reason == nil && reason != "" {
		sub.CancellationDetails.Reason = &reason
	}
	if s, ok := w.Schedules.find(deref(sub.Schedule)); ok {
		sub.Schedule = nil
		w.update("subscription_schedule.canceled", s, func() {
			s.Status, s.CanceledAt, s.CurrentPhase, s.Subscription = canceled, ptr(w.now()), nil, nil
		})
	}
	if status == canceled {
		w.emit("customer.subscription.deleted", sub, nil)
		return
	}
	w.emit("customer.subscription.updated", sub, before)
}

func listSubscriptions(c *call) (any, error) {
	of, with := c.str("customer"), c.str("price")
	status := c.oneOf("status", "", "all", "ended", active, canceled, incomplete, incompleteExpired, pastDue, paused, trialing, unpaid)
	return pageOf(c, &c.Subscriptions, func(sub *subscription) bool {
		fits := status == "all" || status == sub.Status || status == "" && sub.Status != canceled ||
			status == "ended" && !sub.live()
		has := slices.ContainsFunc(sub.Items.Data, func(it *item) bool { return it.Price == with })
		return fits && (of == "" || sub.Customer == of) && (with == "" || has)
	})
}

// liveSubscription finds one that has not ended.
func (w *world) liveSubscription(id, param string) (*subscription, error) {
	sub, ok := w.Subscriptions.find(id)
	if !ok || !sub.live() {
		return nil, missing("subscription", param, id)
	}
	return sub, nil
}

func cancelSubscription(c *call) (any, error) {
	sub, err := c.liveSubscription(c.id, "id")
	if err != nil {
		return nil, err
	}
	details := sub.CancellationDetails
	c.readDetails(&details)
	for _, name := range []string{"prorate", "invoice_now"} {
		if deref(c.flag(name)) {
			return nil, refuse(name, "", "The sandbox ends subscriptions without %s.", name)
		}
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	sub.CancellationDetails = details
	c.endSubscription(sub, canceled, "cancellation_requested")
	return sub, nil
}

func (c *call) readDetails(details *cancellation) {
	in := c.in("cancellation_details")
	in.replace("comment", &details.Comment)
	in.replace("feedback", &details.Feedback)
}

// resumeSubscription begins a new period of a subscription that a trial without a card has paused.
func resumeSubscription(c *call) (any, error) {
	sub, err := c.liveSubscription(c.id, "id")
	if err != nil {
		return nil, err
	}
	_ = c.oneOf("billing_cycle_anchor", "now")
	_ = c.oneOf("proration_behavior", "create_prorations", "always_invoice", "none")
	if err := c.done(); err != nil {
		return nil, err
	}
	if sub.Status != paused {
		return nil, refuse("", "", "Only a paused subscription can be resumed; this one is %s.", sub.Status)
	}
	cus, ok := c.Customers.find(sub.Customer)
	if !ok {
		return nil, missing("customer", "customer", sub.Customer)
	}
	if c.methodOf(cus, sub) == nil {
		return nil, declined(noCard)
	}
	before := c.render(sub)
	sub.BillingCycleAnchor, sub.CurrentPeriodStart = c.now(), c.now()
	sub.CurrentPeriodEnd = cycleEnd(c.now(), c.now(), c.recurrence(sub.Items.Data))
	sub.Status = active
	in := period{Start: sub.CurrentPeriodStart, End: sub.CurrentPeriodEnd}
	inv := c.bill(cus, sub, reasonCycle, c.cycleLines(sub, sub.Items.Data, in, false))
	sub.LatestInvoice = &inv.ID
	c.emit("customer.subscription.resumed", sub, before)
	c.emit("customer.subscription.updated", sub, before)
	c.finalize(inv)
	c.collect(inv, true)
	return sub, nil
}
