package billing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v79"

	"veracity/account"
)

// sub is a subscription as Stripe has it now, in our words.
type sub struct {
	id, customer, status string
	// plan is empty where its price is none of ours.
	plan        string
	every       string
	item        string
	start, end  time.Time
	cancelAt    *time.Time
	endedAt     *time.Time
	created     time.Time
	latest      string // id of the latest invoice
	latestState stripe.InvoiceStatus
	// renewal tells that the latest invoice is for another than the first period.
	renewal bool
	// cycle tells that it is for a new period as such, and not for a change.
	cycle bool
	// collects tells that Stripe collects its invoices by itself: they are neither sent to be paid nor held back.
	collects bool
	// waiting tells that a change of plan waits for its payment.
	waiting bool
}

// access is what a subscription gives at a time: Active, PaymentFailed or PlanRequired. Stripe calls a renewal that was not
// paid past_due or unpaid; an incomplete one is mostly a first payment that has not gone through.
func (s sub) access(now time.Time) account.State {
	if s.cancelAt != nil && !s.cancelAt.After(now) {
		return account.PlanRequired
	}
	switch s.status {
	case statusActive, statusTrialing:
		return account.Active
	case statusPastDue, statusUnpaid:
		return account.PaymentFailed
	case statusIncomplete:
		if s.renewal {
			return account.PaymentFailed
		}
	}
	return account.PlanRequired
}

// over tells that a subscription has ended for good.
func (s sub) over() bool {
	return s.status == statusCanceled || s.status == string(stripe.SubscriptionStatusIncompleteExpired)
}

// paidUp tells that nothing is owed for what the subscription is now.
func (s sub) paidUp() bool {
	return s.status == statusTrialing ||
		s.status == statusActive && (s.latestState == stripe.InvoiceStatusPaid || s.latest == "")
}

// choose finds the subscription that an account's plan follows: of those that give something the one that gives access, and
// of several the oldest. more counts how many give something, which should be one. Those from before since, when somebody
// else set the plan, do not count.
func choose(subs []sub, since, now time.Time) (chosen *sub, more int) {
	for i := range subs {
		s := &subs[i]
		state := s.access(now)
		// Stripe's times are whole seconds, so a purchase may seem up to a second older than it is.
		if state == account.PlanRequired || s.created.Add(time.Second).Before(since) {
			continue
		}
		more++
		if chosen == nil || better(*s, *chosen, now) {
			chosen = s
		}
	}
	return chosen, more
}

// better orders subscriptions that give something: access first, then age, then id.
func better(a, b sub, now time.Time) bool {
	if x, y := a.access(now) == account.Active, b.access(now) == account.Active; x != y {
		return x
	}
	if !a.created.Equal(b.created) {
		return a.created.Before(b.created)
	}
	return a.id < b.id
}

// subscriptions reads all subscriptions of a customer, ended ones too.
func (s *Service) subscriptions(ctx context.Context, customer string) ([]sub, error) {
	params := &stripe.SubscriptionListParams{
		ListParams: page(ctx, maxPage, false), Customer: stripe.String(customer), Status: stripe.String("all"),
	}
	params.AddExpand("data.latest_invoice")
	var subs []sub
	list := s.stripe.subscriptions.List(params)
	for list.Next() {
		found, err := s.read(ctx, list.Subscription())
		if err != nil {
			return nil, err
		}
		subs = append(subs, found)
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("read subscriptions of %s: %w", customer, err)
	}
	return subs, nil
}

