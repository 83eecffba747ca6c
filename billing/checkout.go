package billing

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v79"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Checkout opens the page on which a plan is bought, at an interval, [Month] or [Year]. The person comes back to
// [PlanPath]?checkout=done&plan=… or ?checkout=cancelled. Refusals: forbidden, unknown_plan, plan_unavailable (not sold so, or
// the account is suspended or being closed), subscription_exists, payment_service_unavailable.
func (s *Service) Checkout(ctx context.Context, by access.Actor, plan, interval string) (string, error) {
	if err := by.May(access.ManagePlan); err != nil {
		return "", err
	}
	if err := s.onSale(plan, interval); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	if err := s.mayBuy(ctx, by.Account); err != nil {
		return "", err
	}
	customer, first, err := s.buyer(ctx, by.Account)
	if err != nil {
		return "", err
	}
	price, err := s.price(ctx, plan, interval)
	if err != nil {
		return "", err
	}
	opened, err := s.stripe.checkouts.New(s.checkoutParams(ctx, by.Account, customer, price, plan, first))
	if err != nil {
		return "", failed("open checkout", err)
	}
	return opened.URL, trail.Write(ctx, s.DB, by, "billing.checkout", plan, map[string]string{"plan": plan, "interval": interval})
}

// onSale refuses a plan that is not sold at an interval.
func (s *Service) onSale(plan, interval string) error {
	found, ok := s.Plans.find(plan)
	if !ok {
		return fault.New(fault.UnknownPlan, "There is no plan %.50q.", plan)
	}
	if !found.API || found.Price(interval) <= 0 {
		return fault.New(fault.PlanUnavailable, "The plan %q is not sold by the %.20s. Choose another.", plan, interval)
	}
	return nil
}

func (s *Service) mayBuy(ctx context.Context, id uuid.UUID) error {
	acc, err := s.Accounts.Get(ctx, id)
	if err != nil {
		return err
	}
	if acc.State == account.Suspended {
		return fault.New(fault.PlanUnavailable, "The account is suspended. Write to support before you buy a plan.")
	}
	if acc.State == account.Closing {
		return fault.New(fault.PlanUnavailable, "The account is being closed. Keep it first, then buy a plan.")
	}
	return nil
}

