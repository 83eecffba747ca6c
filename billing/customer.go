package billing

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stripe/stripe-go/v79"
)

// customers are an account's in Stripe that are not deleted, the first first.
func (s *Service) customers(ctx context.Context, account uuid.UUID) ([]string, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT id FROM stripe_customer WHERE account_id = @account AND deleted_at IS NULL ORDER BY created_at, id`,
		pgx.NamedArgs{"account": account})
	if err != nil {
		return nil, fmt.Errorf("read customers of account: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read customers of account: %w", err)
	}
	return ids, nil
}

// accountOf finds the account of a customer that is known here.
func (s *Service) accountOf(ctx context.Context, customer string) (uuid.UUID, bool, error) {
	var account uuid.UUID
	err := s.DB.QueryRow(ctx, `SELECT account_id FROM stripe_customer WHERE id = @id`, pgx.NamedArgs{"id": customer}).Scan(&account)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, false, nil
	}
	if err != nil {
		return uuid.Nil, false, fmt.Errorf("find account of customer: %w", err)
	}
	return account, true, nil
}

// link ties a customer to an account, unless it is tied or there is no such account, and tells whether it is tied to it now.
func (s *Service) link(ctx context.Context, account uuid.UUID, customer string) (bool, error) {
	var linked bool
	err := s.DB.QueryRow(ctx, `
		WITH made AS (
			INSERT INTO stripe_customer (id, account_id) SELECT @customer, id FROM account WHERE id = @account
			ON CONFLICT (id) DO NOTHING RETURNING account_id
		)
		SELECT EXISTS (SELECT FROM made) OR EXISTS (SELECT FROM stripe_customer WHERE id = @customer AND account_id = @account)`,
		pgx.NamedArgs{"account": account, "customer": customer}).Scan(&linked)
	if err != nil {
		return false, fmt.Errorf("save customer of account: %w", err)
	}
	return linked, nil
}

// customer finds or makes an account's customer. Two requests at once, and one after a crash, make one: the key of the
// request is the account's, and Stripe answers its repetition with what it made first.
func (s *Service) customer(ctx context.Context, account uuid.UUID) (string, error) {
	var (
		email, name string
		gone        int
	)
	err := s.DB.QueryRow(ctx, `
		SELECT email, name, (SELECT count(*) FROM stripe_customer c WHERE c.account_id = a.id AND c.deleted_at IS NOT NULL)
		FROM account a WHERE id = @id`,
		pgx.NamedArgs{"id": account}).Scan(&email, &name, &gone)
	if err != nil {
		return "", fmt.Errorf("read account: %w", err)
	}
	known, err := s.customers(ctx, account)
	if err != nil {
		return "", err
	}
	if len(known) > 0 {
		return known[0], nil
	}
	made, err := s.stripe.customers.New(customerParams(ctx, account, email, name, gone, s.Now()))
	if err != nil {
		return "", failed("make customer", err)
	}
	linked, err := s.link(ctx, account, made.ID)
	if err == nil && !linked {
		err = fmt.Errorf("customer %s belongs to another account", made.ID)
	}
	return made.ID, err
}

// customerKey is how long requests for an account's customer are the same one. Stripe repeats what it said to the first,
// failures too.
const customerKey = 10 * time.Minute

// customerParams make the customer of an account that had gone others. The key covers what is sent, since Stripe refuses one
// that comes again with something else.
func customerParams(ctx context.Context, account uuid.UUID, email, name string, gone int, now time.Time) *stripe.CustomerParams {
	sum := sha256.Sum256([]byte(email + "\x00" + name))
	key := fmt.Sprintf("customer-%s-%d-%x-%d", account, gone, sum[:8], now.Unix()/int64(customerKey/time.Second))
	return &stripe.CustomerParams{
		Params: post(ctx, key), Email: stripe.String(email), Name: stripe.String(name),
		Metadata: map[string]string{metaAccount: account.String()},
	}
}

// ownerOf asks Stripe whose a customer is that nobody here knows: its metadata name the account, or the checkout that it
// came from does. False means that it is none of ours.
func (s *Service) ownerOf(ctx context.Context, customer, checkout string) (uuid.UUID, bool, error) {
	named, customer, err := s.named(ctx, customer, checkout)
	if err != nil {
		return uuid.Nil, false, err
	}
	account, err := uuid.Parse(named)
	if err != nil || customer == "" {
		return uuid.Nil, false, nil //nolint:nilerr // what names no account is none of ours
	}
	linked, err := s.link(ctx, account, customer)
	return account, linked, err
}

// named asks Stripe which account a checkout or a customer names, and who the customer is.
func (s *Service) named(ctx context.Context, customer, checkout string) (account, id string, err error) {
	if checkout != "" {
		found, err := s.stripe.checkouts.Get(checkout, &stripe.CheckoutSessionParams{Params: get(ctx)})
		if err != nil && !missing(err) {
			return "", "", fmt.Errorf("read checkout %s: %w", checkout, err)
		}
		if err == nil && found.Customer != nil && found.ClientReferenceID != "" {
			return found.ClientReferenceID, found.Customer.ID, nil
		}
	}
	if customer == "" {
		return "", "", nil
	}
	found, err := s.stripe.customers.Get(customer, &stripe.CustomerParams{Params: get(ctx)})
	if missing(err) {
		return "", customer, nil
	}
	if err != nil {
		return "", "", fmt.Errorf("read customer %s: %w", customer, err)
	}
	return found.Metadata[metaAccount], customer, nil
}
