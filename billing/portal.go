package billing

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stripe/stripe-go/v79"

	"veracity/account/access"
	"veracity/platform/fault"
)

// PlanPath is the page that people come back to from Stripe's, below the address of the portal.
const PlanPath = "/account/plan"

// The flows of [Service.Portal].
const (
	FlowPaymentMethod = "payment_method"
	FlowCancel        = "cancel"
)

// actTime bounds what a person waits for Stripe.
const actTime = 20 * time.Second

// Portal opens Stripe's pages for an account: its card, its invoices, its cancellation; with a flow it goes straight to that
// page. Plans are changed by [Service.ChangePlan] alone: Stripe's page would pay a smaller plan's difference back at once.
// The address works for some minutes, once. Refusals: forbidden, invalid_input, no_subscription, payment_service_unavailable.
func (s *Service) Portal(ctx context.Context, by access.Actor, flow string) (string, error) {
	if err := by.May(access.ManagePlan); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	known, err := s.customers(ctx, by.Account)
	if err != nil {
		return "", err
	}
	chosen, err := s.chosen(ctx, by.Account)
	if err != nil {
		return "", err
	}
	if len(known) == 0 || (flow == FlowCancel && chosen.id == "") {
		return "", noSubscription()
	}
	customer := known[0]
	if chosen.id != "" {
		customer = chosen.customer
	}
	data, err := flowData(flow, chosen.id, s.cfg.BaseURL+PlanPath)
	if err != nil {
		return "", err
	}
	return s.openPortal(ctx, customer, data)
}

func (s *Service) openPortal(ctx context.Context, customer string, flow *stripe.BillingPortalSessionFlowDataParams) (string, error) {
	configuration, err := s.portalConfiguration(ctx)
	if err != nil {
		return "", failed("find portal configuration", err)
	}
	opened, err := s.stripe.portals.New(&stripe.BillingPortalSessionParams{
		Params: post(ctx, once()), Customer: stripe.String(customer), Configuration: configuration,
		ReturnURL: stripe.String(s.cfg.BaseURL + PlanPath), FlowData: flow,
	})
	if err != nil {
		return "", failed("open portal", err)
	}
	return opened.URL, nil
}

func flowData(flow, subscription, back string) (*stripe.BillingPortalSessionFlowDataParams, error) {
	data := &stripe.BillingPortalSessionFlowDataParams{
		AfterCompletion: &stripe.BillingPortalSessionFlowDataAfterCompletionParams{
			Type:     stripe.String("redirect"),
			Redirect: &stripe.BillingPortalSessionFlowDataAfterCompletionRedirectParams{ReturnURL: stripe.String(back)},
		},
	}
	switch flow {
	case "":
		return nil, nil
	case FlowPaymentMethod:
		data.Type = stripe.String("payment_method_update")
	case FlowCancel:
		data.Type = stripe.String("subscription_cancel")
		data.SubscriptionCancel = &stripe.BillingPortalSessionFlowDataSubscriptionCancelParams{Subscription: stripe.String(subscription)}
	default:
		return nil, fault.New(fault.InvalidInput, "There is no page %.50q of the payment service.", flow)
	}
	return data, nil
}

func noSubscription() error {
	return fault.New(fault.NoSubscription, "The account has no paid plan. Choose one first.")
}

// portalCache keeps the id of the portal configuration, which changes only when somebody sets it up anew.
type portalCache struct {
	mu    sync.Mutex
	id    string
	until time.Time
}

// forget makes the next visit look for it anew.
func (c *portalCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Time{}
}

const portalCacheTime = 10 * time.Minute

// portalConfiguration finds the one that [Service.Setup] made; nil is the Stripe account's default.
func (s *Service) portalConfiguration(ctx context.Context) (*string, error) {
	s.portal.mu.Lock()
	defer s.portal.mu.Unlock()
	if time.Now().After(s.portal.until) {
		found, err := s.findPortal(ctx)
		if err != nil {
			return nil, err
		}
		s.portal.id, s.portal.until = "", time.Now().Add(portalCacheTime)
		if found != nil {
			s.portal.id = found.ID
		}
	}
	if s.portal.id == "" {
		return nil, nil
	}
	return stripe.String(s.portal.id), nil
}

// findPortal looks for our portal configuration; nil where there is none.
func (s *Service) findPortal(ctx context.Context) (*stripe.BillingPortalConfiguration, error) {
	list := s.stripe.portalConfigs.List(&stripe.BillingPortalConfigurationListParams{
		ListParams: page(ctx, maxPage, false), Active: stripe.Bool(true),
	})
	for list.Next() {
		if found := list.BillingPortalConfiguration(); found.Metadata[metaOurs] == "portal" {
			return found, nil
		}
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("list portal configurations: %w", err)
	}
	return nil, nil
}
