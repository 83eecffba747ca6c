package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/platform/fault"
)

// Delivery is one webhook as its owner sees it.
type Delivery struct {
	ID       uuid.UUID
	Job      uuid.UUID
	Key      uuid.UUID
	URL      string
	Payload  []byte
	State    State
	Attempts int
	// NextAt is when the next attempt is due, nil when nothing more is tried.
	NextAt    *time.Time
	CreatedAt time.Time
	EndedAt   *time.Time
}

// Attempted is one attempt at a delivery.
type Attempted struct {
	Number    int
	StartedAt time.Time
	// EndedAt is nil while the attempt runs, and for good when its worker died.
	EndedAt *time.Time
	// Status is the receiver's HTTP status, nil when it gave none; Error then says why.
	Status *int
	// LatencyMS is the time to the answer's headers in milliseconds, or to the error.
	LatencyMS *int
	// Excerpt is the first 1 KB of the answer.
	Excerpt []byte
	Error   *string
}

const columns = `id, job_id, key_id, url, payload, state, attempts, next_at, created_at, ended_at`

// List reads an account's newest deliveries, at most limit.
func (d *Deliveries) List(ctx context.Context, account uuid.UUID, limit int) ([]Delivery, error) {
	rows, err := d.db.Query(ctx, `
		SELECT `+columns+` FROM delivery WHERE account_id = @account ORDER BY created_at DESC, id DESC LIMIT @limit`,
		pgx.NamedArgs{"account": account, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Delivery])
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return found, nil
}

// shownAttempts is how many attempts are read at most: a delivery may be sent again without end.
const shownAttempts = 100

// Get reads one delivery of the account with its newest 100 attempts, the first one first. The refusal is not_found.
func (d *Deliveries) Get(ctx context.Context, account, id uuid.UUID) (Delivery, []Attempted, error) {
	rows, err := d.db.Query(ctx, `SELECT `+columns+` FROM delivery WHERE id = @id AND account_id = @account`,
		pgx.NamedArgs{"id": id, "account": account})
	if err != nil {
		return Delivery{}, nil, fmt.Errorf("read delivery: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Delivery])
	if errors.Is(err, pgx.ErrNoRows) {
		return Delivery{}, nil, unknown()
	}
	if err != nil {
		return Delivery{}, nil, fmt.Errorf("read delivery: %w", err)
	}
	rows, err = d.db.Query(ctx, `
		SELECT number, started_at, ended_at, status, latency_ms, excerpt, error FROM (
			SELECT number, started_at, ended_at, status, latency_ms, excerpt, error
			FROM delivery_attempt WHERE delivery_id = @id ORDER BY number DESC LIMIT @most
		) newest ORDER BY number`, pgx.NamedArgs{"id": id, "most": shownAttempts})
	if err != nil {
		return Delivery{}, nil, fmt.Errorf("read attempts: %w", err)
	}
	attempts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Attempted])
	if err != nil {
		return Delivery{}, nil, fmt.Errorf("read attempts: %w", err)
	}
	return found, attempts, nil
}

func unknown() error {
	return fault.New(fault.NotFound, "The account has no such delivery, or it is too old to be kept.")
}

// Overdue finds deliveries whose attempt has been due for longer than late: no queue knows of them any more, or their
// account has more of them than its share. The accounts take turns, so that one with many hides nobody else's.
func (d *Deliveries) Overdue(ctx context.Context, late time.Duration) ([]uuid.UUID, error) {
	rows, err := d.db.Query(ctx, `
		SELECT id FROM (
			SELECT id, next_at, row_number() OVER (PARTITION BY account_id ORDER BY next_at) AS turn
			FROM delivery WHERE state = 'pending' AND next_at < now() - @late::interval
		) overdue ORDER BY turn, next_at LIMIT 1000`,
		pgx.NamedArgs{"late": late})
	if err != nil {
		return nil, fmt.Errorf("find overdue deliveries: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("find overdue deliveries: %w", err)
	}
	return found, nil
}

// Forget removes the deliveries that are older than Config.Keep and returns how many there were.
func (d *Deliveries) Forget(ctx context.Context) (int64, error) {
	tag, err := d.db.Exec(ctx, `DELETE FROM delivery WHERE created_at < now() - @keep::interval AND state <> 'pending'`,
		pgx.NamedArgs{"keep": d.cfg.Keep})
	if err != nil {
		return 0, fmt.Errorf("forget deliveries: %w", err)
	}
	return tag.RowsAffected(), nil
}
