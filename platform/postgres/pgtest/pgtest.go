// Package pgtest gives every test a PostgreSQL database of its own, cloned from a template that carries the schema. One
// throw-away server serves all tests of a test binary; it keeps its data in memory where the system allows, so nothing
// here is durable. For tests only.
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		pool := pgtest.Database(t, pgtest.Schema{Name: "app", Up: migrations.Up})
//		…
//	}
package pgtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver that pgtestdb opens by name
	"github.com/peterldowns/pgtestdb"

	"veracity/platform/postgres"
	"veracity/platform/postgres/private"
)

const (
	// poolSize is the most connections of one test's pool.
	poolSize = 10
	// closeTimeout is how long a test's end waits for connections that the test still holds.
	closeTimeout = 10 * time.Second
)

// Schema is what a test's database holds at its start.
type Schema struct {
	// Name tells the schemas of one test binary apart.
	Name string
	// Up makes the schema in an empty database. It runs once in a test binary.
	Up func(ctx context.Context, pool *pgxpool.Pool) error
}

// Empty is a database without tables.
func Empty() Schema {
	return Schema{Name: "empty", Up: func(context.Context, *pgxpool.Pool) error { return nil }}
}

// Main runs the tests of m, then stops the server and removes its data, also when tests failed. It returns the exit
// code for TestMain.
func Main(m *testing.M) int {
	current.admitted.Store(true)
	code := m.Run()
	if err := current.close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		return max(code, 1)
	}
	return code
}

// Database gives tb a database of its own with schema in it, through a pool as production opens it, as a role without
// special rights. It goes with the end of the test. The pool's Config().ConnString() is its URL. A test that still
// holds a connection at its end, because of rows or a transaction that nobody closed, fails.
func Database(tb testing.TB, schema Schema) *pgxpool.Pool {
	tb.Helper()
	server, err := current.get(tb.Context())
	if err != nil {
		tb.Fatalf("start a database server for tests: %v", err)
	}
	conf, err := connection(server)
	if err != nil {
		tb.Fatalf("read the address of the database server: %v", err)
	}
	own := pgtestdb.Custom(tb, conf, migrator{schema})
	pool, err := open(tb.Context(), own.URL())
	if err != nil {
		tb.Fatalf("open the test's database: %v", err)
	}
	tb.Cleanup(func() {
		if err := closeWithin(pool, closeTimeout); err != nil {
			tb.Error(err)
		}
	})
	return pool
}

// closeWithin closes pool, and gives up on connections that do not come back: pgxpool would wait for them for ever.
func closeWithin(pool *pgxpool.Pool, patience time.Duration) error {
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%d of the database's connections are still in use at the end of the test: "+
			"close rows, finish transactions, stop workers", pool.Stat().AcquiredConns())
	}
}

// connection describes server to pgtestdb, which takes the socket folder as an option of the URL.
func connection(server *private.Server) (pgtestdb.Config, error) {
	admin, err := pgx.ParseConfig(server.AdminURL())
	if err != nil {
		return pgtestdb.Config{}, fmt.Errorf("parse address: %w", err)
	}
	return pgtestdb.Config{
		DriverName: "pgx",
		User:       admin.User,
		Port:       strconv.Itoa(int(admin.Port)),
		Database:   admin.Database,
		Options:    postgres.Query(url.Values{"host": {admin.Host}}),
		// The server's own role exists and needs no password.
		TestRole: &pgtestdb.Role{Username: private.Role},
		// A connection that a test has left must not keep its database from going; closeWithin reports it.
		ForceTerminateConnections: true,
	}, nil
}

func open(ctx context.Context, address string) (*pgxpool.Pool, error) {
	cfg := postgres.DefaultConfig()
	cfg.URL = address
	cfg.MaxConns = poolSize
	return postgres.Open(ctx, cfg)
}

// migrator makes a template from a schema.
type migrator struct{ schema Schema }

// Hash names the template. The server lives no longer than this binary, so the schema's contents cannot change under it.
func (m migrator) Hash() (string, error) { return m.schema.Name, nil }

// Migrate hands the schema a pool, and leaves no connection to the template, which could then not be cloned.
func (m migrator) Migrate(ctx context.Context, _ *sql.DB, conf pgtestdb.Config) error {
	pool, err := open(ctx, conf.URL())
	if err != nil {
		return fmt.Errorf("open template: %w", err)
	}
	defer pool.Close()
	return m.schema.Up(ctx, pool)
}
