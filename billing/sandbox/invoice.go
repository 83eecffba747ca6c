package sandbox

import "fmt"

// bill makes a draft for a subscription of the given lines and of what waits for the next invoice.
func (w *world) bill(cus *customer, sub *subscription, reason string, lines []*line) *invoice {
	waiting, items := w.waiting(sub)
	inv := w.draftOf(cus, sub, reason, append(waiting, lines...))
	inv.head = w.newHead("in", "invoice")
	inv.Lines.URL = "/v1/invoices/" + inv.ID + "/lines"
	for _, l := range inv.Lines.Data {
		l.Invoice = &inv.ID
	}
	for _, p := range items {
		p.Invoice = &inv.ID
	}
	w.Invoices.add(inv)
	w.emit("invoice.created", inv, nil)
	return inv
}

// draftOf is an invoice that nobody has yet.
func (w *world) draftOf(cus *customer, sub *subscription, reason string, lines []*line) *invoice {
	inv := &invoice{
		head: head{Object: "invoice", Created: w.now()}, AccountCountry: "US", AccountName: "Sandbox", AutoAdvance: true,
		BillingReason: reason, CollectionMethod: "charge_automatically", Currency: sub.Currency, Customer: cus.ID,
		CustomerAddress: cus.Address, CustomerEmail: cus.Email, CustomerName: cus.Name, CustomerPhone: cus.Phone,
		CustomerTaxExempt: cus.TaxExempt, CustomerTaxIDs: append([]taxID{}, cus.Private.TaxIDs...), DefaultTaxRates: []string{},
		Discounts: []string{}, Issuer: issuer{"self"}, Lines: listOf("", lines...), Metadata: map[string]string{},
		PeriodStart: w.now(), PeriodEnd: w.now(), StartingBalance: cus.Balance, Status: draft, Subscription: &sub.ID,
		TotalDiscountAmounts: []string{}, TotalTaxAmounts: []string{}, WebhooksDeliveredAt: ptr(w.now()),
	}
	inv.SubscriptionDetails.Metadata = sub.Metadata
	for _, l := range lines {
		inv.Subtotal += l.Amount
	}
	inv.SubtotalExcludingTax, inv.Total, inv.TotalExcludingTax = inv.Subtotal, inv.Subtotal, inv.Subtotal
	inv.AmountDue = max(inv.Total+inv.StartingBalance, 0)
	inv.AmountRemaining = inv.AmountDue
	return inv
}

// finalize makes a draft due: it has its number, the customer's balance is settled with it, and a payment is intended.
// One that asks for nothing is paid at once.
func (w *world) finalize(inv *invoice) {
	if inv.Status != draft {
		return
	}
	cus, ok := w.Customers.find(inv.Customer)
	if !ok {
		return
	}
	sum := inv.Total + cus.Balance
	inv.StartingBalance, inv.EndingBalance = cus.Balance, ptr(min(sum, 0))
	inv.AmountDue = max(sum, 0)
	inv.AmountRemaining = inv.AmountDue
	inv.Status, inv.Number = open, ptr(fmt.Sprintf("%s-%04d", cus.InvoicePrefix, cus.NextInvoiceSequence))
	inv.EffectiveAt, inv.StatusTransitions.FinalizedAt = ptr(w.now()), ptr(w.now())
	inv.AutomaticallyFinalizesAt = nil
	w.update("customer.updated", cus, func() {
		cus.Balance, cus.NextInvoiceSequence = min(sum, 0), cus.NextInvoiceSequence+1
		cus.Currency = &inv.Currency
	})
	if inv.AmountDue > 0 {
		w.intend(inv)
	}
	w.emit("invoice.finalized", inv, nil)
	if inv.AmountDue == 0 {
		inv.Attempted = true
		w.settle(inv)
	}
}