// read puts a subscription into our words. Its plan is the one of its only item's price.
func (s *Service) read(ctx context.Context, from *stripe.Subscription) (sub, error) {
	out := sub{
		id: from.ID, status: string(from.Status), every: Month,
		start: moment(from.CurrentPeriodStart), end: moment(from.CurrentPeriodEnd),
		cancelAt: momentOr(from.CancelAt), endedAt: momentOr(from.EndedAt), created: moment(from.Created),
		waiting:  from.PendingUpdate != nil,
		collects: from.CollectionMethod != stripe.SubscriptionCollectionMethodSendInvoice && from.PauseCollection == nil,
	}
	if from.Customer != nil {
		out.customer = from.Customer.ID
	}
	if from.CancelAtPeriodEnd && (out.cancelAt == nil || out.cancelAt.After(out.end)) {
		out.cancelAt = &out.end
	}
	if inv := from.LatestInvoice; inv != nil {
		out.latest, out.latestState = inv.ID, inv.Status
		out.cycle = inv.BillingReason == stripe.InvoiceBillingReasonSubscriptionCycle
		out.renewal = inv.BillingReason != "" && inv.BillingReason != stripe.InvoiceBillingReasonSubscriptionCreate
	}
	if from.Items == nil || len(from.Items.Data) != 1 || from.Items.Data[0].Price == nil {
		return out, nil
	}
	item := from.Items.Data[0]
	out.item = item.ID
	if r := item.Price.Recurring; r != nil && r.Interval == stripe.PriceRecurringIntervalYear {
		out.every = Year
	}
	var err error
	out.plan, err = s.planOf(ctx, item.Price, out.access(s.Now()) != account.PlanRequired)
	return out, err
}

// planOf finds the plan of a price: by its lookup_key, by its own metadata (a price that another has taken the lookup_key
// from keeps that), and with ask by its product's. It is empty where none of them names one.
func (s *Service) planOf(ctx context.Context, p *stripe.Price, ask bool) (string, error) {
	if plan, ok := s.Plans.sold(p.LookupKey); ok {
		return plan, nil
	}
	if plan, ok := s.Plans.sold(p.Metadata[metaPlan]); ok {
		return plan, nil
	}
	if !ask || p.Product == nil {
		return "", nil
	}
	found, err := s.stripe.products.Get(p.Product.ID, &stripe.ProductParams{Params: get(ctx)})
	if missing(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read product of price %s: %w", p.ID, err)
	}
	plan, _ := s.Plans.sold(found.Metadata[metaPlan])
	return plan, nil
}

// Metadata that our objects in Stripe carry.
const (
	metaAccount = "account_id"
	metaPlan    = "plan"
	metaOurs    = "veracity"
)

// invoicesRead is how many paid invoices of a subscription are looked at: more than a year of months and changes.
const invoicesRead = 24

// payment is a stretch of time that an invoice was paid for, at a plan.
type payment struct {
	start, end time.Time
	plan       string
	every      string
	// part tells that it is the rest of a period, after a change of plan.
	part bool
}

// payments reads what a subscription was paid for, the earliest first.
func (s *Service) payments(ctx context.Context, of sub) ([]payment, error) {
	params := &stripe.InvoiceListParams{
		ListParams: page(ctx, invoicesRead, true), Subscription: stripe.String(of.id),
		Status: stripe.String(string(stripe.InvoiceStatusPaid)),
	}
	var found []payment
	list := s.stripe.invoices.List(params)
	for list.Next() {
		lines, err := s.lines(ctx, list.Invoice(), of.id)
		if err != nil {
			return nil, err
		}
		found = append(lines, found...)
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("read invoices of %s: %w", of.id, err)
	}
	return found, nil
}

// lines are the stretches that one paid invoice is for. What it gives back for a plan that was left does not count.
func (s *Service) lines(ctx context.Context, inv *stripe.Invoice, of string) ([]payment, error) {
	if inv.Status != stripe.InvoiceStatusPaid || inv.Lines == nil {
		return nil, nil
	}
	var found []payment
	for _, line := range inv.Lines.Data {
		if line.Price == nil || line.Price.Recurring == nil || line.Period == nil || line.Amount < 0 ||
			line.Period.End <= line.Period.Start || (line.Subscription != nil && line.Subscription.ID != of) {
			continue
		}
		plan, err := s.planOf(ctx, line.Price, true)
		if err != nil {
			return nil, err
		}
		if plan == "" {
			continue
		}
		every := Month
		if line.Price.Recurring.Interval == stripe.PriceRecurringIntervalYear {
			every = Year
		}
		found = append(found, payment{moment(line.Period.Start), moment(line.Period.End), plan, every, line.Proration})
	}
	return found, nil
}

// unknownPrice names prices whose plan nobody knows, for the log.
func unknownPrice(subs []sub) string {
	var ids []string
	for _, s := range subs {
		if s.plan == "" {
			ids = append(ids, s.id)
		}
	}
	return strings.Join(ids, ", ")
}
