package sandbox

import "slices"

// How a change of prices is charged, and what happens when it cannot be
// (https://docs.stripe.com/api/subscriptions/update).
const (
	prorateLater = "create_prorations"
	prorateNow   = "always_invoice"
	prorateNever = "none"

	allowIncomplete   = "allow_incomplete"
	defaultIncomplete = "default_incomplete"
	errorIfIncomplete = "error_if_incomplete"
	pendIfIncomplete  = "pending_if_incomplete"
)

// alteration is a change of what a subscription costs.
type alteration struct {
	items []*item
	// at is the moment from which the change is charged.
	at        int64
	proration string
	payment   string
	// anew begins a new cycle now: the interval changes, the anchor is reset or a trial ends.
	anew bool
	// trialEnd begins a trial until then.
	trialEnd *int64
}

func updateSubscription(c *call) (any, error) {
	sub, ok := c.Subscriptions.find(c.id)
	if !ok {
		return nil, missing("subscription", "id", c.id)
	}
	next := *sub
	if !sub.live() {
		return c.updateEnded(sub)
	}
	alter, err := c.readAlteration(sub)
	if err != nil {
		return nil, err
	}
	if err := c.readCancel(&next); err != nil {
		return nil, err
	}
	if err := c.readRest(&next); err != nil {
		return nil, err
	}
	_ = c.flag("off_session")
	if err := c.done(); err != nil {
		return nil, err
	}
	if alter != nil && alter.payment == pendIfIncomplete {
		for _, name := range []string{"metadata", "cancel_at_period_end", "cancel_at", "default_payment_method", "description", "trial_settings", "cancellation_details"} {
			if c.has(name) {
				return nil, refuse(name, "", "`%s` cannot be updated with `payment_behavior` set to `pending_if_incomplete`.", name)
			}
		}
	}
	if alter != nil {
		if err := c.mayAlter(sub, *alter); err != nil {
			return nil, err
		}
	}
	c.update("customer.subscription.updated", sub, func() { *sub = next })
	if alter != nil {
		c.alter(sub, *alter)
	}
	return sub, nil
}

// updateEnded takes what may still be said of a subscription that has ended.
func (c *call) updateEnded(sub *subscription) (any, error) {
	details := sub.CancellationDetails
	c.readDetails(&details)
	metadata := c.merge("metadata", sub.Metadata)
	if err := c.done(); err != nil {
		return nil, refuse("", "", "A canceled subscription can only update its cancellation_details and metadata.")
	}
	c.update("customer.subscription.updated", sub, func() { sub.CancellationDetails, sub.Metadata = details, metadata })
	return sub, nil
}

// readCancel reads when the subscription is to end.
func (c *call) readCancel(next *subscription) error {
	atEnd, given := c.flag("cancel_at_period_end"), c.has("cancel_at")
	text := c.str("cancel_at")
	if (atEnd != nil || given) && next.Schedule != nil {
		return refuse("cancel_at_period_end", "", "The subscription is managed by the subscription schedule `%s`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.", *next.Schedule)
	}
	var at *int64
	switch {
	case atEnd != nil && given:
		return refuse("cancel_at", "parameters_exclusive", "Give one of cancel_at and cancel_at_period_end.")
	case atEnd != nil:
		next.CancelAtPeriodEnd = *atEnd
		if *atEnd {
			at = &next.CurrentPeriodEnd
		}
	case given:
		next.CancelAtPeriodEnd = false
		if text != "" { // empty: it is not to end any more
			at = c.whole("cancel_at")
		}
		if at != nil && *at <= c.now() {
			return refuse("cancel_at", "", "cancel_at must be in the future.")
		}
	default:
		c.readDetails(&next.CancellationDetails)
		return nil
	}
	next.CancelAt, next.CanceledAt, next.CancellationDetails = nil, nil, cancellation{}
	if at != nil {
		next.CancelAt, next.CanceledAt = ptr(*at), ptr(c.now())
		next.CancellationDetails.Reason = ptr("cancellation_requested")
	}
	c.readDetails(&next.CancellationDetails)
	return nil
}

func (c *call) readRest(next *subscription) error {
	next.Metadata = c.merge("metadata", next.Metadata)
	c.replace("description", &next.Description)
	c.replace("default_payment_method", &next.DefaultPaymentMethod)
	if id := next.DefaultPaymentMethod; id != nil && c.has("default_payment_method") {
		if m, ok := c.Methods.find(*id); !ok || deref(m.Customer) != next.Customer {
			return missing("PaymentMethod", "default_payment_method", *id)
		}
	}
	end := c.in("trial_settings").in("end_behavior")
	next.TrialSettings.EndBehavior.MissingPaymentMethod = end.oneOf("missing_payment_method",
		next.TrialSettings.EndBehavior.MissingPaymentMethod, "cancel", "create_invoice", "pause")
	return nil
}