// settle marks an invoice paid and lets its subscription follow.
func (w *world) settle(inv *invoice) {
	w.saved = false
	inv.Status, inv.Paid, inv.AmountPaid, inv.AmountRemaining = paid, true, inv.AmountDue, 0
	inv.NextPaymentAttempt, inv.StatusTransitions.PaidAt = nil, ptr(w.now())
	w.emit("invoice.paid", inv, nil)
	w.emit("invoice.payment_succeeded", inv, nil)
	sub, ok := w.Subscriptions.find(deref(inv.Subscription))
	if !ok || !sub.live() {
		return
	}
	if inv.Private.Applies {
		w.applyPending(sub, inv)
	}
	w.update("customer.subscription.updated", sub, func() {
		latest := deref(sub.LatestInvoice) == inv.ID
		if latest && (sub.Status == incomplete || sub.Status == pastDue || sub.Status == unpaid) {
			sub.Status = active
		}
	})
	if cus, ok := w.Customers.find(inv.Customer); ok && cus.Delinquent && sub.Status == active {
		w.update("customer.updated", cus, func() { cus.Delinquent = false })
	}
}

// giveUp gives an invoice up for good.
func (w *world) giveUp(inv *invoice) {
	w.saved = false
	inv.Status, inv.AutoAdvance, inv.NextPaymentAttempt = void, false, nil
	inv.StatusTransitions.VoidedAt = ptr(w.now())
	if pi, ok := w.Intents.find(deref(inv.PaymentIntent)); ok {
		pi.Status, pi.CanceledAt, pi.CancellationReason, pi.NextAction = canceled, ptr(w.now()), ptr("void_invoice"), nil
		w.emit("payment_intent.canceled", pi, nil)
	}
	w.emit("invoice.voided", inv, nil)
}

func listInvoices(c *call) (any, error) {
	of, sub := c.str("customer"), c.str("subscription")
	status := c.oneOf("status", "", draft, open, paid, void, uncollectible)
	return pageOf(c, &c.Invoices, func(inv *invoice) bool {
		return (of == "" || inv.Customer == of) && (sub == "" || deref(inv.Subscription) == sub) &&
			(status == "" || inv.Status == status)
	})
}

func finalizeInvoice(c *call) (any, error) {
	inv, ok := c.Invoices.find(c.id)
	if !ok {
		return nil, missing("invoice", "id", c.id)
	}
	advance := c.flag("auto_advance")
	if err := c.done(); err != nil {
		return nil, err
	}
	if inv.Status != draft {
		return nil, refuse("", "invoice_not_editable", "This invoice is already finalized, you can't re-finalize a non-draft invoice.")
	}
	if advance != nil {
		inv.AutoAdvance = *advance
		inv.NextPaymentAttempt = nil
		if *advance {
			inv.NextPaymentAttempt = ptr(c.now() + draftFor)
		}
	}
	c.finalize(inv)
	return inv, nil
}

func payInvoice(c *call) (any, error) {
	inv, ok := c.Invoices.find(c.id)
	if !ok {
		return nil, missing("invoice", "id", c.id)
	}
	_ = c.flag("off_session")
	if err := c.done(); err != nil {
		return nil, err
	}
	if inv.Status == draft {
		c.finalize(inv)
	}
	switch inv.Status {
	case open:
	case paid:
		return nil, refuse("", "invoice_already_paid", "Invoice is already paid")
	default:
		return nil, refuse("", "invoice_not_editable", "This invoice is %s and cannot be paid.", inv.Status)
	}
	if f := c.collect(inv, false); f != nil {
		return nil, declined(*f)
	}
	return inv, nil
}

func voidInvoice(c *call) (any, error) {
	inv, ok := c.Invoices.find(c.id)
	if !ok {
		return nil, missing("invoice", "id", c.id)
	}
	if err := c.done(); err != nil {
		return nil, err
	}
	if inv.Status != open && inv.Status != uncollectible {
		return nil, refuse("", "invoice_not_editable", "You can only void open or uncollectible invoices; this one is %s.", inv.Status)
	}
	c.giveUp(inv)
	return inv, nil
}
