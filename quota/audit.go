package quota

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/postgres"
)

// Difference is a balance that the journal does not bear out. There must never be one.
type Difference struct {
	Account     uuid.UUID `json:"account"`
	PeriodStart time.Time `json:"period_start"`
	// What is granted, spent, held (credits) or jobs (count).
	What     string `json:"what"`
	Recorded int64  `json:"recorded"`
	Journal  int64  `json:"journal"`
}

// Audit recomputes balances from the journal, and job slots from the open holds, for one account or for all (nil), and
// returns what differs. Periods that ended more than two months ago are left out. It reads one snapshot, so it can
// run while credits move.
func Audit(ctx context.Context, db postgres.DB, account *uuid.UUID) ([]Difference, error) {
	rows, err := db.Query(ctx, `
		WITH journal AS (
			SELECT p.account_id, p.period_start, p.granted, p.spent, p.held,
			       coalesce(sum(e.amount) FILTER (WHERE e.kind IN ('grant', 'adjust')), 0)::bigint AS j_granted,
			       coalesce(sum(e.amount) FILTER (WHERE e.kind = 'capture'), 0)::bigint AS j_spent,
			       coalesce(sum(CASE e.kind WHEN 'hold' THEN e.amount
			                                WHEN 'capture' THEN -e.amount
			                                WHEN 'release' THEN -e.amount END), 0)::bigint AS j_held
			FROM credit_period p
			LEFT JOIN credit_entry e USING (account_id, period_start)
			WHERE p.period_end > now() - interval '2 months' AND (@account::uuid IS NULL OR p.account_id = @account)
			GROUP BY p.account_id, p.period_start
		)
		SELECT account_id, period_start, what, recorded, journal
		FROM journal CROSS JOIN LATERAL (
			VALUES ('granted', granted, j_granted), ('spent', spent, j_spent), ('held', held, j_held)
		) AS v (what, recorded, journal)
		WHERE recorded <> journal
		UNION ALL
		SELECT s.account_id, now(), 'jobs', s.jobs, count(h.id)
		FROM job_slot s
		LEFT JOIN credit_hold h ON h.account_id = s.account_id AND h.slot AND h.state = 'held'
		WHERE @account::uuid IS NULL OR s.account_id = @account
		GROUP BY s.account_id, s.jobs
		HAVING s.jobs <> count(h.id)`,
		pgx.NamedArgs{"account": account})
	if err != nil {
		return nil, fmt.Errorf("audit balances: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Difference])
	if err != nil {
		return nil, fmt.Errorf("audit balances: %w", err)
	}
	return found, nil
}
