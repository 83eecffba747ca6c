package billing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v79"
)

// WebhookPath is where Stripe sends its events, below the address of the portal.
const WebhookPath = "/webhooks/stripe"

// setupEndpoint makes sure of the webhook endpoint. Its version cannot be changed: one of another version is switched off and
// replaced. Stripe takes only https addresses that it can reach.
func (s *Service) setupEndpoint(ctx context.Context, report *SetupReport) error {
	address := s.cfg.BaseURL + WebhookPath
	if !strings.HasPrefix(address, "https://") {
		report.Notes = append(report.Notes, fmt.Sprintf("no webhook endpoint: Stripe sends events to https addresses alone, and VERACITY_BASE_URL is %s", s.cfg.BaseURL))
		return nil
	}
	found, others, err := s.findEndpoint(ctx, address)
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.Status == "disabled" {
			continue
		}
		if err := s.changeEndpoint(ctx, other.ID, false); err != nil {
			return err
		}
		report.changed("switched off the webhook endpoint %s, which speaks the version %q", other.ID, other.APIVersion)
	}
	switch {
	case found == nil:
		made, err := s.makeEndpoint(ctx, address)
		if err != nil {
			return err
		}
		report.changed("made the webhook endpoint %s at %s", made.ID, address)
		report.WebhookSecret = made.Secret
		report.Notes = append(report.Notes, "set VERACITY_STRIPE_WEBHOOK_SECRET to the endpoint's signing secret, and start the service anew")
	case !sameEvents(found.EnabledEvents) || found.Status == "disabled":
		if err := s.changeEndpoint(ctx, found.ID, true); err != nil {
			return err
		}
		report.changed("updated the webhook endpoint %s", found.ID)
	}
	return nil
}

func (s *Service) makeEndpoint(ctx context.Context, address string) (*stripe.WebhookEndpoint, error) {
	made, err := s.stripe.endpoints.New(&stripe.WebhookEndpointParams{
		Params: post(ctx, once()), URL: stripe.String(address), APIVersion: stripe.String(stripe.APIVersion),
		EnabledEvents: stripe.StringSlice(EventTypes()),
		Description:   stripe.String("Veracity"), Metadata: map[string]string{metaOurs: "webhook"},
	})
	if err != nil {
		return nil, fmt.Errorf("make webhook endpoint: %w", err)
	}
	return made, nil
}

// changeEndpoint switches an endpoint on, with the events that are wanted, or off.
func (s *Service) changeEndpoint(ctx context.Context, id string, on bool) error {
	params := &stripe.WebhookEndpointParams{Params: post(ctx, once()), Disabled: stripe.Bool(!on)}
	if on {
		params.EnabledEvents = stripe.StringSlice(EventTypes())
	}
	if _, err := s.stripe.endpoints.Update(id, params); err != nil {
		return fmt.Errorf("change webhook endpoint %s: %w", id, err)
	}
	return nil
}

// findEndpoint finds the endpoint at an address that speaks our version, and those there that speak another.
func (s *Service) findEndpoint(ctx context.Context, address string) (found *stripe.WebhookEndpoint, others []*stripe.WebhookEndpoint, err error) {
	list := s.stripe.endpoints.List(&stripe.WebhookEndpointListParams{ListParams: page(ctx, maxPage, false)})
	for list.Next() {
		e := list.WebhookEndpoint()
		switch {
		case e.URL != address:
		case e.APIVersion == stripe.APIVersion && found == nil:
			found = e
		default:
			others = append(others, e)
		}
	}
	if err := list.Err(); err != nil {
		return nil, nil, fmt.Errorf("list webhook endpoints: %w", err)
	}
	return found, others, nil
}

func sameEvents(have []string) bool {
	sorted := slices.Sorted(slices.Values(have))
	return slices.Equal(sorted, EventTypes())
}
