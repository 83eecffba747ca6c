// Package billing holds the plan catalogue, which everything else reads, and takes payments through Stripe: it sells
// subscriptions, takes events in, and makes accounts follow what Stripe says, whatever order, however often and however
// late its events come. Nothing outside this package and its sandbox knows Stripe's types.
package billing

import (
	"slices"
	"strings"

	"veracity/account"
)

// Plan is what is sold. Name is also the lookup_key of its monthly Stripe price, name-yearly that of the annual one.
type Plan struct {
	account.Plan
	// Cents is the price of a month in US cents; 0 is not sold.
	Cents int64
	// YearCents is the price of a year in US cents; 0 is not sold by the year.
	YearCents int64
}

// Price is what the plan costs in US cents at an interval, [Month] or [Year]; 0 is not sold.
func (p Plan) Price(interval string) int64 {
	switch interval {
	case Month:
		return p.Cents
	case Year:
		return p.YearCents
	}
	return 0
}

// Catalogue is the ordered list of plans, the smallest first.
type Catalogue []Plan

// Plans are the plans on offer.
func Plans() Catalogue {
	return Catalogue{
		{Plan: account.Plan{Name: "free"}},
		{Cents: 1_900, Plan: account.Plan{Name: "starter", API: true, Limits: account.Limits{Keys: 2, Credits: 1_000, RPM: 60, Jobs: 2}}},
		{Cents: 9_900, Plan: account.Plan{Name: "pro", API: true, Limits: account.Limits{Keys: 10, Credits: 10_000, RPM: 300, Jobs: 5}}},
		{Cents: 49_900, Plan: account.Plan{Name: "scale", API: true, Limits: account.Limits{Keys: 50, Credits: 75_000, RPM: 1_200, Jobs: 20}}},
	}
}

// Plan finds a plan by its name.
func (c Catalogue) Plan(name string) (account.Plan, bool) {
	p, ok := c.find(name)
	return p.Plan, ok
}

// Names lists the plans' names in the catalogue's order.
func (c Catalogue) Names() []string {
	names := make([]string, len(c))
	for i, p := range c {
		names[i] = p.Name
	}
	return names
}

func (c Catalogue) find(name string) (Plan, bool) {
	if i := c.rank(name); i >= 0 {
		return c[i], true
	}
	return Plan{}, false
}

// rank is a plan's place in the order, -1 of one that is not in it.
func (c Catalogue) rank(name string) int {
	return slices.IndexFunc(c, func(p Plan) bool { return p.Name == name })
}

// yearly ends the lookup_key of annual prices.
const yearly = "-yearly"

// lookupKey is how the price of a plan is found in Stripe.
func lookupKey(plan, interval string) string {
	if interval == Year {
		return plan + yearly
	}
	return plan
}

// sold finds the plan with API access that a lookup_key or a plan's metadata names; false where it is none of ours.
func (c Catalogue) sold(key string) (string, bool) {
	plan, ok := c.find(strings.TrimSuffix(key, yearly))
	return plan.Name, ok && plan.API
}
