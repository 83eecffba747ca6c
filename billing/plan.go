// Package billing holds the plan catalogue, which everything else reads. Payment through Stripe belongs here too.
package billing

import "veracity/account"

// Plan is what is sold. Name is also the lookup_key of its Stripe price.
type Plan struct {
	account.Plan
	// Cents is the price of a month in US cents.
	Cents int64
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
	for _, p := range c {
		if p.Name == name {
			return p.Plan, true
		}
	}
	return account.Plan{}, false
}

// Names lists the plans' names in the catalogue's order.
func (c Catalogue) Names() []string {
	names := make([]string, len(c))
	for i, p := range c {
		names[i] = p.Name
	}
	return names
}
