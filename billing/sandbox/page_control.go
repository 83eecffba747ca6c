package sandbox

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"veracity/billing/sandbox/pages"
)

const (
	eventsShown   = 200
	invoicesShown = 50
)

func (s *Sandbox) controlPage(w http.ResponseWriter, r *http.Request) {
	var v pages.Control
	err := s.change(func(w *world) error {
		v = w.controlView()
		return nil
	})
	if err != nil {
		s.unpayable(w, r, err)
		return
	}
	show(w, r, http.StatusOK, pages.ControlPage(v))
}

func (w *world) controlView() pages.Control {
	f := w.Faults
	v := pages.Control{Now: shownTime(w.now()), Posts: w.cfg.WebhookURL, Lose: f.Drop, Double: f.Double, Hold: f.Delay, Reverse: f.Reorder}
	emails := map[string]string{}
	for _, cus := range w.Customers.rows {
		emails[cus.ID] = deref(cus.Email)
		if !cus.Private.Deleted {
			v.Customers = append(v.Customers, w.controlCustomer(cus))
		}
	}
	for _, sub := range w.Subscriptions.rows {
		name, costs := w.nameOfPrice(sub.Items.Data[0].Price)
		v.Subscriptions = append(v.Subscriptions, pages.Subscribed{
			ID: sub.ID, Email: emails[sub.Customer], Plan: name + ", " + costs, Status: sub.Status,
			Period: shownDay(sub.CurrentPeriodStart) + " to " + shownDay(sub.CurrentPeriodEnd), Ends: shownTime(deref(sub.CancelAt)),
		})
	}
	for _, inv := range slices.Backward(w.Invoices.rows) {
		if len(v.Invoices) == invoicesShown {
			break
		}
		v.Invoices = append(v.Invoices, pages.Drafted{
			Path: invoicePath + inv.ID, Number: deref(inv.Number), Email: emails[inv.Customer], Reason: inv.BillingReason,
			Total: money(inv.Total, inv.Currency), Status: inv.Status, Next: shownTime(deref(inv.NextPaymentAttempt)),
		})
	}
	w.controlEvents(&v)
	return v
}

func (w *world) controlCustomer(cus *customer) pages.Customer {
	one := pages.Customer{ID: cus.ID, Email: deref(cus.Email), Card: "none", Balance: dollars(cus.Balance), Delinquent: cus.Delinquent}
	for _, m := range w.Methods.rows {
		if deref(m.Customer) != cus.ID {
			continue
		}
		one.Card = "ends in " + m.Card.Last4
		switch {
		case m.Private.Declines < 0:
			one.Card += ", is declined"
		case m.Private.Declines > 0:
			one.Card += ", is declined " + strconv.Itoa(m.Private.Declines) + " ×"
		}
	}
	for _, ch := range w.Charges.rows {
		if ch.Customer == cus.ID && ch.Paid && !ch.Disputed {
			one.Charge = ch.ID
		}
	}
	return one
}

func (w *world) controlEvents(v *pages.Control) {
	for i, e := range slices.Backward(w.Events.rows) {
		if e.waits() {
			v.Held++
		}
		if len(w.Events.rows)-i > eventsShown {
			continue
		}
		one := pages.Happened{ID: e.ID, Type: e.Type, Subject: e.Private.Subject, At: shownTime(e.Created)}
		for _, d := range e.Private.Deliveries {
			said := d.State
			if d.Answer != "" && d.State != accepted {
				said += ": " + d.Answer
			}
			one.States = append(one.States, said)
		}
		v.Events = append(v.Events, one)
	}
}

// controlled goes back to the control page, or says what was wrong.
func (s *Sandbox) controlled(w http.ResponseWriter, r *http.Request, err error) {
	refused := (*apiError)(nil)
	switch {
	case err == nil, errors.Is(err, ErrNotAccepted): // the page shows what was answered
		see(w, r, "/")
	case errors.Is(err, ErrNoObject), errors.Is(err, ErrClock), errors.As(err, &refused):
		show(w, r, http.StatusUnprocessableEntity, pages.OverPage(sentence(err)))
	default:
		s.unpayable(w, r, err)
	}
}

func (s *Sandbox) controlAdvance(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.PostFormValue("by") {
	case "day":
		err = s.Advance(24 * time.Hour)
	case "month":
		err = s.AdvanceTo(s.Now().AddDate(0, 1, 0))
	case "renewal":
		err = s.AdvanceToRenewal()
	default:
		err = ErrClock
	}
	s.controlled(w, r, err)
}

func (s *Sandbox) controlCard(w http.ResponseWriter, r *http.Request) {
	id := r.PostFormValue("customer")
	var err error
	switch r.PostFormValue("do") {
	case "fail":
		err = s.FailCard(id)
	case "once":
		err = s.FailNext(id, 1)
	case "mend":
		if err = s.MendCard(id); err == nil {
			err = s.Collect(id)
		}
	default:
		err = ErrNoObject
	}
	s.controlled(w, r, err)
}

func (s *Sandbox) controlDispute(w http.ResponseWriter, r *http.Request) {
	s.controlled(w, r, s.Dispute(r.PostFormValue("charge")))
}

func (s *Sandbox) controlFaults(w http.ResponseWriter, r *http.Request) {
	var f Faults
	for name, field := range map[string]*int{"double": &f.Double, "drop": &f.Drop, "delay": &f.Delay, "reorder": &f.Reorder} {
		n, err := strconv.Atoi(r.PostFormValue(name))
		if err != nil || n < 0 || n > 1_000 {
			http.Error(w, "Each of the faults is a number from 0 to 1000.", http.StatusUnprocessableEntity)
			return
		}
		*field = n
	}
	s.controlled(w, r, s.SetFaults(f))
}

func (s *Sandbox) controlFlush(w http.ResponseWriter, r *http.Request) {
	s.controlled(w, r, s.Flush(r.Context()))
}

func (s *Sandbox) controlPost(w http.ResponseWriter, r *http.Request) {
	s.controlled(w, r, s.Post(r.Context(), r.PostFormValue("event")))
}