// readAlteration reads what a request changes of the prices, nil when nothing.
func (c *call) readAlteration(sub *subscription) (*alteration, error) {
	a := alteration{at: c.now(), items: sub.Items.Data}
	a.proration = c.oneOf("proration_behavior", prorateLater, prorateNow, prorateNever)
	a.payment = c.oneOf("payment_behavior", allowIncomplete, defaultIncomplete, errorIfIncomplete, pendIfIncomplete)
	if at := c.whole("proration_date"); at != nil {
		a.at = *at
		if *at < sub.CurrentPeriodStart || *at > sub.CurrentPeriodEnd {
			return nil, refuse("proration_date", "", "proration_date must be within the current period.")
		}
	}
	items, err := c.readItems(sub, c.list("items"))
	if err != nil {
		return nil, err
	}
	a.items = items
	a.anew = c.oneOf("billing_cycle_anchor", "unchanged", "now") == "now"
	trial, given := c.text("trial_end")
	switch {
	case trial == "now":
		a.anew = a.anew || sub.Status == trialing
	case given:
		if a.trialEnd = c.whole("trial_end"); a.trialEnd != nil && *a.trialEnd <= c.now() {
			return nil, refuse("trial_end", "", "trial_end must be in the future.")
		}
	}
	was, is := c.recurrence(sub.Items.Data), c.recurrence(items)
	a.anew = a.anew || was.Interval != is.Interval || was.IntervalCount != is.IntervalCount
	if !a.anew && a.trialEnd == nil && sameItems(items, sub.Items.Data) {
		return nil, nil
	}
	return &a, nil
}

func sameItems(a, b []*item) bool {
	return slices.EqualFunc(a, b, func(x, y *item) bool { return x.ID == y.ID && x.Price == y.Price && x.Quantity == y.Quantity })
}

// readItems puts a request's items over those of a subscription: by id, or as new ones.
func (c *call) readItems(sub *subscription, given []*params) ([]*item, error) {
	items := make([]*item, len(sub.Items.Data))
	for i, it := range sub.Items.Data {
		copied := *it
		items[i] = &copied
	}
	for _, p := range given {
		id, deleted := p.str("id"), deref(p.flag("deleted"))
		it := sameItem(items, id)
		switch {
		case id != "" && it == nil:
			return nil, missing("subscription item", "items[0][id]", id)
		case deleted:
			items = slices.DeleteFunc(items, func(one *item) bool { return one == it })
			continue
		case it == nil:
			it = c.newItem(sub, "", 1)
			items = append(items, it)
		}
		if to, ok := p.text("price"); ok {
			if _, err := c.recurringPrice(to, "items[0][price]"); err != nil {
				return nil, err
			}
			it.Price = to
		}
		if n := p.whole("quantity"); n != nil {
			it.Quantity = *n
		}
		it.Metadata = p.merge("metadata", it.Metadata)
	}
	return items, c.oneInterval(items)
}

// oneInterval refuses items that cannot be on one subscription.
func (w *world) oneInterval(items []*item) error {
	if len(items) == 0 {
		return refuse("items", "", "A subscription must have at least one active plan.")
	}
	first := w.recurrence(items)
	seen := map[string]bool{}
	for _, it := range items {
		p, ok := w.Prices.find(it.Price)
		switch {
		case !ok:
			return required("items[0][price]")
		case seen[it.Price]:
			return refuse("items", "", "Cannot add multiple subscription items with the same plan: %s", it.Price)
		case it.Quantity < 1:
			return refuse("items", "parameter_invalid_integer", "quantity must be 1 or more.")
		case p.Recurring.Interval != first.Interval || p.Recurring.IntervalCount != first.IntervalCount:
			return refuse("items", "", "The prices of a subscription must have the same interval.")
		}
		seen[it.Price] = true
	}
	return nil
}

// mayAlter refuses a change that cannot be, and one that must be paid at once and would not.
func (w *world) mayAlter(sub *subscription, a alteration) error {
	if sub.Status == incomplete || sub.Status == paused {
		return refuse("", "", "This subscription is %s: its items cannot be changed.", sub.Status)
	}
	if a.payment != errorIfIncomplete {
		return nil
	}
	cus, err := w.customer(sub.Customer, "customer")
	if err != nil {
		return err
	}
	if f := foresee(w.methodOf(cus, sub), w.dueNow(cus, sub, a)); f != nil {
		return declined(*f)
	}
	return nil
}
