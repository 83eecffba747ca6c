package billing

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/stripe/stripe-go/v79"
)

// tend does what an account's subscription needs and nobody asks for, and reports whether Stripe must be asked anew: the
// subscription of an account that its owner is closing is not renewed, and a renewal is collected at once.
func (s *Service) tend(ctx context.Context, of sub, closing bool) (again bool, err error) {
	if closing && of.cancelAt == nil {
		if err := s.cancelAtEnd(ctx, of.id, true); err != nil {
			return false, err
		}
		return true, nil
	}
	if of.cycle && of.collects && of.latestState == stripe.InvoiceStatusDraft {
		return s.collect(ctx, of)
	}
	return false, nil
}

// collect ends the hour for which Stripe leaves a renewal's invoice a draft, in which the account would be between two paid
// periods, without credits. What the bank says of it comes back as the subscription's state.
func (s *Service) collect(ctx context.Context, of sub) (bool, error) {
	_, err := s.stripe.invoices.FinalizeInvoice(of.latest, &stripe.InvoiceFinalizeInvoiceParams{
		Params: post(ctx, once()), AutoAdvance: stripe.Bool(true),
	})
	if err == nil {
		_, err = s.stripe.invoices.Pay(of.latest, &stripe.InvoicePayParams{Params: post(ctx, once())})
	}
	if err == nil || declined(err) {
		return true, nil
	}
	if refusedRequest(err) || missing(err) {
		// Stripe collects it by itself soon, or has just done so.
		s.Log.WarnContext(ctx, "collect a renewal early", "subscription", of.id, "invoice", of.latest, "error", err)
		return false, nil
	}
	return false, fmt.Errorf("collect renewal %s: %w", of.latest, err)
}

// cancelAtEnd says whether a subscription ends with its period.
func (s *Service) cancelAtEnd(ctx context.Context, id string, on bool) error {
	_, err := s.stripe.subscriptions.Update(id, &stripe.SubscriptionParams{
		Params: post(ctx, once()), CancelAtPeriodEnd: stripe.Bool(on),
	})
	if err != nil {
		return fmt.Errorf("set whether subscription %s ends: %w", id, err)
	}
	return nil
}

// cancelNow ends a subscription at once; nothing is charged or paid back.
func (s *Service) cancelNow(ctx context.Context, id string) error {
	_, err := s.stripe.subscriptions.Cancel(id, &stripe.SubscriptionCancelParams{Params: post(ctx, once())})
	if err != nil {
		return fmt.Errorf("cancel subscription %s: %w", id, err)
	}
	return nil
}

// Forget ends an account's subscriptions at once, before the account is deleted with what is known of them. Nothing is
// charged or paid back. It may be called twice.
func (s *Service) Forget(ctx context.Context, account uuid.UUID) error {
	known, err := s.customers(ctx, account)
	if err != nil {
		return err
	}
	for _, customer := range known {
		subs, err := s.subscriptions(ctx, customer)
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, of := range subs {
			if of.over() {
				continue
			}
			if err := s.cancelNow(ctx, of.id); err != nil && !missing(err) {
				return err
			}
		}
	}
	return nil
}
