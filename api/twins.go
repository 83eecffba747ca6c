package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/fault"
	"veracity/platform/postgres"
)

const (
	// twinLease is how long a request under way owns its Idempotency-Key without a sign of life.
	twinLease = 30 * time.Second
	// twinWait is how long a twin waits for the first request's answer.
	twinWait = 60 * time.Second
	twinPoll = 100 * time.Millisecond
	// AnswersKept is how long a stored answer is replayed.
	AnswersKept = 24 * time.Hour
)

// twins keeps requests with the same Idempotency-Key apart, across processes, by a row each.
type twins struct {
	db  *pgxpool.Pool
	log *slog.Logger
}

// claim is the right to run a request under its key.
type claim struct {
	*twins
	account uuid.UUID
	key     string
	owner   uuid.UUID
}

// begin claims the key, or waits for the request that has it and returns its answer. Another request under the same
// key is idempotency_conflict.
func (t *twins) begin(ctx context.Context, account uuid.UUID, key string, hash []byte) (*claim, *answer, error) {
	c := &claim{twins: t, account: account, key: key, owner: uuid.New()}
	deadline := time.NewTimer(twinWait)
	defer deadline.Stop()
	for {
		claimed, err := c.take(ctx, hash)
		if err != nil || claimed {
			return c, nil, err
		}
		stored, err := c.look(ctx, hash)
		if err != nil || stored != nil {
			return nil, stored, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("wait for the first request: %w", ctx.Err())
		case <-deadline.C:
			return nil, nil, fault.New(fault.IdempotencyConflict, "The first request with this Idempotency-Key is still under way. Send it again later.")
		case <-time.After(twinPoll):
		}
	}
}

// take makes the row, or takes over one whose owner died or whose answer is too old to replay.
func (c *claim) take(ctx context.Context, hash []byte) (bool, error) {
	tag, err := c.db.Exec(ctx, `
		INSERT INTO idempotency AS i (account_id, key, request_hash, owner, locked_until)
		VALUES (@account, @key, @hash, @owner, now() + @lease::interval)
		ON CONFLICT (account_id, key) DO UPDATE
			SET request_hash = excluded.request_hash, owner = excluded.owner, locked_until = excluded.locked_until,
			    status = NULL, body = NULL, created_at = now()
			WHERE (i.status IS NULL AND i.locked_until < now() AND i.request_hash = excluded.request_hash)
			   OR (i.status IS NOT NULL AND i.created_at < now() - @kept::interval)`,
		pgx.NamedArgs{
			"account": c.account, "key": c.key, "hash": hash, "owner": c.owner, "lease": twinLease, "kept": AnswersKept,
		})
	if err != nil {
		return false, fmt.Errorf("claim idempotency key: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// look reads the row that is in the way: its answer, nil while there is none.
func (c *claim) look(ctx context.Context, hash []byte) (*answer, error) {
	var (
		first  []byte
		status *int
		body   []byte
	)
	err := c.db.QueryRow(ctx, `SELECT request_hash, status, body FROM idempotency WHERE account_id = @account AND key = @key`,
		pgx.NamedArgs{"account": c.account, "key": c.key}).Scan(&first, &status, &body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // the first request was refused and forgotten: the next turn claims the key
	}
	if err != nil {
		return nil, fmt.Errorf("read idempotency key: %w", err)
	}
	if !bytes.Equal(first, hash) {
		return nil, fault.New(fault.IdempotencyConflict, "This Idempotency-Key was sent with another request. Use a new key for a new request.")
	}
	if status == nil {
		return nil, nil //nolint:nilnil // still under way
	}
	return &answer{status: *status, body: body}, nil
}

// keepAlive renews the lease until the returned stop is called.
func (c *claim) keepAlive(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(twinLease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				c.renew(ctx)
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (c *claim) renew(ctx context.Context) {
	_, err := c.db.Exec(ctx, `
		UPDATE idempotency SET locked_until = now() + @lease::interval
		WHERE account_id = @account AND key = @key AND owner = @owner AND status IS NULL`,
		pgx.NamedArgs{"account": c.account, "key": c.key, "owner": c.owner, "lease": twinLease})
	if err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "renew idempotency lease", "account", c.account, "error", err)
	}
}

// errLeaseLost means that another request took the key over while this one was silent.
var errLeaseLost = errors.New("the idempotency key was taken over by a later request")

// save stores the answer inside the act's transaction, so that a charge and its answer stand or fall together.
func (c *claim) save(ctx context.Context, tx pgx.Tx, ans answer) error {
	return c.store(ctx, tx, ans)
}

// finish stores the answer of an act that had no transaction to store it in. Storing it again changes nothing.
func (c *claim) finish(ctx context.Context, ans answer) error {
	return c.store(ctx, c.db, ans)
}

func (c *claim) store(ctx context.Context, db postgres.DB, ans answer) error {
	tag, err := db.Exec(ctx, `
		UPDATE idempotency SET status = @status, body = @body
		WHERE account_id = @account AND key = @key AND owner = @owner`,
		pgx.NamedArgs{"account": c.account, "key": c.key, "owner": c.owner, "status": ans.status, "body": ans.body})
	if err != nil {
		return fmt.Errorf("store answer: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errLeaseLost
	}
	return nil
}

// forgetTimeout bounds the release of a key after the caller has gone.
const forgetTimeout = 5 * time.Second

// forget frees the key of a refused request, also when the caller has hung up. What it cannot free, the lease does.
func (c *claim) forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTimeout)
	defer cancel()
	_, err := c.db.Exec(ctx, `DELETE FROM idempotency WHERE account_id = @account AND key = @key AND owner = @owner AND status IS NULL`,
		pgx.NamedArgs{"account": c.account, "key": c.key, "owner": c.owner})
	if err != nil {
		c.log.WarnContext(ctx, "forget idempotency key", "account", c.account, "error", err)
	}
}

// ForgetAnswers removes stored answers that are too old to replay.
func ForgetAnswers(ctx context.Context, db postgres.DB) (int64, error) {
	tag, err := db.Exec(ctx, `DELETE FROM idempotency WHERE created_at < now() - @kept::interval`,
		pgx.NamedArgs{"kept": AnswersKept})
	if err != nil {
		return 0, fmt.Errorf("forget old answers: %w", err)
	}
	return tag.RowsAffected(), nil
}
