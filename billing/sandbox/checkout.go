package sandbox

import "errors"

// Payer is what a person fills in on the payment page.
type Payer struct {
	Email string
	Name  string
	// TaxID is an EU VAT number; "" for none.
	TaxID string
	// Card pays; "" gives none, which a trial may allow.
	Card Card
}

// What a payment page may say.
var (
	ErrNoSession    = errors.New("there is no such payment")
	ErrNotOpen      = errors.New("this payment is over")
	ErrDeclined     = errors.New("your card was declined: choose another")
	ErrNeedsAction  = errors.New("the bank asks to confirm the payment")
	ErrNotConfirmed = errors.New("the payment was not confirmed: try again or choose another card")
	ErrIncomplete   = errors.New("an e-mail address and a card are needed")
)

// submit is a press on the payment page's button. It ends the session, or says why it stays open.
func (w *world) submit(s *session, p Payer) error {
	if s.Status != open || w.now() >= s.ExpiresAt {
		return ErrNotOpen
	}
	free := p.Card == "" && s.AmountTotal == 0 && s.PaymentMethodCollection == "if_required"
	known, given := w.Customers.find(deref(s.Customer))
	if !free && !p.Card.known() || !given && deref(s.CustomerEmail) == "" && p.Email == "" || given && known.Private.Deleted {
		return ErrIncomplete
	}
	if p.Card == CardDeclined {
		return ErrDeclined // nothing is made before a payment may succeed
	}
	cus := w.payerOf(s, p)
	var m *method
	if !free {
		m = w.Methods.add(w.newMethod(cus, p.Card))
		w.emit("payment_method.attached", m, nil)
	}
	sub, begun := w.Subscriptions.find(deref(s.Subscription))
	if !begun || !sub.live() {
		sub = w.begin(cus, m, s.Private)
		s.Subscription, s.Invoice = &sub.ID, sub.LatestInvoice
	} else if m != nil {
		w.update("customer.subscription.updated", sub, func() { sub.DefaultPaymentMethod = &m.ID })
	}
	return w.finishPayment(s, sub)
}

// finishPayment collects the first invoice and completes the session.
func (w *world) finishPayment(s *session, sub *subscription) error {
	inv, ok := w.Invoices.find(deref(sub.LatestInvoice))
	if ok && inv.Status == open {
		if f := w.collect(inv, false); f != nil {
			if *f == cardAsks {
				return ErrNeedsAction
			}
			return ErrDeclined
		}
	}
	w.saved = false
	s.Status, s.PaymentStatus = "complete", paid
	if inv != nil && inv.AmountPaid == 0 {
		s.PaymentStatus = "no_payment_required"
	}
	if m, ok := w.Methods.find(deref(sub.DefaultPaymentMethod)); ok && m.Card.Last4 == string(CardFailsLater[12:]) {
		m.Private.Declines = -1
	}
	w.emit("checkout.session.completed", s, nil)
	return nil
}

// confirm is the customer's answer to his bank.
func (w *world) confirm(s *session, yes bool) error {
	sub, ok := w.Subscriptions.find(deref(s.Subscription))
	if s.Status != open || !ok || sub.Status != incomplete {
		return ErrNotOpen
	}
	inv, _ := w.Invoices.find(deref(sub.LatestInvoice))
	pi, asked := w.Intents.find(deref(inv.PaymentIntent))
	m, _ := w.Methods.find(deref(sub.DefaultPaymentMethod))
	if !asked || pi.Status != needsAction || m == nil {
		return ErrNotOpen
	}
	if !yes {
		w.refused(inv, pi, m, notConfirmed, false)
		return ErrNotConfirmed
	}
	m.Private.Asks = false
	return w.finishPayment(s, sub)
}

// asks tells whether a session waits for the customer's answer to his bank.
func (w *world) asks(s *session) bool {
	sub, ok := w.Subscriptions.find(deref(s.Subscription))
	if !ok || s.Status != open || sub.Status != incomplete {
		return false
	}
	inv, ok := w.Invoices.find(deref(sub.LatestInvoice))
	if !ok {
		return false
	}
	pi, ok := w.Intents.find(deref(inv.PaymentIntent))
	return ok && pi.Status == needsAction
}

// payerOf is the session's customer with what was filled in, made when there is none yet.
func (w *world) payerOf(s *session, p Payer) *customer {
	cus, ok := w.Customers.find(deref(s.Customer))
	if !ok {
		email := deref(s.CustomerEmail)
		if email == "" {
			email = p.Email
		}
		cus = w.Customers.add(w.newCustomer(email, p.Name))
		w.emit("customer.created", cus, nil)
		s.Customer = &cus.ID
	}
	w.update("customer.updated", cus, func() {
		if s.TaxIDCollection.Enabled && p.TaxID != "" {
			cus.Private.TaxIDs = []taxID{{"eu_vat", p.TaxID}}
			if p.Name != "" {
				cus.Name = &p.Name
			}
		}
	})
	s.CustomerDetails = &payer{
		Email: cus.Email, Name: cus.Name, TaxExempt: cus.TaxExempt, TaxIDs: append([]taxID{}, cus.Private.TaxIDs...),
	}
	w.saved = false
	return cus
}
