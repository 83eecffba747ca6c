package web

import (
	"net/url"

	"veracity/billing"
	"veracity/views"
)

// Stripe's words for how a subscription stands (API 2024-06-20, Subscription.status).
const (
	active     = "active"
	trialing   = "trialing"
	pastDue    = "past_due"
	unpaid     = "unpaid"
	incomplete = "incomplete"
)

// planNow says in words how the plan stands, and what can be done about it.
func (p *Portal) planNow(paid billing.Billing) views.PlanNow {
	if !paid.Live() {
		return unpaidPlan(paid)
	}
	n := views.PlanNow{Cards: true, Cancel: paid.CancelAt == nil, Date: paid.PeriodEnd, DateLabel: "Renews", Price: p.priceOf(paid)}
	switch paid.Status {
	case active:
		n.Status, n.Kind, n.Text = "Active", "good", "It renews by itself, and your card is charged then."
	case trialing:
		n.Status, n.Kind, n.Text = "Trial", "good", "Nothing is charged until the trial ends. Then it renews by itself."
		n.DateLabel = "Trial ends"
	case pastDue, unpaid, incomplete:
		n.Status, n.Kind, n.Mend, n.Date = "Payment failed", "bad", true, nil
		n.Text = "The last payment failed. Until it is mended, calls answer payment_failed and no key can be made. Enter another card, and it is tried again at once."
	default:
		n.Status, n.Kind, n.Date = views.Capital(paid.Status), "warn", nil
		n.Text = "The payment service has the particulars."
	}
	switch {
	case paid.CancelAt != nil:
		n.Status, n.Kind, n.Resume, n.Mend = "Cancelled", "warn", true, false
		n.Date, n.DateLabel = paid.CancelAt, "Ends"
		n.Text = "It works until then, and nothing more is charged. After that calls answer plan_required; keys stay listed."
	case paid.PendingPlan != "":
		n.Next, n.DateLabel = paid.PendingPlan, "Changes"
		n.Text = "Until then nothing changes. From then on the smaller plan holds, at its price."
	}
	return n
}

// unpaidPlan is a plan that no subscription stands behind.
func unpaidPlan(paid billing.Billing) views.PlanNow {
	if paid.BilledBy == "operator" {
		return views.PlanNow{
			Status: "Set by the operator", Kind: "info", Cards: paid.Customer,
			Text: "Whoever runs this service set this plan, and nothing is charged for it here. A plan that you choose below takes its place.",
		}
	}
	return views.PlanNow{
		Status: "No API access", Kind: "info", Cards: paid.Customer,
		Text: "The account, its team and these pages are free. Keys and credits come with a paid plan.",
	}
}

func (p *Portal) priceOf(paid billing.Billing) string {
	if paid.Interval == billing.Year {
		return "Paid by the year"
	}
	if plan, ok := p.sold(paid.Plan); ok {
		return views.Dollars(plan.Cents) + " a month"
	}
	return ""
}

// sold is the plan of that name that can be bought.
func (p *Portal) sold(name string) (Plan, bool) {
	for _, plan := range p.cfg.Plans {
		if plan.Name == name && plan.Cents > 0 {
			return plan, true
		}
	}
	return Plan{}, false
}

// planOffers are the plans that the account can move to as things stand.
func (p *Portal) planOffers(paid billing.Billing, wanted string) []views.PlanOffer {
	var offers []views.PlanOffer
	for _, plan := range p.cfg.Plans {
		o, ok := p.planOffer(paid, plan)
		if !ok {
			continue
		}
		if o.Wanted = plan.Name == wanted; o.Wanted {
			offers = append([]views.PlanOffer{o}, offers...)
		} else {
			offers = append(offers, o)
		}
	}
	return offers
}

// planOffer is the way to a plan, and what happens on it; false where there is none: a failed payment is mended and a
// cancelled plan kept before anything is changed.
func (p *Portal) planOffer(paid billing.Billing, plan Plan) (views.PlanOffer, bool) {
	o := views.PlanOffer{PlanCard: planCard(plan)}
	if plan.Cents <= 0 {
		return o, false
	}
	if !paid.Live() {
		o.Action, o.Post = "Buy", planPath+"/checkout"
		o.Effect = "You pay on the page of the payment service. The plan begins as soon as the payment is confirmed."
		return o, true
	}
	if paid.CancelAt != nil || !paid.Pays() {
		return o, false
	}
	now, _ := p.sold(paid.Plan)
	o.Href = changePath(plan.Name)
	switch {
	case plan.Name == paid.PendingPlan:
		return o, false
	case plan.Name == paid.Plan && paid.PendingPlan == "":
		return o, false
	case plan.Name == paid.Plan:
		o.Action, o.Effect = "Stay on it", "The move to "+views.Capital(paid.PendingPlan)+" is dropped."
	case plan.Cents > now.Cents:
		o.Action, o.Effect = "Upgrade", "At once. The difference for the rest of the period is charged now."
	default:
		o.Action, o.Quiet, o.Effect, o.On = "Downgrade", true, "From the end of the period that is paid:", paid.PeriodEnd
	}
	return o, true
}

func changePath(plan string) string { return planPath + "/change?plan=" + url.QueryEscape(plan) }

// planCard is a plan as cards show it, without a way to it.
func planCard(plan Plan) views.PlanCard {
	return views.PlanCard{
		Name: plan.Name, Price: views.Dollars(plan.Cents), Credits: plan.Credits, RPM: int64(plan.RPM),
		Jobs: int64(plan.Jobs), Keys: int64(plan.Keys), API: plan.RPM > 0,
	}
}
