package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
)

// AnyDelivery is a delivery of any account as the operator sees it, without what it carries.
type AnyDelivery struct {
	ID      uuid.UUID
	Account uuid.UUID
	// AccountName is the account's name, or its e-mail address where it has none.
	AccountName string
	Job         uuid.UUID
	URL         string
	State       State
	Attempts    int
	NextAt      *time.Time
	CreatedAt   time.Time
	EndedAt     *time.Time
	// LastStatus and LastError are what the last attempt came to; both are nil before the first has ended.
	LastStatus *int
	LastError  *string
}

// AnyDeliveryFilter chooses deliveries. Its zero value asks for the newest of all.
type AnyDeliveryFilter struct {
	// Account narrows to one account, State to one state.
	Account uuid.UUID
	State   State
	// Failing narrows to those given up and those whose first attempt has failed.
	Failing bool
	// Before and BeforeID page: deliveries from before that one of that time.
	Before   *time.Time
	BeforeID uuid.UUID
	// Limit is how many at most, 1 to 200; 0 means 50.
	Limit int
}

// Bounds of AnyDeliveryFilter.Limit.
const (
	anyDeliveries    = 50
	maxAnyDeliveries = 200
)

// AllDeliveries lists deliveries of all accounts, the newest first. Refusal: forbidden without the right
// [access.Operate].
func (d *Deliveries) AllDeliveries(ctx context.Context, by access.Actor, f AnyDeliveryFilter) ([]AnyDelivery, error) {
	if err := by.May(access.Operate); err != nil {
		return nil, err
	}
	if f.Limit <= 0 {
		f.Limit = anyDeliveries
	}
	where := `(@before::timestamptz IS NULL OR (d.created_at, d.id) < (@before, @before_id))`
	if f.Account != uuid.Nil {
		where += ` AND d.account_id = @account`
	}
	if f.State != "" {
		where += ` AND d.state = @state`
	}
	if f.Failing {
		// The first condition is the one of the index.
		where += ` AND d.state <> 'delivered' AND (d.state = 'given_up' OR d.step > 0)`
	}
	rows, err := d.db.Query(ctx, `
		SELECT d.id, d.account_id, coalesce(nullif(a.name, ''), a.email), d.job_id, d.url, d.state, d.attempts, d.next_at,
		       d.created_at, d.ended_at, t.status, t.error
		FROM delivery d
		JOIN account a ON a.id = d.account_id
		LEFT JOIN LATERAL (
			SELECT status, error FROM delivery_attempt
			WHERE delivery_id = d.id AND ended_at IS NOT NULL ORDER BY number DESC LIMIT 1
		) t ON true
		WHERE `+where+` ORDER BY d.created_at DESC, d.id DESC LIMIT @limit`,
		pgx.NamedArgs{
			"account": f.Account, "state": f.State, "before": f.Before, "before_id": f.BeforeID, "limit": min(f.Limit, maxAnyDeliveries),
		})
	if err != nil {
		return nil, fmt.Errorf("list deliveries of all accounts: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AnyDelivery])
	if err != nil {
		return nil, fmt.Errorf("list deliveries of all accounts: %w", err)
	}
	return found, nil
}
