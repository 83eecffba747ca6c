package sandbox

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"veracity/billing/sandbox/pages"
)

// visit is a session of the portal with what it is about, while the world is held.
type visit struct {
	*portalSession
	cus  *customer
	conf *configuration
}

var errNoVisit = errors.New("this address of the portal is over: open the portal from your account again")

func (w *world) visit(r *http.Request) (visit, error) {
	v, ok := w.Visits.find(r.PathValue("id"))
	if !ok || v.Private.Secret != r.PathValue("secret") || v.Private.Until < time.Now().Unix() {
		return visit{}, errNoVisit
	}
	cus, ok := w.Customers.find(v.Customer)
	conf, confOK := w.Configurations.find(v.Configuration)
	if !ok || cus.Private.Deleted || !confOK {
		return visit{}, errNoVisit
	}
	return visit{v, cus, conf}, nil
}

func (s *Sandbox) portalPage(w http.ResponseWriter, r *http.Request) {
	s.showPortal(w, r, http.StatusOK, "")
}

func (s *Sandbox) showPortal(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	var v pages.Portal
	var leads []*string
	err := s.change(func(w *world) error {
		at, err := w.visit(r)
		if err != nil {
			return err
		}
		v = w.portalView(at)
		leads = []*string{at.ReturnURL, after(at.Flow)}
		return nil
	})
	if err != nil {
		over(w, r, sentence(err))
		return
	}
	v.Wrong, v.Done = wrong, r.URL.Query().Get("done")
	setPolicy(w.Header(), leads...)
	show(w, r, status, pages.PortalPage(v))
}

// after is where a flow leads when it is done, nil for the portal's own page.
func after(f *flow) *string {
	if f == nil || f.AfterCompletion.Redirect == nil {
		return nil
	}
	return &f.AfterCompletion.Redirect.ReturnURL
}

// about is the subscription that a flow is for, "" for none.
func (f *flow) about() string {
	switch {
	case f == nil:
		return ""
	case f.SubscriptionCancel != nil:
		return f.SubscriptionCancel.Subscription
	case f.SubscriptionUpdate != nil:
		return f.SubscriptionUpdate.Subscription
	case f.SubscriptionUpdateConfirm != nil:
		return f.SubscriptionUpdateConfirm.Subscription
	}
	return ""
}

func (w *world) portalView(at visit) pages.Portal {
	v := pages.Portal{
		Action: portalPath + at.ID + "/" + at.Private.Secret, Back: deref(at.ReturnURL), Email: deref(at.cus.Email),
		MayCard: at.conf.Features.PaymentMethodUpdate.Enabled, Cards: cards(CardWorks),
	}
	if at.Flow != nil {
		v.Flow = at.Flow.Type
	}
	for _, sub := range w.Subscriptions.rows {
		if of := at.Flow.about(); sub.Customer == at.cus.ID && sub.live() && (of == "" || of == sub.ID) {
			v.Subscriptions = append(v.Subscriptions, w.portalSubscription(at, sub))
			if m := w.methodOf(at.cus, sub); m != nil {
				v.Card = "Visa ending in " + m.Card.Last4
			}
		}
	}
	if m := w.methodOf(at.cus, nil); m != nil && v.Card == "" {
		v.Card = "Visa ending in " + m.Card.Last4
	}
	if at.conf.Features.InvoiceHistory.Enabled {
		for _, inv := range slices.Backward(w.Invoices.rows) {
			if inv.Customer == at.cus.ID && inv.Status != draft {
				v.Invoices = append(v.Invoices, pages.Billed{
					Path: invoicePath + inv.ID, Number: deref(inv.Number), At: shownDay(inv.Created),
					Total: money(inv.Total, inv.Currency), Status: inv.Status,
				})
			}
		}
	}
	return v
}

func (w *world) portalSubscription(at visit, sub *subscription) pages.Subscription {
	name, costs := w.nameOfPrice(sub.Items.Data[0].Price)
	one := pages.Subscription{
		ID: sub.ID, Name: name, Costs: costs, Status: strings.ReplaceAll(sub.Status, "_", " "), Until: shownDay(sub.CurrentPeriodEnd),
		Ends: sub.CancelAt != nil, Scheduled: sub.Schedule != nil,
	}
	if sub.CancelAt != nil {
		one.Until = shownDay(*sub.CancelAt)
	}
	one.MayEnd = at.conf.Features.SubscriptionCancel.Enabled && !one.Ends && !one.Scheduled
	one.MayResume = at.conf.Features.SubscriptionCancel.Enabled && sub.CancelAtPeriodEnd && !one.Scheduled
	if one.Scheduled || one.Ends {
		return one
	}
	for _, p := range w.choices(at.conf, sub) {
		one.Choices = append(one.Choices, w.portalChoice(at, sub, p.ID))
	}
	if at.Flow != nil && at.Flow.SubscriptionUpdateConfirm != nil && at.Flow.SubscriptionUpdateConfirm.Subscription == sub.ID {
		choice := w.portalChoice(at, sub, at.Flow.SubscriptionUpdateConfirm.Items[0].Price)
		one.Confirm = &choice
	}
	return one
}

