package billing

import (
	"context"
	"fmt"
	"strings"

	"github.com/stripe/stripe-go/v79"
)

// SetupReport says what a set-up changed in the Stripe account.
type SetupReport struct {
	// Changes are sentences; none when all was as it should be.
	Changes []string `json:"changes"`
	// Notes are what a person must know or do.
	Notes []string `json:"notes"`
	// WebhookSecret is the signing secret of an endpoint that was just made. Stripe shows it this once to us.
	WebhookSecret string `json:"webhook_secret,omitempty"`
}

func (r *SetupReport) changed(format string, args ...any) {
	r.Changes = append(r.Changes, fmt.Sprintf(format, args...))
}

// Setup makes the Stripe account ready: a product and a price for each plan that is sold, the portal, and the webhook
// endpoint, pinned to the API version that is spoken here. What is as it should be stays; run twice it changes nothing.
func (s *Service) Setup(ctx context.Context) (SetupReport, error) {
	report := SetupReport{Changes: []string{}, Notes: []string{}}
	for _, plan := range s.Plans {
		for _, interval := range []string{Month, Year} {
			if !plan.API || plan.Price(interval) <= 0 {
				continue
			}
			if err := s.setupPrice(ctx, plan, interval, &report); err != nil {
				return report, err
			}
		}
	}
	if err := s.setupPortal(ctx, &report); err != nil {
		return report, err
	}
	err := s.setupEndpoint(ctx, &report)
	return report, err
}

// productID is a plan's product in Stripe, which takes ids of ours.
func productID(plan string) string { return "veracity_" + plan }

// setupProduct makes sure of a plan's product.
func (s *Service) setupProduct(ctx context.Context, plan Plan, report *SetupReport) (string, error) {
	id, name := productID(plan.Name), "Veracity "+strings.ToUpper(plan.Name[:1])+plan.Name[1:]
	found, err := s.stripe.products.Get(id, &stripe.ProductParams{Params: get(ctx)})
	switch {
	case missing(err):
		if err := s.makeProduct(ctx, id, name, plan.Name); err != nil {
			return "", err
		}
		report.changed("made the product %s", id)
	case err != nil:
		return "", fmt.Errorf("read product of plan %s: %w", plan.Name, err)
	case !found.Active || found.Metadata[metaPlan] != plan.Name:
		if err := s.mendProduct(ctx, id, plan.Name); err != nil {
			return "", err
		}
		report.changed("updated the product %s", id)
	}
	return id, nil
}

func (s *Service) makeProduct(ctx context.Context, id, name, plan string) error {
	_, err := s.stripe.products.New(&stripe.ProductParams{
		Params: post(ctx, once()), ID: stripe.String(id), Name: stripe.String(name),
		Metadata: map[string]string{metaPlan: plan, metaOurs: "plan"},
	})
	if err != nil {
		return fmt.Errorf("make product of plan %s: %w", plan, err)
	}
	return nil
}

func (s *Service) mendProduct(ctx context.Context, id, plan string) error {
	_, err := s.stripe.products.Update(id, &stripe.ProductParams{
		Params: post(ctx, once()), Active: stripe.Bool(true), Metadata: map[string]string{metaPlan: plan, metaOurs: "plan"},
	})
	if err != nil {
		return fmt.Errorf("update product of plan %s: %w", plan, err)
	}
	return nil
}

// setupPrice makes sure of a plan's price. Prices cannot be changed: another amount is a new price that takes the lookup_key
// over; those who subscribed before keep theirs.
func (s *Service) setupPrice(ctx context.Context, plan Plan, interval string, report *SetupReport) error {
	product, err := s.setupProduct(ctx, plan, report)
	if err != nil {
		return err
	}
	key, cents := lookupKey(plan.Name, interval), plan.Price(interval)
	found, err := s.findPrice(ctx, key)
	if err != nil {
		return err
	}
	if found != nil && found.UnitAmount == cents && found.Currency == stripe.CurrencyUSD && found.Recurring != nil &&
		string(found.Recurring.Interval) == interval && found.Recurring.IntervalCount == 1 {
		return nil
	}
	made, err := s.makePrice(ctx, plan, interval, product)
	if err != nil {
		return err
	}
	report.changed("made the price %s (%s) of %d cents a %s", key, made, cents, interval)
	if found == nil {
		return nil
	}
	if err := s.retirePrice(ctx, found.ID); err != nil {
		return err
	}
	report.changed("retired the price %s; who subscribed at it keeps it", found.ID)
	return nil
}

