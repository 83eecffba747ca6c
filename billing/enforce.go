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

// Enforce does what the clock brings about, without asking Stripe: cancelled plans that have run out end, and the months of
// paid years open. What it ends is compared with Stripe soon after.
func (s *Service) Enforce(ctx context.Context) error {
	now := s.Now()
	ended, err := s.Accounts.Ended(ctx, now)
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range ended {
		if err := s.end(ctx, id, now); err != nil {
			errs = append(errs, fmt.Errorf("end plan of account %s: %w", id, err))
		}
	}
	due, err := s.dueMonths(ctx, now)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, d := range due {
		if err := s.openMonths(ctx, d); err != nil {
			errs = append(errs, fmt.Errorf("open months of account %s: %w", d.account, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Service) end(ctx context.Context, id uuid.UUID, now time.Time) error {
	return postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error {
		done, err := s.Accounts.End(ctx, tx, id, now)
		if err != nil || !done {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE subscription SET chosen = false WHERE account_id = @account AND chosen`, pgx.NamedArgs{"account": id})
		if err != nil {
			return fmt.Errorf("leave ended subscription: %w", err)
		}
		return s.Queue.Insert(ctx, tx, SyncJob{Account: id})
	})
}

// dueYear is a paid year with a month that has begun and is not open.
type dueYear struct {
	account      uuid.UUID
	subscription string
	start        time.Time
}

// dueMonths finds them. An account that has left its subscription is granted nothing more.
func (s *Service) dueMonths(ctx context.Context, now time.Time) ([]dueYear, error) {
	rows, err := s.DB.Query(ctx, `
		SELECT p.account_id, p.subscription, p.period_start
		FROM paid_period p JOIN subscription s ON s.id = p.subscription AND s.account_id = p.account_id
		WHERE p.granted_to < p.period_end AND p.granted_to <= @now AND p.every = 'year' AND s.chosen`,
		pgx.NamedArgs{"now": now})
	if err != nil {
		return nil, fmt.Errorf("find months to open: %w", err)
	}
	due, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (dueYear, error) {
		var d dueYear
		err := row.Scan(&d.account, &d.subscription, &d.start)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("find months to open: %w", err)
	}
	return due, nil
}

func (s *Service) openMonths(ctx context.Context, d dueYear) error {
	return postgres.Tx(ctx, s.DB, func(tx pgx.Tx) error {
		t, err := lockTerms(ctx, tx, d.account)
		if err != nil {
			return err
		}
		periods, err := readPeriods(ctx, tx, d.account, d.subscription)
		if err != nil {
			return err
		}
		for _, p := range periods {
			if !p.start.Equal(d.start) {
				continue
			}
			if err := s.grantPeriod(ctx, tx, d.account, d.subscription, p, t); err != nil {
				return err
			}
		}
		return nil
	})
}
