package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v79"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
)

// ChangePlan moves a subscription to another plan at its interval. A larger one holds at once, and its difference for the rest
// of the period is collected at once: until that is paid nothing changes. A smaller one holds from the next period on; what is
// paid for stays until then. Refusals: forbidden, unknown_plan, plan_unavailable (not sold so, the plan it has, one that ends,
// fails or already changes), no_subscription, payment_declined (the open invoice tells where it can be paid),
// payment_service_unavailable.
func (s *Service) ChangePlan(ctx context.Context, by access.Actor, plan string) error {
	of, err := s.begin(ctx, by)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	if err := s.onSale(plan, of.every); err != nil {
		return err
	}
	if err := changeable(of, plan, s); err != nil {
		return err
	}
	paid, err := s.paidPlan(ctx, by.Account, of)
	if err != nil {
		return err
	}
	if s.Plans.rank(plan) > s.Plans.rank(paid) {
		err = s.upgrade(ctx, of, paid, plan)
	} else {
		err = s.setPrice(ctx, of, plan)
	}
	s.after(ctx, by.Account, err)
	if err != nil {
		return err
	}
	return trail.Write(ctx, s.DB, by, "billing.plan_asked", plan, map[string]string{"from": paid, "to": plan})
}

// changeable refuses a change of plan that would not mean what the person wants.
func changeable(of sub, plan string, s *Service) error {
	switch {
	case of.cancelAt != nil:
		return fault.New(fault.PlanUnavailable, "The plan ends on %s. Keep it first, then change it.", of.cancelAt.Format("2 January 2006"))
	case of.access(s.Now()) != account.Active:
		return fault.New(fault.PlanUnavailable, "The last payment failed. Mend the payment first, then change the plan.")
	case of.waiting:
		return fault.New(fault.PlanUnavailable, "A change of plan waits for its payment. Pay the open invoice, or let it expire within a day.")
	case of.plan == plan:
		return fault.New(fault.PlanUnavailable, "The subscription is for the plan %q already.", plan)
	case of.item == "":
		return fault.New(fault.PlanUnavailable, "This subscription has terms of its own. Write to support to change it.")
	}
	return nil
}

// upgrade collects the difference at once. A smaller plan that was to follow is taken back first, so that what was paid for
// counts in full.
func (s *Service) upgrade(ctx context.Context, of sub, paid, plan string) error {
	if of.plan != paid {
		if err := s.setPrice(ctx, of, paid); err != nil {
			return err
		}
	}
	price, err := s.price(ctx, plan, of.every)
	if err != nil {
		return err
	}
	changed, err := s.stripe.subscriptions.Update(of.id, &stripe.SubscriptionParams{
		Params:            post(ctx, once()),
		Items:             []*stripe.SubscriptionItemsParams{{ID: stripe.String(of.item), Price: stripe.String(price)}},
		ProrationBehavior: stripe.String("always_invoice"),
		// Not paid means not changed: Stripe keeps the change for a day, until its invoice is paid.
		PaymentBehavior: stripe.String("pending_if_incomplete"),
	})
	if err != nil {
		return failed("upgrade subscription", err)
	}
	if changed.PendingUpdate != nil {
		return fault.New(fault.PaymentDeclined,
			"The bank did not take the payment, or wants you to confirm it. Pay the open invoice: the plan changes as soon as it is paid.")
	}
	return nil
}

// setPrice changes what the next period is for and what this one is called, and charges nothing.
func (s *Service) setPrice(ctx context.Context, of sub, plan string) error {
	price, err := s.price(ctx, plan, of.every)
	if err != nil {
		return err
	}
	_, err = s.stripe.subscriptions.Update(of.id, &stripe.SubscriptionParams{
		Params:            post(ctx, once()),
		Items:             []*stripe.SubscriptionItemsParams{{ID: stripe.String(of.item), Price: stripe.String(price)}},
		ProrationBehavior: stripe.String("none"),
	})
	if err != nil {
		return failed("change price of subscription", err)
	}
	return nil
}

// paidPlan is the plan that the running period was paid for, or the subscription's own where it is not paid.
func (s *Service) paidPlan(ctx context.Context, account uuid.UUID, of sub) (string, error) {
	var plan string
	err := s.DB.QueryRow(ctx, `
		SELECT plan FROM paid_period WHERE subscription = @id AND period_start = @start AND account_id = @account`,
		pgx.NamedArgs{"id": of.id, "start": of.start, "account": account}).Scan(&plan)
	if errors.Is(err, pgx.ErrNoRows) {
		return of.plan, nil
	}
	if err != nil {
		return "", fmt.Errorf("read paid period: %w", err)
	}
	return plan, nil
}

// Cancel ends the subscription with its period: all works until then. One whose payment failed ends at once, since nothing
// more is paid for. One that ends already is left as it is. Refusals: forbidden, no_subscription,
// payment_service_unavailable.
func (s *Service) Cancel(ctx context.Context, by access.Actor) error {
	of, err := s.begin(ctx, by)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	switch {
	case of.access(s.Now()) == account.PaymentFailed:
		err = s.cancelNow(ctx, of.id)
	case of.cancelAt != nil:
		return nil
	default:
		err = s.cancelAtEnd(ctx, of.id, true)
	}
	s.after(ctx, by.Account, err)
	if err != nil {
		return failed("cancel subscription", err)
	}
	return trail.Write(ctx, s.DB, by, "billing.cancelled", of.plan, map[string]string{"plan": of.plan})
}

// Resume takes a cancellation back while the plan still works. Refusals: forbidden, no_subscription,
// payment_service_unavailable.
func (s *Service) Resume(ctx context.Context, by access.Actor) error {
	of, err := s.begin(ctx, by)
	if err != nil {
		return err
	}
	if of.cancelAt == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	err = s.cancelAtEnd(ctx, of.id, false)
	s.after(ctx, by.Account, err)
	if err != nil {
		return failed("resume subscription", err)
	}
	return trail.Write(ctx, s.DB, by, "billing.resumed", of.plan, map[string]string{"plan": of.plan})
}

// begin finds the subscription that a person may act on, as Stripe has it now. Our own rows, which say which it is, follow
// Stripe first when they know of none.
func (s *Service) begin(ctx context.Context, by access.Actor) (sub, error) {
	if err := by.May(access.ManagePlan); err != nil {
		return sub{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	subs, err := s.everySubscription(ctx, by.Account)
	if err != nil {
		return sub{}, err
	}
	for try := range 2 {
		if try > 0 && len(subs) > 0 {
			s.refresh(ctx, by.Account)
		}
		ours, err := s.chosen(ctx, by.Account)
		if err != nil {
			return sub{}, err
		}
		for _, found := range subs {
			if found.id == ours.id && found.access(s.Now()) != account.PlanRequired {
				return found, nil
			}
		}
	}
	return sub{}, noSubscription()
}

// after makes our rows follow an act: at once, or by the queue where Stripe did not even take the act.
func (s *Service) after(ctx context.Context, id uuid.UUID, err error) {
	if err == nil || declined(err) || refusedRequest(err) || fault.CodeOf(err) == fault.PaymentDeclined {
		s.refresh(ctx, id)
		return
	}
	s.queueSync(ctx, id)
}
