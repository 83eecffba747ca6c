// Package schematest gives a test a database of its own that has the product's schema. For tests only.
package schematest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/migrations"
	"veracity/platform/postgres/pgtest"
)

// New is a fresh database with the whole schema. The test binary's TestMain must be [Main].
func New(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return pgtest.Database(tb, pgtest.Schema{Name: "veracity", Up: migrations.Up})
}

// Main runs a test binary's tests with a PostgreSQL server of their own: `os.Exit(schematest.Main(m))`.
func Main(m *testing.M) int { return pgtest.Main(m) }
