package quota

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Prepare makes the account's slot counter. It belongs in the transaction that makes the account.
func Prepare(ctx context.Context, tx pgx.Tx, account uuid.UUID) error {
	if _, err := tx.Exec(ctx, `INSERT INTO job_slot (account_id) VALUES (@account) ON CONFLICT DO NOTHING`,
		pgx.NamedArgs{"account": account}); err != nil {
		return fmt.Errorf("make job slots: %w", err)
	}
	return nil
}

// Open grants credits for one period, once: opening the same start again changes nothing and reports false.
func Open(ctx context.Context, db postgres.DB, account uuid.UUID, start, end time.Time, credits int64) (bool, error) {
	var opened bool
	err := db.QueryRow(ctx, `
		WITH made AS (
			INSERT INTO credit_period (account_id, period_start, period_end, granted)
			VALUES (@account, @start, @end, @credits)
			ON CONFLICT (account_id, period_start) DO NOTHING
			RETURNING account_id, period_start, granted
		), entry AS (
			INSERT INTO credit_entry (account_id, period_start, kind, amount)
			SELECT account_id, period_start, 'grant', granted FROM made
		)
		SELECT EXISTS (SELECT FROM made)`,
		pgx.NamedArgs{"account": account, "start": start, "end": end, "credits": credits},
	).Scan(&opened)
	if err != nil {
		return false, fmt.Errorf("open credit period: %w", err)
	}
	return opened, nil
}

// Renew opens the current month for every active operator-billed account that lacks it, and returns how many it
// opened. Running it twice opens nothing twice.
func Renew(ctx context.Context, db postgres.DB) (int64, error) {
	return renew(ctx, db, nil)
}

// RenewOne is Renew for one account.
func RenewOne(ctx context.Context, db postgres.DB, account uuid.UUID) error {
	_, err := renew(ctx, db, &account)
	return err
}

func renew(ctx context.Context, db postgres.DB, account *uuid.UUID) (int64, error) {
	var n int64
	err := db.QueryRow(ctx, `
		WITH due AS (
			SELECT a.id, a.period_anchor AS anchor, coalesce(a.credits_override, a.plan_credits) AS credits
			FROM account a
			WHERE a.billed_by = 'operator' AND a.state = 'active' AND a.suspended_at IS NULL AND (@account::uuid IS NULL OR a.id = @account)
			  AND NOT EXISTS (SELECT FROM credit_period p
			                  WHERE p.account_id = a.id AND p.period_start <= now() AND p.period_end > now())
		), made AS (
			INSERT INTO credit_period (account_id, period_start, period_end, granted)
			SELECT d.id, d.anchor + m.n * interval '1 month', d.anchor + (m.n + 1) * interval '1 month', d.credits
			FROM due d CROSS JOIN LATERAL (
				SELECT max(i) AS n
				FROM generate_series(0, (extract(epoch FROM now() - d.anchor) / 2419200)::integer + 1) i
				WHERE d.anchor + i * interval '1 month' <= now()
			) m
			WHERE m.n IS NOT NULL
			ON CONFLICT (account_id, period_start) DO NOTHING
			RETURNING account_id, period_start, granted
		), entries AS (
			INSERT INTO credit_entry (account_id, period_start, kind, amount)
			SELECT account_id, period_start, 'grant', granted FROM made
		)
		SELECT count(*) FROM made`,
		pgx.NamedArgs{"account": account},
	).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("renew credit periods: %w", err)
	}
	return n, nil
}

// SetGrant makes the current period grant credits in all, journalled as an adjustment. Credits already spent or held
// stay: a grant below them is refused with invalid_limit. Without a current period it does nothing.
func SetGrant(ctx context.Context, db postgres.DB, account uuid.UUID, credits int64) error {
	var inUse int64
	err := db.QueryRow(ctx, `
		WITH found AS (
			SELECT account_id, period_start, granted, spent + held AS in_use FROM credit_period
			WHERE account_id = @account AND period_start <= now() AND period_end > now()
			FOR UPDATE
		), changed AS (
			UPDATE credit_period p SET granted = @credits::bigint
			FROM found f
			WHERE p.account_id = f.account_id AND p.period_start = f.period_start
			  AND f.in_use <= @credits AND f.granted <> @credits
			RETURNING p.account_id, p.period_start, @credits - f.granted AS difference
		), entry AS (
			INSERT INTO credit_entry (account_id, period_start, kind, amount)
			SELECT account_id, period_start, 'adjust', difference FROM changed
		)
		SELECT coalesce(max(in_use), 0) FROM found`,
		pgx.NamedArgs{"account": account, "credits": credits},
	).Scan(&inUse)
	if err != nil {
		return fmt.Errorf("set grant: %w", err)
	}
	if inUse > credits {
		return fault.New(fault.InvalidLimit,
			"%d credits are already spent or held this period: grant at least that many.", inUse)
	}
	return nil
}
