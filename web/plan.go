package web

import (
	"net/http"

	"veracity/account/access"
	"veracity/billing"
	"veracity/platform/fault"
	"veracity/views"
)

// plan shows the account's plan. A visitor who comes back from the payment service waits here until our own rows know of
// the payment; the address that he comes back by says nothing that is believed.
func (p *Portal) plan(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.showPlan(w, r, v, http.StatusOK, "")
}

// showPlan shows the page of the plan, with why a form was not taken.
func (p *Portal) showPlan(w http.ResponseWriter, r *http.Request, v *Visitor, status int, wrong string) error {
	f, err := p.frame(r, v, "Plan")
	if err != nil {
		return err
	}
	paid, err := p.Billing.Read(r.Context(), v.Account)
	if err != nil {
		return err
	}
	keys, err := p.Accounts.ListKeys(r.Context(), v.Account)
	if err != nil {
		return err
	}
	page := views.Plan{
		Shell: f.Shell, Refused: wrong, MayManage: v.Actor().Can(access.ManagePlan), Now: p.planNow(paid), Gives: planGives(f, len(keys)),
	}
	page.Banners = withoutWayTo(page.Banners, planPath)
	if r.Method == http.MethodGet {
		p.cameBack(r, paid, &page)
	}
	if page.MayManage && !page.Confirming { // nobody is to buy twice
		page.Others = p.planOffers(paid, r.FormValue("plan"))
	}
	if !page.Confirming { // which is asked for again and again
		page.Invoices = p.planInvoices(r.Context(), v, paid)
	}
	p.letPay(w)
	return p.show(w, r, status, views.PlanPage(page))
}

// withoutWayTo drops banners that lead to the page that they stand on, which says the same and more.
func withoutWayTo(banners []views.Banner, path string) []views.Banner {
	var kept []views.Banner
	for _, b := range banners {
		if b.Href != path {
			kept = append(kept, b)
		}
	}
	return kept
}

// cameBack says what came of a visit to the payment service.
func (p *Portal) cameBack(r *http.Request, paid billing.Billing, page *views.Plan) {
	switch r.FormValue("checkout") {
	case "done":
		page.Confirmed = paid.Pays()
		page.Confirming = !page.Confirmed
	case "cancelled":
		page.Said = "Nothing was bought, and nothing is charged."
	}
}

func planGives(f frame, keys int) views.PlanGives {
	return views.PlanGives{
		Credits:  views.Meter{Label: "Credits of this period", Used: f.Balance.Spent + f.Balance.Held, Of: f.Balance.Granted},
		ResetsAt: f.Balance.ResetsAt, KeysUsed: int64(keys), Keys: int64(f.Account.Limits.Keys),
		RPM: int64(f.Account.Limits.RPM), Jobs: int64(f.Account.Limits.Jobs),
	}
}

// checkout leads to the page on which the plan is paid.
func (p *Portal) checkout(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	to, err := p.Billing.Checkout(r.Context(), v.Actor(), r.PostFormValue("plan"), billing.Month)
	if f := refused(err); f != nil && f.Code != fault.Forbidden {
		return p.showPlan(w, r, v, statusOf(f.Code), f.Message)
	}
	if err != nil {
		return err
	}
	return p.leave(w, r, to)
}

// flows of the payment service's pages that a form may ask for; any other opens their front page.
var flows = map[string]bool{"payment_method": true}

// payPortal leads to the payment service's pages for the card and the invoices.
func (p *Portal) payPortal(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	flow := r.PostFormValue("flow")
	if !flows[flow] {
		flow = ""
	}
	to, err := p.Billing.Portal(r.Context(), v.Actor(), flow)
	if f := refused(err); f != nil && f.Code != fault.Forbidden {
		return p.showPlan(w, r, v, statusOf(f.Code), f.Message)
	}
	if err != nil {
		return err
	}
	return p.leave(w, r, to)
}
