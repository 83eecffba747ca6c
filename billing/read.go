package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v79"

	"veracity/platform/fault"
)

// Read tells how an account pays, from our own rows alone. Refusal: unknown_account.
func (s *Service) Read(ctx context.Context, account uuid.UUID) (Billing, error) {
	var b Billing
	err := s.DB.QueryRow(ctx, `
		SELECT plan, billed_by, EXISTS (SELECT FROM stripe_customer c WHERE c.account_id = a.id AND c.deleted_at IS NULL)
		FROM account a WHERE id = @id`,
		pgx.NamedArgs{"id": account}).Scan(&b.Plan, &b.BilledBy, &b.Customer)
	if errors.Is(err, pgx.ErrNoRows) {
		return Billing{}, fault.New(fault.UnknownAccount, "There is no account %s.", account)
	}
	if err != nil {
		return Billing{}, fmt.Errorf("read billing: %w", err)
	}
	of, err := s.chosen(ctx, account)
	if err != nil || of.id == "" || b.BilledBy != "stripe" {
		return b, err
	}
	b.Status, b.Interval, b.PeriodEnd, b.CancelAt = of.status, of.every, &of.end, of.cancelAt
	if of.plan != b.Plan && s.Plans.rank(of.plan) < s.Plans.rank(b.Plan) && of.plan != "" {
		b.PendingPlan = of.plan
	}
	return b, nil
}

// chosen reads the subscription that an account's plan follows, as it was last heard of; the zero sub where there is none.
func (s *Service) chosen(ctx context.Context, account uuid.UUID) (sub, error) {
	var of sub
	err := s.DB.QueryRow(ctx, `
		SELECT id, customer, status, plan, every, item, period_start, period_end, cancel_at, ended_at, created_at
		FROM subscription WHERE account_id = @account AND chosen`,
		pgx.NamedArgs{"account": account}).
		Scan(&of.id, &of.customer, &of.status, &of.plan, &of.every, &of.item, &of.start, &of.end, &of.cancelAt, &of.endedAt, &of.created)
	if errors.Is(err, pgx.ErrNoRows) {
		return sub{}, nil
	}
	if err != nil {
		return sub{}, fmt.Errorf("read subscription: %w", err)
	}
	return of, nil
}

const (
	// invoicesShown is how many invoices are listed: two years of months.
	invoicesShown = 24
	// invoicesTime bounds what a page waits for Stripe.
	invoicesTime = 5 * time.Second
)

// Invoices asks Stripe for an account's newest invoices, and for the one that comes next, nil where none does. Refusal:
// payment_service_unavailable, when Stripe does not answer within 5 s.
func (s *Service) Invoices(ctx context.Context, account uuid.UUID) ([]Invoice, *Invoice, error) {
	ctx, cancel := context.WithTimeout(ctx, invoicesTime)
	defer cancel()
	known, err := s.customers(ctx, account)
	if err != nil || len(known) == 0 {
		return nil, nil, err
	}
	of, err := s.chosen(ctx, account)
	if err != nil {
		return nil, nil, err
	}
	customer := known[0]
	if of.id != "" {
		customer = of.customer
	}
	invoices, err := s.listInvoices(ctx, customer)
	if err != nil {
		return nil, nil, err
	}
	next, err := s.upcoming(ctx, customer, of)
	return invoices, next, err
}

func (s *Service) listInvoices(ctx context.Context, customer string) ([]Invoice, error) {
	list := s.stripe.invoices.List(&stripe.InvoiceListParams{
		ListParams: page(ctx, invoicesShown, true), Customer: stripe.String(customer),
	})
	var invoices []Invoice
	for list.Next() {
		invoices = append(invoices, shown(list.Invoice()))
	}
	if err := list.Err(); err != nil && !missing(err) {
		return nil, failed("list invoices", err)
	}
	return invoices, nil
}

// upcoming is the next invoice of a subscription that goes on.
func (s *Service) upcoming(ctx context.Context, customer string, of sub) (*Invoice, error) {
	if of.id == "" || of.cancelAt != nil || of.over() {
		return nil, nil
	}
	found, err := s.stripe.invoices.Upcoming(&stripe.InvoiceUpcomingParams{
		Params: get(ctx), Customer: stripe.String(customer), Subscription: stripe.String(of.id),
	})
	if missing(err) || refusedRequest(err) {
		return nil, nil // nothing comes next
	}
	if err != nil {
		return nil, failed("read upcoming invoice", err)
	}
	next := shown(found)
	next.Status = "upcoming"
	return &next, nil
}

func shown(inv *stripe.Invoice) Invoice {
	return Invoice{
		ID: inv.ID, Number: inv.Number, Status: string(inv.Status), Currency: string(inv.Currency), Total: inv.Total,
		Due: inv.AmountRemaining, CreatedAt: moment(inv.Created), PaysAt: momentOr(inv.NextPaymentAttempt),
		Page: inv.HostedInvoiceURL, PDF: inv.InvoicePDF,
	}
}
