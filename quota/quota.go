// Package quota keeps what an account may use: credits (periods, holds and the journal behind them), requests a minute
// and jobs at once. Every limit is enforced by one guarded statement, never by counting and then writing. It knows
// neither plans nor payments, and nothing of what credits buy.
package quota

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

// Balance is an account's credits in its current period.
type Balance struct {
	Granted   int64 `json:"granted"`
	Held      int64 `json:"held"`
	Spent     int64 `json:"spent"`
	Available int64 `json:"available"`
	// ResetsAt is the end of the period, when what is left lapses; nil when no period is open.
	ResetsAt *time.Time `json:"resets_at"`
}

// Exceeded is the stable detail of quota_exceeded (API contract, "Stable detail shapes").
type Exceeded struct {
	Required  int64     `json:"required"`
	Available int64     `json:"available"`
	ResetsAt  time.Time `json:"resets_at"`
}

// Read gives the account's balance, all zero when no period is open.
func Read(ctx context.Context, db postgres.DB, account uuid.UUID) (Balance, error) {
	var b Balance
	err := db.QueryRow(ctx, `
		SELECT granted, held, spent, granted - spent - held, period_end
		FROM credit_period
		WHERE account_id = @account AND period_start <= now() AND period_end > now()
		ORDER BY period_start DESC LIMIT 1`,
		pgx.NamedArgs{"account": account},
	).Scan(&b.Granted, &b.Held, &b.Spent, &b.Available, &b.ResetsAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return Balance{}, nil
	}
	if err != nil {
		return Balance{}, fmt.Errorf("read balance: %w", err)
	}
	utc := b.ResetsAt.UTC()
	b.ResetsAt = &utc
	return b, nil
}

func exceeded(required int64, b Balance) *fault.Fault {
	detail := Exceeded{Required: required, Available: b.Available}
	if b.ResetsAt == nil {
		detail.ResetsAt = time.Now().UTC().Truncate(time.Second)
		return fault.New(fault.QuotaExceeded,
			"This call needs %d credits, but no paid period is open on the account. Renew the plan to get credits.", required,
		).WithDetail(detail)
	}
	detail.ResetsAt = *b.ResetsAt
	return fault.New(fault.QuotaExceeded,
		"This call needs %d credits and %d are left until %s. Wait for the next period or move to a larger plan.",
		required, b.Available, b.ResetsAt.Format(time.RFC3339),
	).WithDetail(detail)
}