func (w *world) portalChoice(at visit, sub *subscription, price string) pages.Choice {
	name, costs := w.nameOfPrice(price)
	due := w.dueNow(at.cus, sub, w.switching(at.conf, sub, price))
	return pages.Choice{Price: price, Name: name, Costs: costs, Now: money(due, sub.Currency)}
}

// switching is the change that the portal makes for another price.
func (w *world) switching(conf *configuration, sub *subscription, price string) alteration {
	items := make([]*item, len(sub.Items.Data))
	for i, it := range sub.Items.Data {
		copied := *it
		items[i] = &copied
	}
	items[0].Price = price
	was, is := w.recurrence(sub.Items.Data), w.recurrence(items)
	return alteration{
		items: items, at: w.now(), proration: conf.Features.SubscriptionUpdate.ProrationBehavior, payment: errorIfIncomplete,
		anew: was.Interval != is.Interval || was.IntervalCount != is.IntervalCount,
	}
}

// portalAct does what a form of the portal asks for.
func (s *Sandbox) portalAct(w http.ResponseWriter, r *http.Request) {
	var to string
	err := s.change(func(w *world) error {
		at, err := w.visit(r)
		if err != nil {
			return err
		}
		to = portalPath + at.ID + "/" + at.Private.Secret + "?done=yes"
		if next := after(at.Flow); next != nil {
			to = *next
		}
		if err := w.portalAct(at, r); err != nil {
			return err
		}
		if at.Flow != nil { // a flow is for one act
			at.Flow = nil
			w.saved = false
		}
		return nil
	})
	refused := (*apiError)(nil)
	switch {
	case err == nil:
		see(w, r, to)
	case errors.Is(err, errNoVisit):
		over(w, r, sentence(err))
	case errors.Is(err, ErrDeclined), errors.Is(err, ErrIncomplete), errors.As(err, &refused):
		s.showPortal(w, r, http.StatusUnprocessableEntity, sentence(err))
	default:
		s.unpayable(w, r, err)
	}
}

func (w *world) portalAct(at visit, r *http.Request) error {
	act := r.PostFormValue("act")
	if act == "card" && at.conf.Features.PaymentMethodUpdate.Enabled {
		return w.changeCard(at.cus, Card(r.PostFormValue("card")))
	}
	sub, ok := w.Subscriptions.find(r.PostFormValue("subscription"))
	if !ok || !sub.live() || sub.Customer != at.cus.ID {
		return refuse("", "", "This subscription has ended")
	}
	may := w.portalSubscription(at, sub)
	switch {
	case act == "end" && may.MayEnd:
		w.endInPortal(at, sub)
	case act == "resume" && may.MayResume:
		w.update("customer.subscription.updated", sub, func() {
			sub.CancelAtPeriodEnd, sub.CancelAt, sub.CanceledAt, sub.CancellationDetails = false, nil, nil, cancellation{}
		})
	case act == "plan":
		return w.switchInPortal(at, sub, may, r.PostFormValue("price"))
	default:
		return refuse("", "", "The portal does not offer that")
	}
	return nil
}

func (w *world) endInPortal(at visit, sub *subscription) {
	if at.conf.Features.SubscriptionCancel.Mode == "immediately" {
		w.endSubscription(sub, canceled, "cancellation_requested")
		return
	}
	w.update("customer.subscription.updated", sub, func() {
		sub.CancelAtPeriodEnd, sub.CancelAt, sub.CanceledAt = true, ptr(sub.CurrentPeriodEnd), ptr(w.now())
		sub.CancellationDetails.Reason = ptr("cancellation_requested")
	})
}

func (w *world) switchInPortal(at visit, sub *subscription, may pages.Subscription, price string) error {
	offered := may.Confirm != nil && may.Confirm.Price == price ||
		slices.ContainsFunc(may.Choices, func(c pages.Choice) bool { return c.Price == price })
	if !offered {
		return refuse("", "", "The portal does not offer that plan")
	}
	change := w.switching(at.conf, sub, price)
	if err := w.mayAlter(sub, change); err != nil {
		return err
	}
	w.alter(sub, change)
	return nil
}
