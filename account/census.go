package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
)

// Group is how many accounts are on a plan and in a state.
type Group struct {
	Plan     string
	State    State
	Accounts int64
}

// Census counts the accounts by plan and state. Refusal: forbidden without the right [access.Operate].
func (a *Accounts) Census(ctx context.Context, by access.Actor) ([]Group, error) {
	if err := by.May(access.Operate); err != nil {
		return nil, err
	}
	rows, err := a.DB.Query(ctx, `SELECT a.plan, `+accountState+` AS state, count(*) FROM account a GROUP BY 1, 2 ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("count accounts: %w", err)
	}
	groups, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Group])
	if err != nil {
		return nil, fmt.Errorf("count accounts: %w", err)
	}
	return groups, nil
}

// Names reads what accounts are called, by their ids, for lists that speak of many. An account without a name is called
// by its e-mail address; one that is gone is left out. Refusal: forbidden without the right [access.Operate].
func (a *Accounts) Names(ctx context.Context, by access.Actor, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if err := by.May(access.Operate); err != nil {
		return nil, err
	}
	names := map[uuid.UUID]string{}
	rows, err := a.DB.Query(ctx, `SELECT id, coalesce(nullif(name, ''), email) FROM account WHERE id = ANY (@ids)`,
		pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read names of accounts: %w", err)
	}
	var (
		id   uuid.UUID
		name string
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read names of accounts: %w", err)
	}
	return names, nil
}
