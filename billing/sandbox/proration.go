package sandbox

import (
	"fmt"
	"math/big"
	"strconv"
)

// part is the share of an amount for the time that is left of a period, by the second, rounded half away from zero
// (https://docs.stripe.com/billing/subscriptions/prorations).
func part(amount, at int64, in period) int64 {
	length := in.End - in.Start
	left := min(max(in.End-at, 0), length)
	if length <= 0 {
		return 0
	}
	n := new(big.Int).Mul(big.NewInt(amount), big.NewInt(left))
	n.Mul(n, big.NewInt(2)).Add(n, big.NewInt(length))
	return n.Div(n, big.NewInt(2*length)).Int64() // amounts of prices are not below 0
}

// prorate is what a change of items at a moment credits for the time that was paid and charges for what is left of it.
// A cycle that begins anew charges nothing here: its lines charge the whole new period.
func (w *world) prorate(sub *subscription, next []*item, at int64, anew bool) []*line {
	in := period{Start: sub.CurrentPeriodStart, End: sub.CurrentPeriodEnd}
	if sub.Status == trialing {
		return nil // nothing was paid
	}
	var lines []*line
	for _, it := range sub.Items.Data {
		if other := sameItem(next, it.ID); other == nil || anew || other.Price != it.Price || other.Quantity != it.Quantity {
			lines = append(lines, w.prorated(sub, it, at, in, -1))
		}
	}
	for _, it := range next {
		if other := sameItem(sub.Items.Data, it.ID); !anew && (other == nil || other.Price != it.Price || other.Quantity != it.Quantity) {
			lines = append(lines, w.prorated(sub, it, at, in, 1))
		}
	}
	kept := lines[:0]
	for _, l := range lines {
		if l.Amount != 0 {
			kept = append(kept, l)
		}
	}
	return kept
}

func sameItem(items []*item, id string) *item {
	for _, it := range items {
		if it.ID == id {
			return it
		}
	}
	return nil
}

func (w *world) prorated(sub *subscription, it *item, at int64, in period, sign int64) *line {
	p, name := w.priceAndName(it.Price)
	l := w.newLine(sub, it, sign*part(p.UnitAmount*it.Quantity, at, in), period{Start: at, End: in.End})
	l.Type, l.Proration, l.InvoiceItem = "invoiceitem", true, ptr(newID("ii"))
	l.Description = fmt.Sprintf("Remaining time on %s after %s", name, dated(at))
	if sign < 0 {
		l.Description = fmt.Sprintf("Unused time on %s after %s", name, dated(at))
		l.ProrationDetails.CreditedItems = w.credited(sub, it)
	}
	return l
}

// credited is the line that was paid for what a proration gives back.
func (w *world) credited(sub *subscription, it *item) *creditedItems {
	for i := len(w.Invoices.rows) - 1; i >= 0; i-- {
		inv := w.Invoices.rows[i]
		if deref(inv.Subscription) != sub.ID {
			continue
		}
		for _, l := range inv.Lines.Data {
			if l.SubscriptionItem == it.ID && l.Price == it.Price && l.Amount > 0 {
				return &creditedItems{Invoice: inv.ID, InvoiceLineItems: []string{l.ID}}
			}
		}
	}
	return nil
}

func (w *world) priceAndName(id string) (*price, string) {
	p, ok := w.Prices.find(id)
	if !ok {
		return &price{Currency: "usd"}, id
	}
	if of, ok := w.Products.find(p.Product); ok {
		return p, of.Name
	}
	return p, id
}

func (w *world) newLine(sub *subscription, it *item, amount int64, in period) *line {
	p, _ := w.priceAndName(it.Price)
	return &line{
		ID: newID("il"), Object: "line_item", Amount: amount, AmountExcludingTax: amount, Currency: p.Currency,
		DiscountAmounts: []string{}, Discounts: []string{}, Metadata: sub.Metadata, Period: in, Price: it.Price,
		Quantity: it.Quantity, Subscription: sub.ID, SubscriptionItem: it.ID, TaxAmounts: []string{}, TaxRates: []string{},
		UnitAmountExcludingTax: strconv.FormatInt(amount/max(it.Quantity, 1), 10),
	}
}

// cycleLines charge a whole period of every item. A trial's cost nothing.
func (w *world) cycleLines(sub *subscription, items []*item, in period, trial bool) []*line {
	lines := make([]*line, len(items))
	for i, it := range items {
		p, name := w.priceAndName(it.Price)
		amount, text := p.UnitAmount*it.Quantity, fmt.Sprintf("%d × %s (at $%s / %s)", it.Quantity, name, dollars(p.UnitAmount), p.Recurring.Interval)
		if trial {
			amount, text = 0, "Trial period for "+name
		}
		lines[i] = w.newLine(sub, it, amount, in)
		lines[i].Type, lines[i].Description = "subscription", text
	}
	return lines
}

func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// wait leaves prorations to the next invoice of the subscription.
func (w *world) wait(sub *subscription, lines []*line) {
	for _, l := range lines {
		p := &pendingItem{
			head: w.newHead("ii", "invoiceitem"), Amount: l.Amount, Currency: l.Currency, Customer: sub.Customer, Date: w.now(),
			Description: l.Description, Discounts: []string{}, Metadata: l.Metadata, Period: l.Period, Price: l.Price,
			Proration: true, Quantity: l.Quantity, Subscription: sub.ID, SubscriptionItem: l.SubscriptionItem,
			TaxRates: []string{}, UnitAmount: l.Amount / max(l.Quantity, 1), UnitAmountDecimal: l.UnitAmountExcludingTax,
		}
		p.ID = *l.InvoiceItem
		w.Pending.add(p)
		w.emit("invoiceitem.created", p, nil)
	}
}

// waiting are the lines of the amounts that wait for the subscription's next invoice.
func (w *world) waiting(sub *subscription) (lines []*line, items []*pendingItem) {
	for _, p := range w.Pending.rows {
		if p.Subscription != sub.ID || p.Invoice != nil {
			continue
		}
		it := &item{ID: p.SubscriptionItem, Price: p.Price, Quantity: p.Quantity}
		l := w.newLine(sub, it, p.Amount, p.Period)
		l.Type, l.Proration, l.InvoiceItem, l.Description = "invoiceitem", p.Proration, &p.ID, p.Description
		lines, items = append(lines, l), append(items, p)
	}
	return lines, items
}

func listPending(c *call) (any, error) {
	of, in, waits := c.str("customer"), c.str("invoice"), c.flag("pending")
	return pageOf(c, &c.Pending, func(p *pendingItem) bool {
		return (of == "" || p.Customer == of) && (in == "" || deref(p.Invoice) == in) &&
			(waits == nil || (p.Invoice == nil) == *waits)
	})
}
