package web

import (
	"net/http"

	"veracity/account"
	"veracity/account/access"
	"veracity/quota"
	"veracity/views"
)

// frame is what every page of an account shows around its content, with the account that it speaks of.
type frame struct {
	views.Shell
	Account account.Account
	Balance quota.Balance
}

// frame reads what stands around a page of the account. The flash, if any, is used up.
func (p *Portal) frame(r *http.Request, v *Visitor, title string) (frame, error) {
	acc, err := p.Accounts.Get(r.Context(), v.Account)
	if err != nil {
		return frame{}, err
	}
	balance, err := quota.Read(r.Context(), p.DB, v.Account)
	if err != nil {
		return frame{}, err
	}
	f := frame{Shell: p.shell(r, v, title), Account: acc, Balance: balance}
	f.Plan, f.AccountName = acc.Plan, acc.Name
	if r.URL.Path == settingsPath {
		acc.ClosesAt = nil // that page itself tells of the closing, with the button that keeps the account
	}
	f.Banners = p.banners(acc, balance, v)
	return f, nil
}

// shell is the frame of a page that belongs to a person and to no account.
func (p *Portal) shell(r *http.Request, v *Visitor, title string) views.Shell {
	s := views.Shell{
		Title: title, Path: r.URL.Path, Person: v.User.Name, Email: v.User.Email, Role: string(v.Role),
		Flash: p.sessions.PopString(r.Context(), sessionFlash), Operator: v.User.Operator,
		CanSpend: v.Actor().Can(access.Spend), CanSeeTrail: v.Actor().Can(access.SeeTrail), HasAccount: len(v.Accounts) > 0, Sold: p.cfg.Billing,
	}
	for _, a := range v.Accounts {
		s.Accounts = append(s.Accounts, views.ShellAccount{ID: a.ID.String(), Name: a.Name, Current: a.ID == v.Account})
		if a.ID == v.Account {
			s.AccountName = a.Name
		}
	}
	return s
}

// public is the frame of a page that anybody may see.
func (p *Portal) public(v *Visitor, title, path string) views.Public {
	return views.Public{Title: title, Path: path, SignedIn: v.SignedIn()}
}

// sharesOf100 are the shares of a period's credits that a banner tells of.
const (
	nearlyUsed = 80
	allUsed    = 100
)

// banners say what stands in the account's way, with the way out: for those who may not go it, whom to ask.
func (p *Portal) banners(acc account.Account, b quota.Balance, v *Visitor) []views.Banner {
	found := p.stateBanners(acc, v)
	if b.Granted <= 0 || acc.State != account.Active {
		return found
	}
	larger := views.Banner{At: b.ResetsAt}
	if v.Actor().Can(access.ManagePlan) {
		larger.Action, larger.Href = "See larger plans", p.plansAt()
	}
	switch used := (b.Spent + b.Held) * 100 / b.Granted; {
	case used >= allUsed:
		larger.Kind, larger.Text = "bad", "All credits of this period are used: checks and optimizations answer quota_exceeded until"
	case used >= nearlyUsed:
		larger.Kind, larger.Text = "warn", views.Count(used)+" % of this period's credits are used. The next ones come on"
	default:
		return found
	}
	return append(found, larger)
}

func (p *Portal) stateBanners(acc account.Account, v *Visitor) []views.Banner {
	var found []views.Banner
	if acc.ClosesAt != nil {
		closing := views.Banner{Kind: "bad", Text: "This account is being closed. Calls are refused, and all its data is deleted on", At: acc.ClosesAt}
		if v.Actor().Can(access.Close) {
			closing.Action, closing.Href = "Keep the account", settingsPath
		}
		found = append(found, closing)
	}
	var state views.Banner
	switch acc.State {
	case account.PlanRequired:
		state = views.Banner{
			Kind: "info", Text: "The plan “" + acc.Plan + "” has no API access: keys cannot be made, and calls answer plan_required.",
			Action: choosePlan, Href: p.plansAt(),
		}
	case account.PaymentFailed:
		state = views.Banner{
			Kind: "bad", Text: "The last payment failed. Until it is mended, calls answer payment_failed and no key can be made.",
			Action: mendPayment, Href: p.plansAt(),
		}
	case account.Suspended:
		return append(found, views.Banner{
			Kind: "bad", Text: "This account is suspended, and its calls are refused. " + p.askWhy(), Action: p.writeTo(), Href: p.supportLink(),
		})
	case account.Active, account.Closing:
		return found
	}
	if !v.Actor().Can(access.ManagePlan) {
		state.Text += " Ask an owner of the account, or who pays for it."
		state.Action, state.Href = "", ""
	}
	return append(found, state)
}
