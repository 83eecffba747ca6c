package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"veracity/account/access"
	"veracity/billing"
)

// Billing is what the pages ask of payments.
type Billing interface {
	// Read tells how an account's plan stands, from our own rows.
	Read(ctx context.Context, account uuid.UUID) (billing.Billing, error)
	// Invoices asks the payment service for what was written and what comes next, nil where nothing does.
	Invoices(ctx context.Context, account uuid.UUID) ([]billing.Invoice, *billing.Invoice, error)
	// Checkout and Portal give the address of a page of the payment service.
	Checkout(ctx context.Context, by access.Actor, plan, interval string) (string, error)
	Portal(ctx context.Context, by access.Actor, flow string) (string, error)
	ChangePlan(ctx context.Context, by access.Actor, plan string) error
	Cancel(ctx context.Context, by access.Actor) error
	Resume(ctx context.Context, by access.Actor) error
	// What operators see and do: the events of the payment service, accounts that are to follow it now, and what is odd.
	Events(ctx context.Context, by access.Actor, f billing.EventFilter) ([]billing.Event, error)
	Event(ctx context.Context, by access.Actor, id string) (billing.Event, error)
	WorkAgain(ctx context.Context, by access.Actor, id string) error
	SyncOne(ctx context.Context, account uuid.UUID) (billing.SyncReport, error)
	Findings(ctx context.Context) ([]billing.Finding, error)
}

// planPath is the page of the plan.
const planPath = "/account/plan"

// plansAt is where plans are chosen and payments mended.
func (p *Portal) plansAt() string {
	if p.cfg.Billing {
		return planPath
	}
	return pricingPath
}

// letPay lets the forms of a page lead to the payment service: browsers hold form-action against redirects too.
func (p *Portal) letPay(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, "form-action 'self'", strings.Join(append([]string{"form-action 'self'"}, p.cfg.PayAt...), " "), 1))
}

// leave sends a visitor to a page of the payment service. The address comes from billing; one that is not at an origin of
// the settings is a fault of the set-up, which browsers would answer with a page that does nothing.
func (p *Portal) leave(w http.ResponseWriter, r *http.Request, to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("read address of the payment service: %w", err)
	}
	if origin := u.Scheme + "://" + u.Host; u.User != nil || !slices.Contains(p.cfg.PayAt, origin) {
		return fmt.Errorf("the payment service leads to %s, which is none of its origins %v", origin, p.cfg.PayAt)
	}
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // from billing, and at an origin of the settings alone
	return nil
}

// wantedPlan is the page of the plan with one that the visitor came for.
func wantedPlan(name string) string { return planPath + "?plan=" + url.QueryEscape(name) }
