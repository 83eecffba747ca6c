package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrNoObject is an id that names nothing.
var ErrNoObject = errors.New("there is no such object")

// Event is what happened, as tests and the control page see it.
type Event struct {
	ID, Type string
	// Subject is the id of the object that it is about.
	Subject string
	At      time.Time
	// Payload is what is posted.
	Payload json.RawMessage
	// States are those of its deliveries: waiting, held, accepted, given up or lost.
	States []string
}

// Events lists what happened, the oldest first.
func (s *Sandbox) Events() []Event { return s.eventsWhere(func(*event) bool { return true }) }

// Pending lists the events that wait or are held, the oldest first.
func (s *Sandbox) Pending() []Event { return s.eventsWhere((*event).waits) }

func (s *Sandbox) eventsWhere(want func(*event) bool) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Event
	for _, e := range s.world.Events.rows {
		if !want(e) {
			continue
		}
		one := Event{
			ID: e.ID, Type: e.Type, Subject: e.Private.Subject, At: time.Unix(e.Created, 0).UTC(), Payload: mustJSON(s.world.render(e)),
		}
		for _, d := range e.Private.Deliveries {
			one.States = append(one.States, d.State)
		}
		all = append(all, one)
	}
	return all
}

// Pay is what a person does on the payment page of a checkout session. It returns ErrDeclined, ErrNeedsAction (then
// Confirm follows), ErrIncomplete or ErrNotOpen as the page would say it.
func (s *Sandbox) Pay(session string, p Payer) error {
	return s.change(func(w *world) error {
		found, ok := w.Sessions.find(session)
		if !ok {
			return ErrNoSession
		}
		return w.submit(found, p)
	})
}

// Confirm is the customer's answer to his bank. No leaves the session open: ErrNotConfirmed.
func (s *Sandbox) Confirm(session string, yes bool) error {
	return s.change(func(w *world) error {
		found, ok := w.Sessions.find(session)
		if !ok {
			return ErrNoSession
		}
		return w.confirm(found, yes)
	})
}

// FailCard has every payment of a customer declined until MendCard.
func (s *Sandbox) FailCard(customer string) error { return s.setDeclines(customer, -1) }

// FailNext has the next n payments of a customer declined.
func (s *Sandbox) FailNext(customer string, n int) error { return s.setDeclines(customer, n) }

// MendCard has payments of a customer work again. It collects nothing: a retry does, or Collect.
func (s *Sandbox) MendCard(customer string) error { return s.setDeclines(customer, 0) }

func (s *Sandbox) setDeclines(id string, n int) error {
	return s.change(func(w *world) error {
		if _, ok := w.Customers.find(id); !ok {
			return fmt.Errorf("card of %s: %w", id, ErrNoObject)
		}
		for _, m := range w.Methods.rows {
			if deref(m.Customer) == id {
				m.Private.Declines, m.Private.Asks = n, false
				w.saved = false
			}
		}
		return nil
	})
}

// ChangeCard replaces a customer's card, as the portal does: open invoices are then collected.
func (s *Sandbox) ChangeCard(customer string, card Card) error {
	return s.change(func(w *world) error {
		cus, err := w.customer(customer, "customer")
		if err != nil {
			return err
		}
		return w.changeCard(cus, card)
	})
}

func (w *world) changeCard(cus *customer, card Card) error {
	if !card.known() {
		return ErrIncomplete
	}
	if card == CardDeclined {
		return ErrDeclined // a card is checked when it is given
	}
	m := w.newMethod(cus, card)
	m.Private.Asks = false // giving it confirmed it
	w.useMethod(cus, m)
	w.collectOpen(cus)
	if card == CardFailsLater {
		m.Private.Declines = -1
	}
	return nil
}

// Collect tries to have all open invoices of a customer paid, those of unpaid subscriptions too.
func (s *Sandbox) Collect(customer string) error {
	return s.change(func(w *world) error {
		cus, err := w.customer(customer, "customer")
		if err != nil {
			return err
		}
		w.collectOpen(cus)
		return nil
	})
}

func (w *world) collectOpen(cus *customer) {
	for _, inv := range w.Invoices.rows {
		sub, ok := w.Subscriptions.find(deref(inv.Subscription))
		if inv.Customer != cus.ID || !ok || !sub.live() {
			continue
		}
		if inv.Status == draft && sub.Status == unpaid {
			w.finalize(inv)
		}
		if inv.Status == open {
			w.collect(inv, false)
		}
	}
}

// Dispute has the customer's bank take a payment back: charge.dispute.created.
func (s *Sandbox) Dispute(charge string) error {
	return s.change(func(w *world) error {
		ch, ok := w.Charges.find(charge)
		if !ok || !ch.Paid || ch.Disputed {
			return fmt.Errorf("dispute %s: %w", charge, ErrNoObject)
		}
		d := &dispute{
			head: w.newHead("dp", "dispute"), Amount: ch.Amount, BalanceTransactions: []string{}, Charge: ch.ID, Currency: ch.Currency,
			Evidence: map[string]string{}, IsChargeRefundable: false, Metadata: map[string]string{}, PaymentIntent: ch.PaymentIntent,
			Reason: "fraudulent", Status: "needs_response",
		}
		d.EvidenceDetails.DueBy = w.now() + 7*day
		w.Disputes.add(d)
		ch.Disputed = true
		w.emit("charge.dispute.created", d, nil)
		return nil
	})
}

// LastCharge is the id of a customer's latest payment that went through, "" without one.
func (s *Sandbox) LastCharge(customer string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.world.Charges.rows) - 1; i >= 0; i-- {
		if ch := s.world.Charges.rows[i]; ch.Customer == customer && ch.Paid {
			return ch.ID
		}
	}
	return ""
}
