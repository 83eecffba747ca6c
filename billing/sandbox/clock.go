package sandbox

import (
	"context"
	"errors"
	"time"
)

const (
	// draftFor is how long a renewal's invoice is a draft
	// (https://docs.stripe.com/billing/subscriptions/webhooks#understand).
	draftFor = hour
	// trialNotice is how long before the end of a trial its customer is told.
	trialNotice = 3 * day
	// maxAdvance bounds one move of the clock.
	maxAdvance = 5 * 366 * 24 * time.Hour
)

// ErrClock is a move of the clock that cannot be made.
var ErrClock = errors.New("the clock moves forward only, by up to five years")

// Now is the sandbox's time, to the second.
func (s *Sandbox) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Unix(s.world.now(), 0).UTC()
}

// Advance moves the clock by d. All that falls due on the way happens at its own moment and in its order.
func (s *Sandbox) Advance(d time.Duration) error {
	if d < 0 || d > maxAdvance {
		return ErrClock
	}
	return s.change(func(w *world) error {
		w.play(w.now() + int64(d/time.Second))
		w.Offset += d
		w.saved = false
		return nil
	})
}

// AdvanceTo moves the clock to a moment that is not past.
func (s *Sandbox) AdvanceTo(t time.Time) error {
	return s.Advance(t.Sub(s.Now()))
}

// AdvanceToRenewal moves the clock past the next end of a period of any subscription and the hour in which its invoice
// is a draft. Without a subscription it moves nothing.
func (s *Sandbox) AdvanceToRenewal() error {
	var next int64
	s.mu.Lock()
	for _, sub := range s.world.Subscriptions.rows {
		if sub.recurs() && (next == 0 || sub.CurrentPeriodEnd < next) {
			next = sub.CurrentPeriodEnd
		}
	}
	s.mu.Unlock()
	if next == 0 {
		return nil
	}
	return s.AdvanceTo(time.Unix(next+draftFor, 0))
}

// catchUp does what has fallen due since the last act.
func (w *world) catchUp() { w.play(w.now()) }

// play does all that is due until a moment, each at its own time, the earliest first.
func (w *world) play(until int64) {
	defer func() { w.at = 0 }()
	for {
		next, do := w.due()
		if do == nil || next > until {
			return
		}
		w.at = next
		w.saved = false
		do()
	}
}

// moment is the earliest of the things that are due, found so far.
type moment struct {
	at int64
	do func()
}

func (m *moment) consider(at int64, do func()) {
	if m.do == nil || at < m.at {
		m.at, m.do = at, do
	}
}

// due is what happens next, and when. Of things that are due at once, the first considered happens first: a schedule
// turns and a cancellation ends before a period renews.
func (w *world) due() (int64, func()) {
	var m moment
	for _, s := range w.Schedules.rows {
		if sub, ok := w.Subscriptions.find(deref(s.Subscription)); ok && s.Status == active && s.CurrentPhase != nil {
			m.consider(s.CurrentPhase.EndDate, func() { w.turn(s, sub) })
		}
	}
	for _, sub := range w.Subscriptions.rows {
		w.dueOf(&m, sub)
	}
	for _, inv := range w.Invoices.rows {
		switch {
		case inv.Status == draft && inv.AutoAdvance && inv.AutomaticallyFinalizesAt != nil:
			m.consider(*inv.AutomaticallyFinalizesAt, func() { w.finalize(inv); w.collect(inv, true) })
		case inv.Status == open && inv.NextPaymentAttempt != nil:
			m.consider(*inv.NextPaymentAttempt, func() { w.collect(inv, true) })
		}
	}
	for _, s := range w.Sessions.rows {
		if s.Status == open {
			m.consider(s.ExpiresAt, func() { w.expire(s) })
		}
	}
	return m.at, m.do
}

func (w *world) dueOf(m *moment, sub *subscription) {
	if sub.live() && sub.CancelAt != nil {
		m.consider(*sub.CancelAt, func() { w.endSubscription(sub, canceled, "cancellation_requested") })
	}
	if sub.PendingUpdate != nil {
		m.consider(sub.PendingUpdate.ExpiresAt, func() { w.dropPending(sub) })
	}
	if sub.Status == incomplete {
		m.consider(sub.Created+incompleteFor, func() { w.endSubscription(sub, incompleteExpired, "") })
	}
	if sub.Status == trialing && !sub.Private.TrialNoticed {
		m.consider(max(sub.Created, *sub.TrialEnd-trialNotice), func() {
			sub.Private.TrialNoticed = true
			w.emit("customer.subscription.trial_will_end", sub, nil)
		})
	}
	if sub.recurs() {
		m.consider(sub.CurrentPeriodEnd, func() { w.renew(sub) })
	}
}

// renew opens the next period and drafts its invoice, which is collected an hour later. Nothing collects what an unpaid
// subscription costs.
func (w *world) renew(sub *subscription) {
	cus, ok := w.Customers.find(sub.Customer)
	if !ok {
		return
	}
	wasTrial := sub.Status == trialing
	if wasTrial && w.methodOf(cus, sub) == nil && !w.trialWithoutCard(sub) {
		return
	}
	from, start := sub.CurrentPeriodStart, sub.CurrentPeriodEnd
	in := period{Start: start, End: cycleEnd(sub.BillingCycleAnchor, start, w.recurrence(sub.Items.Data))}
	inv := w.bill(cus, sub, reasonCycle, w.cycleLines(sub, sub.Items.Data, in, false))
	inv.PeriodStart, inv.PeriodEnd = from, start
	if sub.Status == unpaid {
		inv.AutoAdvance = false
	} else {
		inv.AutomaticallyFinalizesAt = ptr(w.now() + draftFor)
		inv.NextPaymentAttempt = ptr(w.now() + draftFor)
	}
	w.update("customer.subscription.updated", sub, func() {
		sub.CurrentPeriodStart, sub.CurrentPeriodEnd, sub.LatestInvoice = in.Start, in.End, &inv.ID
		if wasTrial {
			sub.Status = active
		}
	})
}

// trialWithoutCard does what a subscription says of the end of such a trial, and tells whether it goes on.
func (w *world) trialWithoutCard(sub *subscription) bool {
	switch sub.TrialSettings.EndBehavior.MissingPaymentMethod {
	case "cancel":
		w.endSubscription(sub, canceled, "payment_failed")
		return false
	case "pause":
		before := w.render(sub)
		sub.Status = paused
		w.emit("customer.subscription.paused", sub, before)
		w.emit("customer.subscription.updated", sub, before)
		return false
	}
	return true
}

// work posts events as they come and lets things fall due as time goes by.
func (s *Sandbox) work(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.change(func(*world) error { return nil }); err != nil {
				s.cfg.Log.ErrorContext(ctx, "sandbox of payments", "error", err)
			}
		case <-s.wake:
		}
		if !s.cfg.Manual {
			s.postDue(ctx)
		}
	}
}
