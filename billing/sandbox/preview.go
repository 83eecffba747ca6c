package sandbox

import "net/http"

// upcomingInvoice is the next invoice of a subscription, as it is or as a change would make it
// (https://docs.stripe.com/api/invoices/upcoming). It has no id.
func upcomingInvoice(c *call) (any, error) {
	details := c.in("subscription_details")
	inv, err := c.preview(&params{
		path: "subscription_details", root: c.root, under: map[string]*params{
			"items":                {path: "subscription_items", root: c.root, under: merged(c.in("subscription_items"), details.in("items"))},
			"proration_behavior":   either(c.in("subscription_proration_behavior"), details.in("proration_behavior")),
			"proration_date":       either(c.in("subscription_proration_date"), details.in("proration_date")),
			"billing_cycle_anchor": either(c.in("subscription_billing_cycle_anchor"), details.in("billing_cycle_anchor")),
			"cancel_at_period_end": either(c.in("subscription_cancel_at_period_end"), details.in("cancel_at_period_end")),
		},
	})
	if err != nil {
		return nil, err
	}
	shown := c.render(inv)
	delete(shown, "id")
	return shown, nil
}

// previewInvoice is upcomingInvoice in its newer form.
func previewInvoice(c *call) (any, error) {
	inv, err := c.preview(c.in("subscription_details"))
	if err != nil {
		return nil, err
	}
	inv.ID = newID("upcoming_in")
	return inv, nil
}

func either(a, b *params) *params {
	if a.set {
		return a
	}
	return b
}

func merged(a, b *params) map[string]*params {
	if len(a.under) > 0 {
		return a.under
	}
	return b.under
}

func (c *call) preview(details *params) (*invoice, error) {
	sub, err := c.previewed()
	if err != nil {
		return nil, err
	}
	asked := &call{world: c.world, params: details, id: c.id}
	ends := deref(details.flag("cancel_at_period_end"))
	change, err := asked.readAlteration(sub)
	if err != nil {
		return nil, err
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	cus, err := c.customer(sub.Customer, "customer")
	if err != nil {
		return nil, err
	}
	waiting, _ := c.waiting(sub)
	next, lines := *sub, []*line(nil)
	if change != nil {
		if next, lines = c.altered(sub, *change); change.billsNow() {
			return c.foreseen(cus, &next, reasonUpdate, append(waiting, lines...), c.now()), nil
		}
	}
	ends = ends || next.CancelAt != nil && *next.CancelAt <= next.CurrentPeriodEnd || !next.recurs()
	if s, ok := c.Schedules.find(deref(next.Schedule)); ok && s.CurrentPhase != nil && s.CurrentPhase.EndDate == next.CurrentPeriodEnd {
		if ph := s.nextPhase(); ph != nil {
			next.Items.Data = c.itemsOf(&next, ph)
		}
	}
	if ends && len(waiting)+len(lines) == 0 {
		e := refuse("", "invoice_upcoming_none", "No upcoming invoices for customer: %s", cus.ID)
		e.Status = http.StatusNotFound
		return nil, e
	}
	lines = append(waiting, lines...)
	if !ends {
		from := next.CurrentPeriodEnd
		in := period{Start: from, End: cycleEnd(next.BillingCycleAnchor, from, c.recurrence(next.Items.Data))}
		lines = append(lines, c.cycleLines(&next, next.Items.Data, in, false)...)
	}
	inv := c.foreseen(cus, &next, reasonCycle, lines, next.CurrentPeriodEnd)
	inv.PeriodStart = next.CurrentPeriodStart
	inv.NextPaymentAttempt = ptr(next.CurrentPeriodEnd + draftFor)
	return inv, nil
}

func (w *world) foreseen(cus *customer, sub *subscription, reason string, lines []*line, at int64) *invoice {
	inv := w.draftOf(cus, sub, reason, lines)
	inv.Created, inv.PeriodStart, inv.PeriodEnd = at, sub.CurrentPeriodStart, at
	inv.EndingBalance = ptr(min(inv.Total+inv.StartingBalance, 0))
	inv.Lines.URL = "/v1/invoices/upcoming/lines?subscription=" + sub.ID
	if reason == reasonCycle {
		inv.BillingReason = "upcoming"
	}
	return inv
}

// previewed finds the subscription that a preview asks for: its own, or the customer's that renews first.
func (c *call) previewed() (*subscription, error) {
	of := c.str("customer")
	if id, ok := c.text("subscription"); ok {
		sub, found := c.Subscriptions.find(id)
		if !found || of != "" && sub.Customer != of {
			return nil, missing("subscription", "subscription", id)
		}
		return sub, nil
	}
	var first *subscription
	for _, sub := range c.Subscriptions.rows {
		if sub.Customer == of && sub.recurs() && (first == nil || sub.CurrentPeriodEnd < first.CurrentPeriodEnd) {
			first = sub
		}
	}
	if first == nil {
		e := refuse("", "invoice_upcoming_none", "No upcoming invoices for customer: %s", of)
		e.Status = http.StatusNotFound
		return nil, e
	}
	return first, nil
}
