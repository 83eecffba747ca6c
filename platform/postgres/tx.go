package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// rollbackTimeout is how long a rollback may take once the caller's context has ended.
	rollbackTimeout = 5 * time.Second
	// txAttempts is how often TxRetry runs its function at most.
	txAttempts = 5
	// txBackoff is the longest wait before the second attempt; each further attempt doubles it.
	txBackoff = 10 * time.Millisecond
)

// Beginner starts transactions: a pool, a connection, or a transaction, where the inner one is a savepoint.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Tx runs fn in one transaction: it commits when fn returns nil, and rolls back when fn returns an error, which comes
// back unchanged, or panics. An error of the commit itself means that the outcome is not known when the connection
// broke, and that nothing was written otherwise. fn must not talk to anything but the database.
func Tx(ctx context.Context, db Beginner, fn func(tx pgx.Tx) error) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	return finish(ctx, tx, fn)
}

// TxRetry is [Tx] with options, and runs fn again when PostgreSQL has undone the transaction to resolve a deadlock or
// a serialization conflict (SQLSTATE 40P01, 40001), at most 5 times. Those two alone are safe to repeat, since the
// server vouches that nothing was written; fn must start from nothing each time. A savepoint cannot be repeated by
// itself, hence the pool.
func TxRetry(ctx context.Context, pool *pgxpool.Pool, options pgx.TxOptions, fn func(tx pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := txOnce(ctx, pool, options, fn)
		if err == nil || !undone(err) || attempt == txAttempts {
			return err
		}
		// The full jitter keeps two rivals from meeting again in step.
		wait := time.NewTimer(rand.N(txBackoff << (attempt - 1))) //nolint:gosec // spreads retries, guards nothing
		select {
		case <-ctx.Done():
			wait.Stop()
			return err
		case <-wait.C:
		}
	}
}

func txOnce(ctx context.Context, pool *pgxpool.Pool, options pgx.TxOptions, fn func(tx pgx.Tx) error) error {
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	return finish(ctx, tx, fn)
}

// finish runs fn and commits. The deferred rollback does nothing after a commit, and is what undoes a panic.
func finish(ctx context.Context, tx pgx.Tx, fn func(tx pgx.Tx) error) error {
	defer rollback(ctx, tx)
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	return nil
}

// rollback outlives the caller's context, so that an abandoned request does not cost the connection as well. Its error
// says nothing new: pgx closes a connection that cannot roll back, and the server then does.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// undone tells whether the server rolled the transaction back in favour of another one.
func undone(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (refused.Code == codeDeadlock || refused.Code == codeSerialization)
}
