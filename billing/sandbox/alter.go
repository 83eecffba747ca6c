package sandbox

import "slices"

// altered is a subscription as it would be after a change, and the lines that the change costs.
func (w *world) altered(sub *subscription, a alteration) (subscription, []*line) {
	next := *sub
	next.Items.Data = a.items
	var lines []*line
	if a.proration != prorateNever {
		lines = w.prorate(sub, a.items, a.at, a.anew || a.trialEnd != nil)
	}
	switch {
	case a.trialEnd != nil:
		next.Status, next.TrialStart, next.TrialEnd = trialing, ptr(w.now()), a.trialEnd
		next.BillingCycleAnchor, next.CurrentPeriodStart, next.CurrentPeriodEnd = *a.trialEnd, w.now(), *a.trialEnd
	case a.anew:
		if sub.Status == trialing {
			next.Status, next.TrialEnd = active, ptr(w.now())
		}
		next.BillingCycleAnchor, next.CurrentPeriodStart = w.now(), w.now()
		next.CurrentPeriodEnd = cycleEnd(w.now(), w.now(), w.recurrence(a.items))
		in := period{Start: next.CurrentPeriodStart, End: next.CurrentPeriodEnd}
		lines = append(lines, w.cycleLines(&next, a.items, in, false)...)
	}
	if next.CancelAtPeriodEnd {
		next.CancelAt = ptr(next.CurrentPeriodEnd)
	}
	return next, lines
}

// billsNow tells whether a change makes an invoice at once.
func (a alteration) billsNow() bool { return a.anew || a.proration == prorateNow }

// dueNow is what a change costs at once.
func (w *world) dueNow(cus *customer, sub *subscription, a alteration) int64 {
	if !a.billsNow() {
		return 0
	}
	_, lines := w.altered(sub, a)
	waiting, _ := w.waiting(sub)
	return w.draftOf(cus, sub, reasonUpdate, append(waiting, lines...)).AmountDue
}

// alter changes what a subscription costs.
func (w *world) alter(sub *subscription, a alteration) {
	cus, ok := w.Customers.find(sub.Customer)
	if !ok {
		return
	}
	next, lines := w.altered(sub, a)
	waiting, _ := w.waiting(sub)
	switch {
	case !a.billsNow():
		w.wait(sub, lines)
		w.become(sub, next)
		return
	case len(lines)+len(waiting) == 0:
		w.become(sub, next)
		return
	}
	if a.payment == pendIfIncomplete && foresee(w.methodOf(cus, sub), w.dueNow(cus, sub, a)) != nil {
		w.pend(cus, sub, a, lines)
		return
	}
	from := sub.CurrentPeriodStart
	w.become(sub, next)
	inv := w.bill(cus, sub, reasonUpdate, lines)
	inv.PeriodStart = from
	w.update("customer.subscription.updated", sub, func() { sub.LatestInvoice = &inv.ID })
	w.finalize(inv)
	w.collect(inv, true)
}

// become brings a changed subscription into force, and its schedule's phase with it.
func (w *world) become(sub *subscription, next subscription) {
	w.update("customer.subscription.updated", sub, func() { *sub = next })
	s, ok := w.Schedules.find(deref(sub.Schedule))
	if !ok || s.CurrentPhase == nil {
		return
	}
	w.update("subscription_schedule.updated", s, func() {
		for _, ph := range s.Phases {
			if ph.StartDate == s.CurrentPhase.StartDate {
				ph.Items = phaseItems(sub.Items.Data)
			}
		}
	})
}

// pend keeps a change that was not paid until its invoice is, for as long as a first payment may take
// (https://docs.stripe.com/billing/subscriptions/pending-updates).
func (w *world) pend(cus *customer, sub *subscription, a alteration, lines []*line) {
	inv := w.bill(cus, sub, reasonUpdate, lines)
	inv.Private.Applies, inv.AutoAdvance = true, false
	w.update("customer.subscription.updated", sub, func() {
		sub.LatestInvoice = &inv.ID
		sub.PendingUpdate = &pendingUpdate{ExpiresAt: w.now() + incompleteFor, SubscriptionItems: a.items}
		if a.anew {
			sub.PendingUpdate.BillingCycleAnchor = ptr(w.now())
		}
	})
	w.finalize(inv)
	w.collect(inv, false)
}

// applyPending brings a pending update into force once it is paid.
func (w *world) applyPending(sub *subscription, inv *invoice) {
	p := sub.PendingUpdate
	if p == nil || deref(sub.LatestInvoice) != inv.ID {
		return
	}
	before := w.render(sub)
	next := *sub
	next.Items.Data, next.PendingUpdate = p.SubscriptionItems, nil
	if p.BillingCycleAnchor != nil {
		next.BillingCycleAnchor, next.CurrentPeriodStart = w.now(), w.now()
		next.CurrentPeriodEnd = cycleEnd(w.now(), w.now(), w.recurrence(p.SubscriptionItems))
	}
	w.become(sub, next)
	w.emit("customer.subscription.pending_update_applied", sub, before)
}

// dropPending gives up a pending update that was not paid in time.
func (w *world) dropPending(sub *subscription) {
	before := w.render(sub)
	sub.PendingUpdate = nil
	if inv, ok := w.Invoices.find(deref(sub.LatestInvoice)); ok && inv.Private.Applies && inv.Status == open {
		w.giveUp(inv)
	}
	w.emit("customer.subscription.pending_update_expired", sub, before)
}

func phaseItems(items []*item) []phaseItem {
	all := make([]phaseItem, len(items))
	for i, it := range items {
		all[i] = newPhaseItem(it.Price, it.Quantity)
	}
	return slices.Clip(all)
}

func newPhaseItem(price string, quantity int64) phaseItem {
	return phaseItem{
		Discounts: []string{}, Metadata: map[string]string{}, Price: price, Plan: price, Quantity: quantity, TaxRates: []string{},
	}
}
