package quota

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// OpenPaid is [Open] for a period that was paid for and may meet others of the account: an earlier one ends where this
// one starts, and this one where a later one does, so that never two are open at once. What an earlier one had left lapses;
// its holds settle in it. A period of the same start is raised to credits instead, never lowered. It reports whether credits
// were granted. The caller has locked the account's row.
func OpenPaid(ctx context.Context, tx pgx.Tx, account uuid.UUID, start, end time.Time, credits int64) (bool, error) {
	_, err := tx.Exec(ctx, `
		UPDATE credit_period SET period_end = @start
		WHERE account_id = @account AND period_start < @start AND period_end > @start`,
		pgx.NamedArgs{"account": account, "start": start})
	if err != nil {
		return false, fmt.Errorf("end earlier credit period: %w", err)
	}
	var next *time.Time
	err = tx.QueryRow(ctx, `SELECT min(period_start) FROM credit_period WHERE account_id = @account AND period_start > @start`,
		pgx.NamedArgs{"account": account, "start": start}).Scan(&next)
	if err != nil {
		return false, fmt.Errorf("find later credit period: %w", err)
	}
	if next != nil && next.Before(end) {
		end = *next
	}
	opened, err := Open(ctx, tx, account, start, end, credits)
	if err != nil || opened {
		return opened, err
	}
	return Raise(ctx, tx, account, start, credits)
}

// Raise makes the period that starts at a time grant at least credits, journalled as an adjustment. One that grants as many
// stays as it is, so that raising it twice counts once. It reports whether it did anything.
func Raise(ctx context.Context, db postgres.DB, account uuid.UUID, start time.Time, credits int64) (bool, error) {
	var raised bool
	err := db.QueryRow(ctx, `
		WITH found AS (
			SELECT account_id, period_start, granted FROM credit_period
			WHERE account_id = @account AND period_start = @start
			FOR UPDATE
		), changed AS (
			UPDATE credit_period p SET granted = @credits::bigint
			FROM found f
			WHERE p.account_id = f.account_id AND p.period_start = f.period_start AND f.granted < @credits
			RETURNING p.account_id, p.period_start, @credits - f.granted AS difference
		), entry AS (
			INSERT INTO credit_entry (account_id, period_start, kind, amount)
			SELECT account_id, period_start, 'adjust', difference FROM changed
		)
		SELECT EXISTS (SELECT FROM changed)`,
		pgx.NamedArgs{"account": account, "start": start, "credits": credits},
	).Scan(&raised)
	if err != nil {
		return false, fmt.Errorf("raise grant: %w", err)
	}
	return raised, nil
}