// buyer finds or makes the customer who buys, and refuses one who has a subscription that lives. first tells that the account
// never had one.
func (s *Service) buyer(ctx context.Context, id uuid.UUID) (customer string, first bool, err error) {
	subs, err := s.everySubscription(ctx, id)
	if err != nil {
		return "", false, err
	}
	if _, live := choose(subs, time.Time{}, s.Now()); live > 0 {
		// Our own rows may not know yet.
		s.refresh(ctx, id)
		return "", false, fault.New(fault.SubscriptionExists, "The account has a paid plan already. Change it in place of buying another.")
	}
	if customer, err = s.customer(ctx, id); err != nil {
		return "", false, err
	}
	err = s.DB.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM subscription WHERE account_id = @id)`, pgx.NamedArgs{"id": id}).Scan(&first)
	if err != nil {
		return "", false, fmt.Errorf("look for earlier subscriptions: %w", err)
	}
	return customer, first && len(subs) == 0, nil
}

// everySubscription reads the subscriptions of all of an account's customers. A customer that is gone does not stand in the
// way of a purchase.
func (s *Service) everySubscription(ctx context.Context, id uuid.UUID) ([]sub, error) {
	known, err := s.customers(ctx, id)
	if err != nil {
		return nil, err
	}
	var all []sub
	for _, customer := range known {
		subs, deleted, unknown, err := s.possessions(ctx, customer)
		if err != nil {
			return nil, failed("read subscriptions", err)
		}
		if deleted || unknown {
			if err := saveDeleted(ctx, s.DB, id, []string{customer}); err != nil {
				return nil, err
			}
		}
		all = append(all, subs...)
	}
	return all, nil
}

// price finds what a plan costs in Stripe by its lookup_key.
func (s *Service) price(ctx context.Context, plan, interval string) (string, error) {
	found, err := s.findPrice(ctx, lookupKey(plan, interval))
	if err != nil {
		return "", failed("find price", err)
	}
	if found == nil {
		return "", fault.Wrap(fmt.Errorf("stripe has no active price with the lookup_key %q: run veracity billing setup", lookupKey(plan, interval)),
			fault.PaymentServiceUnavailable, "The plan %q cannot be bought just now. We have been told.", plan)
	}
	return found.ID, nil
}

// findPrice is nil where no active price has the key.
func (s *Service) findPrice(ctx context.Context, key string) (*stripe.Price, error) {
	list := s.stripe.prices.List(&stripe.PriceListParams{
		ListParams: page(ctx, 1, true), LookupKeys: []*string{stripe.String(key)}, Active: stripe.Bool(true),
	})
	if list.Next() {
		return list.Price(), nil
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("list prices: %w", err)
	}
	return nil, nil
}

// checkoutTime is how long a checkout stays open: an hour, so that a forgotten tab does not buy a second plan tomorrow.
const checkoutTime = time.Hour

func (s *Service) checkoutParams(ctx context.Context, id uuid.UUID, customer, price, plan string, first bool) *stripe.CheckoutSessionParams {
	back := s.cfg.BaseURL + PlanPath
	params := &stripe.CheckoutSessionParams{
		Params: post(ctx, once()), Mode: stripe.String("subscription"), Customer: stripe.String(customer),
		ClientReferenceID: stripe.String(id.String()),
		LineItems:         []*stripe.CheckoutSessionLineItemParams{{Price: stripe.String(price), Quantity: stripe.Int64(1)}},
		SuccessURL:        stripe.String(back + "?checkout=done&plan=" + url.QueryEscape(plan)),
		CancelURL:         stripe.String(back + "?checkout=cancelled"),
		ExpiresAt:         stripe.Int64(s.Now().Add(checkoutTime).Unix()),
		SubscriptionData: &stripe.CheckoutSessionSubscriptionDataParams{
			Metadata: map[string]string{metaAccount: id.String()},
		},
	}
	if first && s.cfg.TrialDays > 0 {
		params.SubscriptionData.TrialPeriodDays = stripe.Int64(int64(s.cfg.TrialDays))
	}
	if s.cfg.TaxIDs {
		params.TaxIDCollection = &stripe.CheckoutSessionTaxIDCollectionParams{Enabled: stripe.Bool(true)}
		// Without leave to change the customer, Stripe refuses to ask for a tax id of one that exists.
		params.CustomerUpdate = &stripe.CheckoutSessionCustomerUpdateParams{Name: stripe.String("auto"), Address: stripe.String("auto")}
		params.BillingAddressCollection = stripe.String("required")
	}
	return params
}

// refreshTime bounds how long an act waits for our own rows to follow it.
const refreshTime = 10 * time.Second

// refresh makes our rows follow what a person has just done. What cannot be done at once is left to the queue.
func (s *Service) refresh(ctx context.Context, id uuid.UUID) {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTime)
	defer cancel()
	_, err := s.syncOne(short, id)
	if err == nil {
		return
	}
	if !errors.Is(err, errBusy) && !errors.Is(err, errOvertaken) {
		s.Log.WarnContext(ctx, "compare an account with Stripe; the queue will", "account", id, "error", err)
	}
	s.queueSync(ctx, id)
}

// queueSync leaves the comparison of an account to the queue.
func (s *Service) queueSync(ctx context.Context, id uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error { return s.Queue.Insert(ctx, tx, SyncJob{Account: id}) })
	if err != nil {
		s.Log.ErrorContext(ctx, "queue the comparison of an account with Stripe; the hourly one will see to it", "account", id, "error", err)
	}
}
