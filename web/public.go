package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"veracity/account/access"
	"veracity/views"
)

// Times are the durations that the guides tell of.
type Times struct {
	// Results stay readable this long after their job, and download links work.
	Results time.Duration
	// Ticket is how long an upload ticket works, Job how long a job may take from its start.
	Ticket, Job time.Duration
	// Attempt is how long a receiver of a webhook may take to answer, Retries the waits between attempts.
	Attempt time.Duration
	Retries []time.Duration
}

func (p *Portal) home(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	page := views.Home{Public: p.public(v, "Was it made by AI?", "/"), BaseURL: p.cfg.BaseURL, Plans: p.planCards(v, "")}
	page.Description = views.Summary
	return p.showPublic(w, r, views.HomePage(page))
}

func (p *Portal) pricing(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	plan, err := p.planOf(r, v)
	if err != nil {
		return err
	}
	page := views.Pricing{
		Public: p.public(v, "Pricing", "/pricing"), Plans: p.planCards(v, plan), Prices: p.creditPrices(),
		Billing: p.cfg.Billing, Support: p.cfg.SupportEmail, Results: views.Long(p.cfg.Times.Results),
	}
	if err := p.letBuy(w, r, v, page.Plans); err != nil {
		return err
	}
	page.Description = "Plans, credits and what each call costs. Calls that are refused or fail cost nothing."
	return p.showPublic(w, r, views.PricingPage(page))
}

// docs is the index of the guides, or the guide that the path names.
func (p *Portal) docs(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	key, err := p.keyStart(r, v)
	if err != nil {
		return err
	}
	page, err := p.docsOf(v, chi.URLParam(r, "page"))
	if err != nil {
		return err
	}
	page.KeyStart = key
	pointToText(w, page.Path)
	return p.showPublic(w, r, views.DocsPage(page))
}

// docsOf is the page of a guide, or of their index for an empty slug.
func (p *Portal) docsOf(v *Visitor, slug string) (views.Docs, error) {
	t := p.cfg.Times
	page := views.Docs{
		Public: p.public(v, "Docs", docsPath), BaseURL: p.cfg.BaseURL,
		Plans: p.planCards(v, ""), Prices: p.creditPrices(), Sold: p.cfg.Billing,
		Results: views.Long(t.Results), Ticket: views.Long(t.Ticket), Job: views.Long(t.Job), Attempt: views.Long(t.Attempt),
	}
	for _, wait := range t.Retries {
		page.Retries = append(page.Retries, views.Long(wait))
	}
	page.Description = "Guides to the API: from the first call to signatures, limits and errors."
	if slug != "" {
		guide, ok := views.FindGuide(slug)
		if !ok {
			return views.Docs{}, noPage()
		}
		page.Guide, page.Title, page.Path, page.Description = guide, guide.Title, guide.Href(), guide.Summary
	}
	return page, nil
}

// planOf is the plan of the visitor's account, or "".
func (p *Portal) planOf(r *http.Request, v *Visitor) (string, error) {
	if v.Account == uuid.Nil {
		return "", nil
	}
	acc, err := p.Accounts.Get(r.Context(), v.Account)
	if err != nil {
		return "", err
	}
	return acc.Plan, nil
}

// keyStart is the start of the newest key of the visitor's account, which lists of keys show as well, or "".
func (p *Portal) keyStart(r *http.Request, v *Visitor) (string, error) {
	if v.Account == uuid.Nil {
		return "", nil
	}
	keys, err := p.Accounts.ListKeys(r.Context(), v.Account)
	if err != nil || len(keys) == 0 {
		return "", err
	}
	return keys[len(keys)-1].Start, nil
}

// letBuy gives the price table the ways to the plans that the visitor's account can take.
func (p *Portal) letBuy(w http.ResponseWriter, r *http.Request, v *Visitor, cards []views.PlanCard) error {
	if !p.cfg.Billing || v.Account == uuid.Nil || !v.Actor().Can(access.ManagePlan) {
		return nil
	}
	paid, err := p.Billing.Read(r.Context(), v.Account)
	if err != nil {
		return err
	}
	for i, plan := range p.cfg.Plans {
		if o, ok := p.planOffer(paid, plan); ok {
			cards[i].Action, cards[i].Href, cards[i].Post, cards[i].Quiet = o.Action, o.Href, o.Post, o.Quiet
		}
	}
	p.letPay(w)
	return nil
}

// planCards are the plans of the catalogue, with the way to sign up for each where the visitor has not.
func (p *Portal) planCards(v *Visitor, current string) []views.PlanCard {
	cards := make([]views.PlanCard, len(p.cfg.Plans))
	for i, plan := range p.cfg.Plans {
		cards[i] = planCard(plan)
		cards[i].Current = plan.Name == current
		if !v.SignedIn() {
			cards[i].Action, cards[i].Href = "Sign up", "/signup?plan="+url.QueryEscape(plan.Name)
		}
	}
	return cards
}

// clipLength is the length, in seconds, of the clips that the price list counts.
const clipLength = 30

// creditPrices are the prices in words, and what a month of each plan pays for.
func (p *Portal) creditPrices() []views.CreditPrice {
	c := p.cfg.Prices
	rows := []struct {
		views.CreditPrice
		credits int64
	}{
		{views.CreditPrice{Call: "Image check", Price: views.Credits(c.ImageCheck)}, c.ImageCheck},
		{views.CreditPrice{Call: "Image optimization", Price: views.Credits(c.ImageOptimize)}, c.ImageOptimize},
		{views.CreditPrice{Call: "Video check", Price: views.CreditsPer(c.VideoCheck, c.VideoCheckSeconds)}, c.VideoCheckPrice(clipLength)},
		{views.CreditPrice{Call: "Video optimization", Price: views.CreditsPer(c.VideoOptimize, c.VideoOptimizeSeconds)}, c.VideoOptimizePrice(clipLength)},
		{views.CreditPrice{Call: "Voice check", Price: views.CreditsPer(c.VoiceCheck, c.VoiceCheckSeconds)}, c.VoiceCheckPrice(clipLength)},
	}
	shown := make([]views.CreditPrice, len(rows))
	for i, row := range rows {
		shown[i] = row.CreditPrice
		if i > 1 {
			shown[i].Example = "clips of " + views.Long(clipLength*time.Second)
		}
		for _, plan := range p.cfg.Plans {
			if plan.RPM > 0 {
				shown[i].Months = append(shown[i].Months, plan.Credits/row.credits)
			}
		}
	}
	return shown
}
