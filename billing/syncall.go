package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// withCustomer finds the accounts that the payment service knows and that were not compared since a time.
func (s *Service) withCustomer(ctx context.Context, since time.Time) ([]uuid.UUID, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT DISTINCT c.account_id FROM stripe_customer c LEFT JOIN billing_sync b ON b.account_id = c.account_id
		WHERE c.deleted_at IS NULL AND (b.synced_at IS NULL OR b.synced_at <= @since) ORDER BY c.account_id`,
		pgx.NamedArgs{"since": since})
	if err != nil {
		return nil, fmt.Errorf("find customers: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("find customers: %w", err)
	}
	return ids, nil
}

// allTime is later than any comparison.
var allTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// SyncAll compares all accounts with Stripe, one after the other, and mends what differs. What could not be compared does
// not keep the others; the error then says why.
func (s *Service) SyncAll(ctx context.Context) (SyncReport, error) {
	ids, err := s.withCustomer(ctx, allTime)
	if err != nil {
		return SyncReport{}, err
	}
	report := SyncReport{Changed: []uuid.UUID{}, Findings: []Finding{}}
	var errs []error
	for _, id := range ids {
		changed, err := s.syncPatiently(ctx, id)
		report.Accounts++
		switch {
		case err != nil:
			report.Failed++
			errs = append(errs, fmt.Errorf("account %s: %w", id, err))
		case changed:
			report.Changed = append(report.Changed, id)
		}
		if ctx.Err() != nil {
			return report, errors.Join(errs...)
		}
	}
	if report.Findings, err = s.Findings(ctx); err != nil {
		errs = append(errs, err)
	}
	return report, errors.Join(errs...)
}

// SyncOne is [Service.SyncAll] for one account.
func (s *Service) SyncOne(ctx context.Context, id uuid.UUID) (SyncReport, error) {
	report := SyncReport{Accounts: 1, Changed: []uuid.UUID{}, Findings: []Finding{}}
	changed, err := s.syncPatiently(ctx, id)
	if err != nil {
		report.Failed = 1
		return report, fmt.Errorf("account %s: %w", id, err)
	}
	if changed {
		report.Changed = append(report.Changed, id)
	}
	all, err := s.Findings(ctx)
	for _, f := range all {
		if f.Account == id {
			report.Findings = append(report.Findings, f)
		}
	}
	return report, err
}

// Patience with an account that another worker compares.
const (
	busyTries = 20
	busyPause = 500 * time.Millisecond
)

// syncPatiently waits for another worker that has the account.
func (s *Service) syncPatiently(ctx context.Context, id uuid.UUID) (changed bool, err error) {
	pause := time.NewTicker(busyPause)
	defer pause.Stop()
	for range busyTries {
		changed, err = s.syncOne(ctx, id)
		if !errors.Is(err, errBusy) && !errors.Is(err, errOvertaken) {
			return changed, err
		}
		select {
		case <-ctx.Done():
			return false, err
		case <-pause.C:
		}
	}
	return changed, err
}

// fresh is how long ago an account may have been compared for the hourly task to leave it.
const fresh = 45 * time.Minute

// QueueSync queues the comparison of all accounts that were not compared within the last 45 minutes, and returns how many.
func (s *Service) QueueSync(ctx context.Context) (int, error) {
	ids, err := s.withCustomer(ctx, time.Now().Add(-fresh))
	if err != nil {
		return 0, err
	}
	for i, id := range ids {
		err := postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error { return s.Queue.Insert(ctx, tx, SyncJob{Account: id}) })
		if err != nil {
			return i, fmt.Errorf("queue comparison of account %s: %w", id, err)
		}
	}
	return len(ids), nil
}

// Findings are what a person must look at: accounts with two subscriptions, prices whose plan nobody knows, customers that
// are not in this Stripe account, and events that were given up.
func (s *Service) Findings(ctx context.Context) ([]Finding, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT account_id, finding FROM billing_sync WHERE finding <> ''
		UNION ALL
		SELECT coalesce(account_id, '00000000-0000-0000-0000-000000000000'), 'given_up ' || type || ' ' || id FROM stripe_event WHERE state = 'given_up'
		ORDER BY 2, 1`)
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Finding])
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	if found == nil {
		found = []Finding{}
	}
	return found, nil
}