func (s *Service) makePrice(ctx context.Context, plan Plan, interval, product string) (string, error) {
	made, err := s.stripe.prices.New(&stripe.PriceParams{
		Params: post(ctx, once()), Product: stripe.String(product),
		LookupKey: stripe.String(lookupKey(plan.Name, interval)), TransferLookupKey: stripe.Bool(true),
		Currency: stripe.String(string(stripe.CurrencyUSD)), UnitAmount: stripe.Int64(plan.Price(interval)),
		Recurring: &stripe.PriceRecurringParams{Interval: stripe.String(interval)},
		Metadata:  map[string]string{metaPlan: plan.Name},
	})
	if err != nil {
		return "", fmt.Errorf("make price of plan %s: %w", plan.Name, err)
	}
	return made.ID, nil
}

func (s *Service) retirePrice(ctx context.Context, id string) error {
	_, err := s.stripe.prices.Update(id, &stripe.PriceParams{Params: post(ctx, once()), Active: stripe.Bool(false)})
	if err != nil {
		return fmt.Errorf("retire price %s: %w", id, err)
	}
	return nil
}

// portalParams say what people may do on Stripe's pages. Plans are not changed there: a smaller plan would be paid back at
// once while its credits are spent.
func (s *Service) portalParams(ctx context.Context) *stripe.BillingPortalConfigurationParams {
	return &stripe.BillingPortalConfigurationParams{
		Params: post(ctx, once()),
		BusinessProfile: &stripe.BillingPortalConfigurationBusinessProfileParams{
			Headline: stripe.String("Veracity"),
		},
		DefaultReturnURL: stripe.String(s.cfg.BaseURL + PlanPath),
		Features: &stripe.BillingPortalConfigurationFeaturesParams{
			CustomerUpdate: &stripe.BillingPortalConfigurationFeaturesCustomerUpdateParams{
				Enabled:        stripe.Bool(true),
				AllowedUpdates: stripe.StringSlice([]string{"name", "address", "tax_id"}),
			},
			InvoiceHistory:      &stripe.BillingPortalConfigurationFeaturesInvoiceHistoryParams{Enabled: stripe.Bool(true)},
			PaymentMethodUpdate: &stripe.BillingPortalConfigurationFeaturesPaymentMethodUpdateParams{Enabled: stripe.Bool(true)},
			SubscriptionCancel: &stripe.BillingPortalConfigurationFeaturesSubscriptionCancelParams{
				Enabled: stripe.Bool(true), Mode: stripe.String("at_period_end"), ProrationBehavior: stripe.String("none"),
			},
			SubscriptionUpdate: &stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateParams{Enabled: stripe.Bool(false)},
		},
		Metadata: map[string]string{metaOurs: "portal"},
	}
}

func (s *Service) setupPortal(ctx context.Context, report *SetupReport) error {
	found, err := s.findPortal(ctx)
	if err != nil {
		return err
	}
	switch {
	case found == nil:
		_, err = s.stripe.portalConfigs.New(s.portalParams(ctx))
		report.changed("made the portal configuration")
	case s.portalFits(found):
		return nil
	default:
		_, err = s.stripe.portalConfigs.Update(found.ID, s.portalParams(ctx))
		report.changed("updated the portal configuration %s", found.ID)
	}
	if err != nil {
		return fmt.Errorf("set up portal: %w", err)
	}
	s.portal.forget()
	return nil
}

// portalFits tells whether a portal configuration is as Setup would make it.
func (s *Service) portalFits(found *stripe.BillingPortalConfiguration) bool {
	f := found.Features
	return found.DefaultReturnURL == s.cfg.BaseURL+PlanPath && f != nil &&
		f.CustomerUpdate != nil && f.CustomerUpdate.Enabled && len(f.CustomerUpdate.AllowedUpdates) == 3 &&
		f.InvoiceHistory != nil && f.InvoiceHistory.Enabled &&
		f.PaymentMethodUpdate != nil && f.PaymentMethodUpdate.Enabled &&
		f.SubscriptionCancel != nil && f.SubscriptionCancel.Enabled && f.SubscriptionCancel.Mode == "at_period_end" &&
		(f.SubscriptionUpdate == nil || !f.SubscriptionUpdate.Enabled)
}
