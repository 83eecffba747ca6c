package web

import (
	"net/http"
	"time"

	"veracity/billing"
	"veracity/platform/fault"
	"veracity/views"
)

// changePlanForm says what moving to another plan does, and when, and asks.
func (p *Portal) changePlanForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.showChange(w, r, v, r.FormValue("plan"), http.StatusOK, "")
}

func (p *Portal) showChange(w http.ResponseWriter, r *http.Request, v *Visitor, name string, status int, wrong string) error {
	plan, ok := p.sold(name)
	if !ok {
		return noPage()
	}
	paid, err := p.Billing.Read(r.Context(), v.Account)
	if err != nil {
		return err
	}
	offer, ok := p.planOffer(paid, plan)
	switch {
	case ok && offer.Post == "":
	case wrong != "":
		return p.showPlan(w, r, v, status, wrong)
	default:
		return see(w, r, wantedPlan(name)) // which has the way that there is
	}
	f, err := p.frame(r, v, "Move to "+views.Capital(name)+"?")
	if err != nil {
		return err
	}
	page := views.PlanChange{
		Shell: f.Shell, Refused: wrong, Plan: name, Post: planPath + "/change", Act: "Move to " + views.Capital(name), Stay: "Stay on " + views.Capital(paid.Plan),
	}
	now, _ := p.sold(paid.Plan)
	switch {
	case name == paid.Plan:
		page.Title, page.Act, page.Stay = "Stay on "+views.Capital(name)+"?", "Stay on "+views.Capital(name), "Back"
		page.Effects = []views.PlanEffect{{Text: "The move to " + views.Capital(paid.PendingPlan) + " is dropped, and nothing changes."}}
	case plan.Cents > now.Cents:
		page.Effects = upgradeEffects(plan, paid)
	default:
		live, err := p.Accounts.ListKeys(r.Context(), v.Account)
		if err != nil {
			return err
		}
		page.Effects = downgradeEffects(plan, paid, len(live))
	}
	return p.show(w, r, status, views.PlanChangePage(page))
}

func gives(plan Plan) string {
	return views.Credits(plan.Credits) + " a month, " + views.Count(int64(plan.RPM)) + " requests a minute, " +
		views.Count(int64(plan.Jobs)) + " jobs at once and " + views.Count(int64(plan.Keys)) + " keys"
}

func upgradeEffects(plan Plan, paid billing.Billing) []views.PlanEffect {
	effects := []views.PlanEffect{
		{Text: "The account is on " + views.Capital(plan.Name) + " at once: " + gives(plan) + "."},
		{Text: "Your card is charged now for the difference in price, for the time that is left until", On: paid.PeriodEnd, Then: "."},
		{Text: "The credits of the running period rise to those of the new plan. What is spent stays spent."},
		{Text: "If the card is declined, nothing changes."},
	}
	if paid.Interval == billing.Month {
		effects = append(effects, views.PlanEffect{Text: "From the next period on it costs " + views.Dollars(plan.Cents) + " a month."})
	}
	return effects
}

func downgradeEffects(plan Plan, paid billing.Billing, keys int) []views.PlanEffect {
	effects := []views.PlanEffect{
		{Text: "Nothing changes, and nothing is charged, until", On: paid.PeriodEnd, Then: "."},
		{Text: "From then on the account is on " + views.Capital(plan.Name) + ": " + gives(plan) + "."},
		{Text: "Credits that are left then are not carried over."},
		{Text: "Until then you can still stay on " + views.Capital(paid.Plan) + "."},
	}
	if keys > plan.Keys {
		effects = append(effects, views.PlanEffect{Text: "The account has " + views.Count(int64(keys)) + " keys, and the smaller plan allows " +
			views.Count(int64(plan.Keys)) + ". They keep working, but none can be created until fewer are left."})
	}
	return effects
}

func (p *Portal) changePlan(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	name := r.PostFormValue("plan")
	before, err := p.Billing.Read(r.Context(), v.Account)
	if err != nil {
		return err
	}
	err = p.Billing.ChangePlan(r.Context(), v.Actor(), name)
	if f := refused(err); f != nil && f.Code != fault.Forbidden {
		return p.showChange(w, r, v, name, statusOf(f.Code), f.Message)
	}
	if err != nil {
		return err
	}
	p.flash(r, p.changeSaid(before, name))
	return see(w, r, planPath)
}

