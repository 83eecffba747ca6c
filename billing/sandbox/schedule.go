package sandbox

import "slices"

// What happens when a schedule's last phase is over.
const (
	release = "release"
	cancel  = "cancel"
)

// createSchedule makes a schedule of what a subscription is now; phases are added by an update
// (https://docs.stripe.com/billing/subscriptions/subscription-schedules).
func createSchedule(c *call) (any, error) {
	id, ok := c.text("from_subscription")
	if !ok {
		return nil, required("from_subscription")
	}
	sub, err := c.liveSubscription(id, "from_subscription")
	if err != nil {
		return nil, err
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if sub.Schedule != nil {
		return nil, refuse("from_subscription", "", "You cannot migrate a subscription that is already attached to a schedule: `%s`.", *sub.Schedule)
	}
	in := span{StartDate: sub.CurrentPeriodStart, EndDate: sub.CurrentPeriodEnd}
	made := &schedule{
		head: c.newHead("sub_sched", "subscription_schedule"), CurrentPhase: &in, Customer: sub.Customer, EndBehavior: release,
		Metadata: map[string]string{}, Status: active, Subscription: &sub.ID,
	}
	made.DefaultSettings.BillingCycleAnchor, made.DefaultSettings.CollectionMethod = "automatic", sub.CollectionMethod
	made.DefaultSettings.InvoiceSettings.Issuer = issuer{"self"}
	made.Phases = []*phase{newPhase(sub.Currency, in, phaseItems(sub.Items.Data), prorateLater)}
	if sub.CancelAtPeriodEnd {
		made.EndBehavior = cancel
	}
	c.Schedules.add(made)
	c.emit("subscription_schedule.created", made, nil)
	c.update("customer.subscription.updated", sub, func() { sub.Schedule, sub.CancelAtPeriodEnd = &made.ID, false })
	return made, nil
}

func newPhase(currency string, in span, items []phaseItem, proration string) *phase {
	return &phase{
		AddInvoiceItems: []string{}, Currency: currency, DefaultTaxRates: []string{}, Discounts: []string{}, Items: items,
		EndDate: in.EndDate, StartDate: in.StartDate, Metadata: map[string]string{}, ProrationBehavior: proration,
	}
}

// liveSchedule finds a schedule that drives a subscription.
func (w *world) liveSchedule(id string) (*schedule, *subscription, error) {
	s, ok := w.Schedules.find(id)
	if !ok {
		return nil, nil, missing("subscription schedule", "id", id)
	}
	sub, ok := w.Subscriptions.find(deref(s.Subscription))
	if s.Status != active || !ok {
		return nil, nil, refuse("", "", "You cannot change a subscription schedule that is currently in the `%s` status.", s.Status)
	}
	return s, sub, nil
}

func updateSchedule(c *call) (any, error) {
	s, sub, err := c.liveSchedule(c.id)
	if err != nil {
		return nil, err
	}
	next := *s
	next.EndBehavior = c.oneOf("end_behavior", s.EndBehavior, release, cancel)
	next.Metadata = c.merge("metadata", s.Metadata)
	proration := c.oneOf("proration_behavior", prorateLater, prorateNow, prorateNever)
	if c.has("phases") {
		if next.Phases, err = c.readPhases(s, sub); err != nil {
			return nil, err
		}
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	var current *phase
	for _, ph := range next.Phases {
		if ph.StartDate == s.CurrentPhase.StartDate {
			current = ph
		}
	}
	if current == nil {
		return nil, refuse("phases", "", "The phase that runs now must be among the phases, with its start_date.")
	}
	next.CurrentPhase = &span{StartDate: current.StartDate, EndDate: current.EndDate}
	c.update("subscription_schedule.updated", s, func() { *s = next })
	items := c.itemsOf(sub, current)
	if !sameItems(items, sub.Items.Data) {
		c.alter(sub, alteration{items: items, at: c.now(), proration: proration, payment: allowIncomplete})
	}
	return s, nil
}

func (c *call) readPhases(s *schedule, sub *subscription) ([]*phase, error) {
	var phases []*phase
	end := s.CurrentPhase.StartDate
	for _, p := range c.list("phases") {
		if start := p.str("start_date"); start != "" && start != "now" {
			if at := p.whole("start_date"); at == nil || *at != end {
				return nil, refuse("phases[0][start_date]", "", "A phase must start where the one before it ends, the first where the current one started.")
			}
		}
		items, err := c.readPhaseItems(p)
		if err != nil {
			return nil, err
		}
		made := newPhase(sub.Currency, span{StartDate: end}, items, p.oneOf("proration_behavior", prorateLater, prorateNow, prorateNever))
		made.Metadata = p.merge("metadata", nil)
		first, _ := c.priceAndName(items[0].Price)
		until, iterations := p.whole("end_date"), p.whole("iterations")
		switch {
		case until != nil:
			made.EndDate = *until
		case iterations != nil && *iterations > 0:
			made.EndDate = step(end, first.Recurring, *iterations)
		default:
			made.EndDate = step(end, first.Recurring, 1)
		}
		if made.EndDate <= made.StartDate {
			return nil, refuse("phases", "", "A phase must end after it starts.")
		}
		end = made.EndDate
		phases = append(phases, made)
	}
	if end <= c.now() {
		return nil, refuse("phases", "", "The last phase must end in the future.")
	}
	return phases, nil
}

func (c *call) readPhaseItems(p *params) ([]phaseItem, error) {
	var items []phaseItem
	for _, it := range p.list("items") {
		id := it.str("price")
		if _, err := c.recurringPrice(id, "phases[0][items][0][price]"); err != nil {
			return nil, err
		}
		quantity := int64(1)
		if n := it.whole("quantity"); n != nil {
			quantity = *n
		}
		items = append(items, newPhaseItem(id, quantity))
	}
	if len(items) == 0 {
		return nil, required("phases[0][items]")
	}
	return items, nil
}

// itemsOf are a subscription's items as a phase wants them. Items keep their ids as their prices change.
func (w *world) itemsOf(sub *subscription, ph *phase) []*item {
	items := make([]*item, len(ph.Items))
	for i, want := range ph.Items {
		if i < len(sub.Items.Data) {
			kept := *sub.Items.Data[i]
			items[i] = &kept
		} else {
			items[i] = w.newItem(sub, want.Price, want.Quantity)
		}
		items[i].Price, items[i].Quantity = want.Price, want.Quantity
	}
	return items
}

// nextPhase is the one that follows the current, nil when that is the last.
func (s *schedule) nextPhase() *phase {
	i := slices.IndexFunc(s.Phases, func(ph *phase) bool { return s.CurrentPhase != nil && ph.StartDate == s.CurrentPhase.EndDate })
	if i < 0 {
		return nil
	}
	return s.Phases[i]
}

// turn ends the current phase. At the end of a period the renewal that follows charges the new prices.
func (w *world) turn(s *schedule, sub *subscription) {
	ph := s.nextPhase()
	if ph == nil {
		if s.EndBehavior == cancel {
			sub.Schedule = nil
			w.update("subscription_schedule.completed", s, func() {
				s.Status, s.CompletedAt, s.CurrentPhase = "completed", ptr(w.now()), nil
			})
			w.endSubscription(sub, canceled, "cancellation_requested")
			return
		}
		w.letGo(s, sub)
		return
	}
	w.update("subscription_schedule.updated", s, func() {
		s.CurrentPhase = &span{StartDate: ph.StartDate, EndDate: ph.EndDate}
	})
	items := w.itemsOf(sub, ph)
	next := *sub
	next.Metadata = map[string]string{}
	for _, from := range []map[string]string{sub.Metadata, ph.Metadata} {
		for key, value := range from {
			next.Metadata[key] = value
		}
	}
	if w.now() >= sub.CurrentPeriodEnd {
		next.Items.Data = items
		w.become(sub, next)
		return
	}
	w.become(sub, next)
	was, is := w.recurrence(sub.Items.Data), w.recurrence(items)
	w.alter(sub, alteration{
		items: items, at: w.now(), proration: ph.ProrationBehavior, payment: allowIncomplete,
		anew: was.Interval != is.Interval || was.IntervalCount != is.IntervalCount,
	})
}

// letGo leaves a subscription as its schedule has made it.
func (w *world) letGo(s *schedule, sub *subscription) {
	w.update("subscription_schedule.released", s, func() {
		s.Status, s.ReleasedAt, s.ReleasedSubscription, s.Subscription, s.CurrentPhase = "released", ptr(w.now()), &sub.ID, nil, nil
	})
	w.update("customer.subscription.updated", sub, func() { sub.Schedule = nil })
}

func releaseSchedule(c *call) (any, error) {
	s, sub, err := c.liveSchedule(c.id)
	if err != nil {
		return nil, err
	}
	_ = c.flag("preserve_cancel_date")
	if err := c.done(); err != nil {
		return nil, err
	}
	c.letGo(s, sub)
	return s, nil
}

func cancelSchedule(c *call) (any, error) {
	s, sub, err := c.liveSchedule(c.id)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"invoice_now", "prorate"} {
		if deref(c.flag(name)) {
			return nil, refuse(name, "", "The sandbox ends subscriptions without %s.", name)
		}
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	c.endSubscription(sub, canceled, "cancellation_requested")
	return s, nil
}

func listSchedules(c *call) (any, error) {
	of := c.str("customer")
	return pageOf(c, &c.Schedules, func(s *schedule) bool { return of == "" || s.Customer == of })
}
