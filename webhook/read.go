package webhook

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

// Get reads one delivery of the account with its attempts, the first one first. The refusal is not_found.
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
		SELECT number, started_at, ended_at, status, latency_ms, excerpt, error
		FROM delivery_attempt WHERE delivery_id = @id ORDER BY number`, pgx.NamedArgs{"id": id})
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

// Redeliver sends a delivery again, at once and with the whole schedule before it; one that waits for its next attempt
// makes that now. An attempt under way is the first of the new schedule. The same id and bytes are sent, so a receiver
// that has had it can tell. The refusal is not_found.
func (d *Deliveries) Redeliver(ctx context.Context, account, id uuid.UUID) error {
	return postgres.Tx(ctx, d.db, func(tx pgx.Tx) error {
		var running, queued bool
		err := tx.QueryRow(ctx, `
			SELECT attempting AND next_at > now(), state = 'pending' AND NOT attempting AND next_at <= now()
			FROM delivery WHERE id = @id AND account_id = @account FOR UPDATE`,
			pgx.NamedArgs{"id": id, "account": account}).Scan(&running, &queued)
		if errors.Is(err, pgx.ErrNoRows) {
			return unknown()
		}
		if err != nil {
			return fmt.Errorf("read delivery to reopen: %w", err)
		}
		if _, err := tx.Exec(ctx, `
			UPDATE delivery SET state = 'pending', step = 0, ended_at = NULL, attempting = @running,
			       next_at = CASE WHEN @running THEN next_at ELSE least(next_at, now()) END
			WHERE id = @id AND account_id = @account`,
			pgx.NamedArgs{"id": id, "account": account, "running": running}); err != nil {
			return fmt.Errorf("reopen delivery: %w", err)
		}
		// Whoever makes an attempt, or is woken to make it, goes on with the delivery.
		if running || queued {
			return nil
		}
		if err := d.queue.Insert(ctx, tx, Job{Delivery: id}); err != nil {
			return fmt.Errorf("queue delivery: %w", err)
		}
		return nil
	})
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
