package sandbox

import (
	"errors"
	"net/http"
	"strings"

	"veracity/billing/sandbox/pages"
)

func (s *Sandbox) payPage(w http.ResponseWriter, r *http.Request) {
	s.showPay(w, r, http.StatusOK, "", Payer{Card: CardWorks})
}

func (s *Sandbox) showPay(w http.ResponseWriter, r *http.Request, status int, wrong string, p Payer) {
	var v pages.Payment
	var leads []*string
	err := s.change(func(w *world) error {
		found, ok := w.Sessions.find(r.PathValue("id"))
		if !ok {
			return ErrNoSession
		}
		if found.Status != open {
			return ErrNotOpen
		}
		v = w.payView(found, p)
		leads = []*string{found.SuccessURL, found.CancelURL}
		return nil
	})
	if err != nil {
		s.unpayable(w, r, err)
		return
	}
	v.Wrong = wrong
	setPolicy(w.Header(), leads...)
	show(w, r, status, pages.PayPage(v))
}

func (w *world) payView(s *session, p Payer) pages.Payment {
	v := pages.Payment{
		Action: payPath + s.ID, Due: money(s.AmountTotal, s.Currency), Cancel: deref(s.CancelURL), Asks: w.asks(s), Cards: cards(p.Card),
		Email: p.Email, Name: p.Name, TaxID: p.TaxID, AsksTax: s.TaxIDCollection.Enabled,
		NoCard: s.AmountTotal == 0 && s.PaymentMethodCollection == "if_required",
	}
	for _, it := range s.Private.Items {
		name, costs := w.nameOfPrice(it.Price)
		v.Lines = append(v.Lines, pages.Line{Name: name, Costs: costs})
	}
	switch {
	case s.Private.TrialDays > 0:
		v.Then = "The trial ends on " + shownDay(w.now()+s.Private.TrialDays*day) + "; then the price is charged."
	case s.Private.TrialEnd != nil:
		v.Then = "The trial ends on " + shownDay(*s.Private.TrialEnd) + "; then the price is charged."
	}
	email := deref(s.CustomerEmail)
	if cus, ok := w.Customers.find(deref(s.Customer)); ok {
		email = deref(cus.Email)
	}
	if email != "" {
		v.Email, v.Fixed = email, true
	}
	return v
}

func (s *Sandbox) unpayable(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrNoSession), errors.Is(err, ErrNotOpen):
		over(w, r, sentence(err))
	default:
		s.cfg.Log.ErrorContext(r.Context(), "sandbox of payments", "error", err)
		http.Error(w, "It could not be done; the log says why.", http.StatusInternalServerError)
	}
}

func (s *Sandbox) paySubmit(w http.ResponseWriter, r *http.Request) {
	p := Payer{
		Email: strings.TrimSpace(r.PostFormValue("email")), Name: strings.TrimSpace(r.PostFormValue("name")),
		TaxID: strings.TrimSpace(r.PostFormValue("tax_id")), Card: Card(r.PostFormValue("card")),
	}
	s.afterPay(w, r, p, s.Pay(r.PathValue("id"), p))
}

func (s *Sandbox) payConfirm(w http.ResponseWriter, r *http.Request) {
	s.afterPay(w, r, Payer{Card: CardWorks}, s.Confirm(r.PathValue("id"), r.PostFormValue("answer") == "yes"))
}

// afterPay sends a customer who has paid back, or asks again.
func (s *Sandbox) afterPay(w http.ResponseWriter, r *http.Request, p Payer, err error) {
	switch {
	case err == nil:
		s.mu.Lock()
		found, ok := s.world.Sessions.find(r.PathValue("id"))
		s.mu.Unlock()
		if ok {
			see(w, r, strings.ReplaceAll(deref(found.SuccessURL), sessionMark, found.ID))
		}
	case errors.Is(err, ErrNeedsAction):
		see(w, r, payPath+r.PathValue("id"))
	case errors.Is(err, ErrDeclined), errors.Is(err, ErrNotConfirmed), errors.Is(err, ErrIncomplete):
		s.showPay(w, r, http.StatusUnprocessableEntity, sentence(err), p)
	default:
		s.unpayable(w, r, err)
	}
}

// sentence is an error as a person reads it.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (s *Sandbox) invoicePage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	inv, ok := s.world.Invoices.find(r.PathValue("id"))
	if !ok || inv.Status == draft {
		s.mu.Unlock()
		over(w, r, "There is no such invoice.")
		return
	}
	v := pages.Invoice{
		Number: deref(inv.Number), Status: inv.Status, For: deref(inv.CustomerEmail), At: shownDay(inv.Created), Due: money(inv.AmountDue, inv.Currency),
	}
	for _, l := range inv.Lines.Data {
		v.Lines = append(v.Lines, pages.Line{Name: l.Description, Costs: money(l.Amount, l.Currency)})
	}
	if inv.StartingBalance != 0 {
		v.Balance = money(inv.StartingBalance-deref(inv.EndingBalance), inv.Currency)
	}
	s.mu.Unlock()
	show(w, r, http.StatusOK, pages.InvoicePage(v))
}
