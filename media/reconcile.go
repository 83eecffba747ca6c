package media

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// Stray is a hold without a live job, or a live job without its hold. There must never be one.
type Stray struct {
	Account uuid.UUID  `json:"account"`
	What    string     `json:"what"`
	Hold    *uuid.UUID `json:"hold,omitempty"`
	Job     *uuid.UUID `json:"job,omitempty"`
	// Credits is what the hold sets aside.
	Credits int64 `json:"credits"`
	// Slot tells whether it also takes one of the account's jobs at once.
	Slot bool `json:"slot"`
}

// Reconcile compares the holds that a job answers for with the jobs that are queued or running, and returns what does
// not match. It reads one snapshot and changes nothing: what a stray means is for a person to find out. Whether slots
// and balances match the holds is quota.Audit's question.
func Reconcile(ctx context.Context, db postgres.DB) ([]Stray, error) {
	rows, err := db.Query(ctx, `
		SELECT h.account_id, 'a hold without a live job', h.id, j.id, h.amount, h.slot
		FROM credit_hold h
		LEFT JOIN job j ON j.hold_id = h.id
		WHERE h.state = 'held' AND h.expires_at IS NULL
		  AND (j.id IS NULL OR j.status NOT IN ('queued', 'running'))
		UNION ALL
		SELECT j.account_id, 'a live job without its hold', h.id, j.id, h.amount, h.slot
		FROM job j
		JOIN credit_hold h ON h.id = j.hold_id
		WHERE j.status IN ('queued', 'running') AND h.state <> 'held'`)
	if err != nil {
		return nil, fmt.Errorf("reconcile holds and jobs: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Stray])
	if err != nil {
		return nil, fmt.Errorf("reconcile holds and jobs: %w", err)
	}
	return found, nil
}