func (p *Portal) changeSaid(before billing.Billing, name string) string {
	from, _ := p.sold(before.Plan)
	to, _ := p.sold(name)
	switch {
	case to.Name == from.Name:
		return "The account stays on " + views.Capital(name) + "."
	case to.Cents > from.Cents:
		return "The account moves to " + views.Capital(name) + ". Its limits and credits hold within a few seconds."
	case before.PeriodEnd != nil:
		return "The account moves to " + views.Capital(name) + " on " + dayOf(*before.PeriodEnd) + "."
	}
	return "The account moves to " + views.Capital(name) + " at the end of the period."
}

func dayOf(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// cancelPlanForm says what cancelling does, and asks.
func (p *Portal) cancelPlanForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.showCancel(w, r, v, http.StatusOK, "")
}

func (p *Portal) showCancel(w http.ResponseWriter, r *http.Request, v *Visitor, status int, wrong string) error {
	paid, err := p.Billing.Read(r.Context(), v.Account)
	if err != nil {
		return err
	}
	switch {
	case p.planNow(paid).Cancel:
	case wrong != "":
		return p.showPlan(w, r, v, status, wrong)
	default:
		return see(w, r, planPath)
	}
	f, err := p.frame(r, v, "Cancel the plan "+views.Capital(paid.Plan)+"?")
	if err != nil {
		return err
	}
	return p.show(w, r, status, views.PlanChangePage(views.PlanChange{
		Shell: f.Shell, Refused: wrong, Post: planPath + "/cancel", Act: "Cancel the plan", Stay: "Keep it", Bad: true,
		Effects: cancelEffects(paid),
	}))
}

// cancelEffects differ where the running period is not paid: there is nothing to keep until its end.
func cancelEffects(paid billing.Billing) []views.PlanEffect {
	effects := []views.PlanEffect{
		{Text: "Nothing more is charged. The plan works until", On: paid.PeriodEnd, Then: "."},
		{Text: "After that the account is on the free plan: calls answer plan_required, keys stay listed, and credits that are left are gone."},
		{Text: "Until then you can change your mind, and later you can choose a plan again."},
	}
	if !paid.Pays() {
		effects = []views.PlanEffect{
			{Text: "The plan ends at once, since its last payment failed. Nothing more is charged."},
			{Text: "The account is on the free plan then: calls answer plan_required, and keys stay listed."},
			{Text: "You can choose a plan again at any time."},
		}
	}
	return append(effects, views.PlanEffect{Text: "Jobs under way go on to their end, and results stay readable as long as they are kept."})
}

func (p *Portal) cancelPlan(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	err := p.Billing.Cancel(r.Context(), v.Actor())
	if f := refused(err); f != nil && f.Code != fault.Forbidden {
		return p.showCancel(w, r, v, statusOf(f.Code), f.Message)
	}
	if err != nil {
		return err
	}
	p.flash(r, "The plan is cancelled. Nothing more is charged.")
	return see(w, r, planPath)
}

// resumePlanForm says what keeping a cancelled plan costs, and asks.
func (p *Portal) resumePlanForm(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return p.showResume(w, r, v, http.StatusOK, "")
}

func (p *Portal) showResume(w http.ResponseWriter, r *http.Request, v *Visitor, status int, wrong string) error {
	paid, err := p.Billing.Read(r.Context(), v.Account)
	if err != nil {
		return err
	}
	now := p.planNow(paid)
	switch {
	case now.Resume:
	case wrong != "":
		return p.showPlan(w, r, v, status, wrong)
	default:
		return see(w, r, planPath)
	}
	f, err := p.frame(r, v, "Keep the plan "+views.Capital(paid.Plan)+"?")
	if err != nil {
		return err
	}
	goesOn := views.PlanEffect{Text: "The plan goes on, and your card is charged for the next period on", On: paid.CancelAt, Then: "."}
	if paid.Interval == billing.Month && now.Price != "" {
		goesOn.Text = "The plan goes on. Your card is charged " + now.Price + ", next on"
	}
	return p.show(w, r, status, views.PlanChangePage(views.PlanChange{
		Shell: f.Shell, Refused: wrong, Post: planPath + "/resume", Act: "Keep the plan", Stay: "Let it end",
		Effects: []views.PlanEffect{goesOn, {Text: "Nothing is charged before that, and you can cancel again at any time."}},
	}))
}

func (p *Portal) resumePlan(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	err := p.Billing.Resume(r.Context(), v.Actor())
	if f := refused(err); f != nil && f.Code != fault.Forbidden {
		return p.showResume(w, r, v, statusOf(f.Code), f.Message)
	}
	if err != nil {
		return err
	}
	p.flash(r, "The plan goes on.")
	return see(w, r, planPath)
}
