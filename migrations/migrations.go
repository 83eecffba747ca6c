// Package migrations holds the schema: our SQL under goose and River's own under rivermigrate, moved by one Up and
// compared by one Check, under one advisory lock so that machines that start together do not race. Migrations only
// expand; what goes away goes a release later. No query of the product lives here.
package migrations

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed sql/*.sql
var files embed.FS

// lockID is the advisory lock that every schema change holds. The number only has to be ours.
const lockID = 7_305_221_907

// ErrBehind says that the database's schema is older than this binary.
var ErrBehind = errors.New("the database schema is older than this program: run `veracity migrate up`")

// Step is one migration and whether the database has it.
type Step struct {
	Name    string `json:"name"`
	Applied bool   `json:"applied"`
}

// Up brings the schema to this binary's version. Running it again changes nothing.
func Up(ctx context.Context, pool *pgxpool.Pool) error {
	return locked(ctx, pool, func(p *goose.Provider, r *rivermigrate.Migrator[pgx.Tx]) error {
		if _, err := p.Up(ctx); err != nil {
			return fmt.Errorf("migrate schema: %w", err)
		}
		if _, err := r.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("migrate river schema: %w", err)
		}
		return nil
	})
}

// Down takes back the newest of our migrations. River's schema stays.
func Down(ctx context.Context, pool *pgxpool.Pool) error {
	return locked(ctx, pool, func(p *goose.Provider, _ *rivermigrate.Migrator[pgx.Tx]) error {
		if _, err := p.Down(ctx); err != nil && !errors.Is(err, goose.ErrNoNextVersion) {
			return fmt.Errorf("migrate schema down: %w", err)
		}
		return nil
	})
}

// Check returns [ErrBehind] when a migration of this binary is missing in the database.
func Check(ctx context.Context, pool *pgxpool.Pool) error {
	steps, err := Status(ctx, pool)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if !s.Applied {
			return ErrBehind
		}
	}
	return nil
}

// Status lists our migrations in order and, as one step, River's schema.
func Status(ctx context.Context, pool *pgxpool.Pool) ([]Step, error) {
	p, r, done, err := open(pool)
	if err != nil {
		return nil, err
	}
	defer done()

	states, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read schema version: %w", err)
	}
	steps := make([]Step, 0, len(states)+1)
	for _, s := range states {
		steps = append(steps, Step{Name: s.Source.Path, Applied: s.State == goose.StateApplied})
	}
	valid, err := r.Validate(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("read river schema version: %w", err)
	}
	return append(steps, Step{Name: "river", Applied: valid.OK}), nil
}

func locked(ctx context.Context, pool *pgxpool.Pool, act func(*goose.Provider, *rivermigrate.Migrator[pgx.Tx]) error) error {
	pool, err := patient(ctx, pool)
	if err != nil {
		return err
	}
	defer pool.Close()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(lockID)); err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	// A cancelled ctx must not leave the lock on a pooled connection.
	defer func() { _, _ = conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(lockID)) }()

	p, r, done, err := open(pool)
	if err != nil {
		return err
	}
	defer done()
	return act(p, r)
}

// patient is a pool like the given one without its time-outs: a migration may take long, and waits for another's lock.
func patient(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Pool, error) {
	cfg := pool.Config()
	for _, limit := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		cfg.ConnConfig.RuntimeParams[limit] = "0"
	}
	cfg.MaxConns = 4
	own, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to migrate: %w", err)
	}
	return own, nil
}

func open(pool *pgxpool.Pool) (*goose.Provider, *rivermigrate.Migrator[pgx.Tx], func(), error) {
	sub, err := fs.Sub(files, "sql")
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open embedded migrations: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	p, err := goose.NewProvider(goose.DialectPostgres, db, sub)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("load migrations: %w", err)
	}
	r, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("load river migrations: %w", err)
	}
	return p, r, func() { _ = db.Close() }, nil
}
