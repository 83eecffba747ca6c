package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"veracity/platform/postgres"
	"veracity/platform/postgres/pgtest"
)

func insert(ctx context.Context, db postgres.DB, name string) error {
	_, err := db.Exec(ctx, "INSERT INTO item (name) VALUES ($1)", name)
	return err
}

func count(t *testing.T, pool *pgxpool.Pool) int {
	t.Helper()
	var n int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM item").Scan(&n))
	return n
}

func TestTxWritesAllOrNothing(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	require.NoError(t, postgres.Tx(t.Context(), pool, func(tx pgx.Tx) error {
		return errors.Join(insert(t.Context(), tx, "a"), insert(t.Context(), tx, "b"))
	}))
	require.Equal(t, 2, count(t, pool))

	refusal := errors.New("no")
	err := postgres.Tx(t.Context(), pool, func(tx pgx.Tx) error {
		require.NoError(t, insert(t.Context(), tx, "c"))
		return refusal
	})
	require.Same(t, refusal, err, "the function's error comes back unchanged")
	require.Equal(t, 2, count(t, pool))

	require.PanicsWithValue(t, "oh", func() {
		_ = postgres.Tx(t.Context(), pool, func(tx pgx.Tx) error {
			require.NoError(t, insert(t.Context(), tx, "d"))
			panic("oh")
		})
	})
	require.Equal(t, 2, count(t, pool))
	require.Zero(t, pool.Stat().AcquiredConns(), "a panic gives the connection back")
}

func TestTxWithinTxIsASavepoint(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	require.NoError(t, postgres.Tx(t.Context(), pool, func(tx pgx.Tx) error {
		require.NoError(t, insert(t.Context(), tx, "a"))
		err := postgres.Tx(t.Context(), tx, func(inner pgx.Tx) error { return insert(t.Context(), inner, "a") })
		require.True(t, postgres.IsUnique(err, "item_name_key"))
		return insert(t.Context(), tx, "b")
	}))
	require.Equal(t, 2, count(t, pool))
}

func TestTxThatSwallowsAnErrorDoesNotSeemToCommit(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	err := postgres.Tx(t.Context(), pool, func(tx pgx.Tx) error {
		require.NoError(t, insert(t.Context(), tx, "a"))
		require.Error(t, insert(t.Context(), tx, "a"))
		return nil
	})
	require.ErrorIs(t, err, pgx.ErrTxCommitRollback)
	require.ErrorContains(t, err, "commit transaction")
	require.Zero(t, count(t, pool))
}

func TestAbandonedTxKeepsTheConnection(t *testing.T) {
	t.Parallel()
	pool := reopen(t, pgtest.Database(t, items()), func(c *postgres.Config) { c.MaxConns = 1 })
	var before, after uint32
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&before))
	ctx, cancel := context.WithCancel(t.Context())
	err := postgres.Tx(ctx, pool, func(tx pgx.Tx) error {
		require.NoError(t, insert(ctx, tx, "a"))
		cancel()
		return ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&after))
	require.Equal(t, before, after)
	require.Zero(t, count(t, pool))
}

func TestTxRetryOutlivesADeadlock(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	require.NoError(t, insert(t.Context(), pool, "a"))
	require.NoError(t, insert(t.Context(), pool, "b"))
	// Both hold one row before either asks for the other's: a sure deadlock in the first round.
	var barrier sync.WaitGroup
	barrier.Add(2)
	transfer := func(from, to string) func() error {
		return func() error {
			first := true
			return postgres.TxRetry(t.Context(), pool, pgx.TxOptions{}, func(tx pgx.Tx) error {
				add := "UPDATE item SET amount = amount + 1 WHERE name = $1"
				if _, err := tx.Exec(t.Context(), add, from); err != nil {
					return err
				}
				if first {
					first = false
					barrier.Done()
					barrier.Wait()
				}
				_, err := tx.Exec(t.Context(), add, to)
				return err
			})
		}
	}
	var both errgroup.Group
	both.Go(transfer("a", "b"))
	both.Go(transfer("b", "a"))
	require.NoError(t, both.Wait())
	var sum int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT sum(amount) FROM item").Scan(&sum))
	require.Equal(t, 4, sum, "each was written once")
}

func TestTxRetryOutlivesSerializationConflicts(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	require.NoError(t, insert(t.Context(), pool, "a"))
	var barrier sync.WaitGroup
	barrier.Add(2)
	increment := func() error {
		first := true
		return postgres.TxRetry(t.Context(), pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
			var amount int
			if err := tx.QueryRow(t.Context(), "SELECT amount FROM item").Scan(&amount); err != nil {
				return err
			}
			if first {
				first = false
				barrier.Done()
				barrier.Wait()
			}
			_, err := tx.Exec(t.Context(), "UPDATE item SET amount = $1", amount+1)
			return err
		})
	}
	var both errgroup.Group
	both.Go(increment)
	both.Go(increment)
	require.NoError(t, both.Wait())
	var amount int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT amount FROM item").Scan(&amount))
	require.Equal(t, 2, amount)
}

func TestTxRetryRepeatsNothingElse(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	for name, test := range map[string]struct {
		err  error
		runs int
	}{
		"deadlock without end":       {&pgconn.PgError{Code: "40P01"}, 5},
		"conflict without end":       {&pgconn.PgError{Code: "40001"}, 5},
		"unique violation":           {&pgconn.PgError{Code: "23505"}, 1},
		"lost connection":            {&pgconn.PgError{Code: "08006"}, 1},
		"an error of the function's": {errors.New("no"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			err := postgres.TxRetry(t.Context(), pool, pgx.TxOptions{}, func(pgx.Tx) error {
				runs++
				return test.err
			})
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.runs, runs)
		})
	}
}

func TestTxRetryStopsWithItsContext(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	runs := 0
	err := postgres.TxRetry(ctx, pool, pgx.TxOptions{}, func(pgx.Tx) error {
		runs++
		cancel()
		return &pgconn.PgError{Code: "40001"}
	})
	require.Error(t, err)
	require.Equal(t, 1, runs)
}
