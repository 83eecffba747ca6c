package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"veracity/account"
	"veracity/account/access"
	"veracity/usage"
	"veracity/views"
)

// recentDays is how many days the overview draws.
const recentDays = 30

// overview shows how the account stands, and a newcomer what to do first.
func (p *Portal) overview(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	f, err := p.frame(r, v, "Overview")
	if err != nil {
		return err
	}
	from, to := lastDays(recentDays)
	days, err := usage.Counted(r.Context(), p.DB, v.Account, from, to)
	if err != nil {
		return err
	}
	page := views.Overview{
		Shell: f.Shell, State: string(f.Account.State), RPM: int64(f.Account.Limits.RPM), Keys: int64(f.Account.Limits.Keys),
		Credits:  views.Meter{Label: "Credits of this period", Used: f.Balance.Spent + f.Balance.Held, Of: f.Balance.Granted},
		ResetsAt: f.Balance.ResetsAt, Held: f.Balance.Held, Grant: f.Account.Limits.Credits,
		Chart: views.Chart{ID: "recent-chart", Title: "Requests and verdicts of the last 30 days", Days: chartDays(days)},
	}
	page.Called = slices.ContainsFunc(days, func(d usage.Day) bool { return d.Requests > 0 || d.Verdicts() > 0 })
	if !page.Called {
		if page.Steps, err = p.firstSteps(r.Context(), v, f.Account); err != nil {
			return err
		}
	}
	return p.show(w, r, http.StatusOK, views.OverviewPage(page))
}

// lastDays is the range of the last n days in UTC, today included.
func lastDays(n int) (from, to time.Time) {
	to = time.Now().UTC().Truncate(24 * time.Hour)
	return to.AddDate(0, 0, 1-n), to
}

func chartDays(days []usage.Day) []views.ChartDay {
	shown := make([]views.ChartDay, len(days))
	for i, d := range days {
		shown[i] = views.ChartDay{Day: d.Day, Requests: d.Requests, AI: d.AI, Real: d.Real, Uncertain: d.Uncertain, Unavailable: d.Unavailable}
	}
	return shown
}

// firstSteps are what a newcomer does until the first call is made, none once it is.
func (p *Portal) firstSteps(ctx context.Context, v *Visitor, acc account.Account) ([]views.Step, error) {
	called, err := usage.Called(ctx, p.DB, v.Account)
	if err != nil || called {
		return nil, err
	}
	keys, err := p.Accounts.ListKeys(ctx, v.Account)
	if err != nil {
		return nil, err
	}
	plan := views.Step{
		Label: "Choose a plan", Done: acc.State != account.PlanRequired,
		Text: "The API needs a paid plan. It sets how many credits a month you have.",
	}
	if v.Actor().Can(access.ManagePlan) {
		plan.Action, plan.Href = "Compare plans", p.plansAt()
	} else {
		plan.Text += " Ask an owner of the account to choose one."
	}
	key := views.Step{
		Label: "Make a key", Done: len(keys) > 0,
		Text: "Your server sends it with each call. It is shown once, so have a safe place for it ready.",
	}
	if v.Actor().Can(access.ManageKeys) {
		key.Action, key.Href = "Make a key", "/account/keys"
	} else {
		key.Text += " Ask an owner or a developer of the account to make one."
	}
	call := views.Step{
		Label: "Make the first call", Action: "Quickstart", Href: "/docs/quickstart",
		Text: "Send a picture and read the verdict. The quickstart has a command to copy.",
	}
	return []views.Step{plan, key, call}, nil
}
