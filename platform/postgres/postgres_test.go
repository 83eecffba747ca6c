package postgres_test

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/platform/postgres"
	"veracity/platform/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// items is a table with a unique and a check constraint.
func items() pgtest.Schema {
	return pgtest.Schema{Name: "items", Up: func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := pool.Exec(ctx, `CREATE TABLE item (
			name text CONSTRAINT item_name_key UNIQUE,
			amount int NOT NULL DEFAULT 0 CONSTRAINT item_amount_check CHECK (amount >= 0)
		)`)
		return err
	}}
}

// reopen opens the database of pool with other settings.
func reopen(t *testing.T, pool *pgxpool.Pool, change func(*postgres.Config)) *pgxpool.Pool {
	t.Helper()
	cfg := postgres.DefaultConfig()
	cfg.URL = pool.Config().ConnString()
	change(&cfg)
	own, err := postgres.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(own.Close)
	return own
}

func TestSessionsCarryTheSettings(t *testing.T) {
	t.Parallel()
	pool := reopen(t, pgtest.Database(t, pgtest.Empty()), func(c *postgres.Config) {
		c.StatementTimeout = 1500 * time.Millisecond
		c.LockTimeout = 0
		c.IdleInTransactionTimeout = 2 * time.Second
		c.ApplicationName = "a test"
		c.MaxConns = 3
	})
	for setting, want := range map[string]string{
		"statement_timeout":                   "1500ms",
		"lock_timeout":                        "0",
		"idle_in_transaction_session_timeout": "2s",
		"application_name":                    "a test",
		"TimeZone":                            "UTC",
	} {
		var got string
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&got))
		require.Equal(t, want, got, setting)
	}
	require.Equal(t, int32(3), pool.Stat().MaxConns())
}

func TestURLSettingsWinButForTheTimeZone(t *testing.T) {
	t.Parallel()
	pool := reopen(t, pgtest.Database(t, pgtest.Empty()), func(c *postgres.Config) {
		c.URL += "&statement_timeout=77&application_name=theirs&timezone=Asia%2FTokyo"
	})
	var timeout, name, zone string
	require.NoError(t, pool.QueryRow(t.Context(), `SELECT current_setting('statement_timeout'),
		current_setting('application_name'), current_setting('TimeZone')`).Scan(&timeout, &name, &zone))
	require.Equal(t, []string{"77ms", "theirs", "UTC"}, []string{timeout, name, zone})
}

func TestTimestampsAreInUTC(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, pgtest.Empty())
	var one time.Time
	var many []time.Time
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT now(), ARRAY[now()]").Scan(&one, &many))
	require.Same(t, time.UTC, one.Location())
	require.Same(t, time.UTC, many[0].Location())
}

func TestSlowStatementIsEnded(t *testing.T) {
	t.Parallel()
	pool := reopen(t, pgtest.Database(t, pgtest.Empty()), func(c *postgres.Config) { c.StatementTimeout = 50 * time.Millisecond })
	_, err := pool.Exec(t.Context(), "SELECT pg_sleep(60)")
	require.ErrorContains(t, err, "statement timeout")
}

func TestUnreachableServerIsNamedWithoutThePassword(t *testing.T) {
	t.Parallel()
	cfg := postgres.DefaultConfig()
	cfg.URL = "postgres://app:s3cret@127.0.0.1:1/shop?sslmode=disable"
	_, err := postgres.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "connect to postgres://app@127.0.0.1:1/shop: ")
	require.ErrorContains(t, err, "connection refused")
	require.NotContains(t, err.Error(), "s3cret")
}

func TestSilentServerIsGivenUpInTime(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, silent.Close()) }()
	cfg := postgres.DefaultConfig()
	cfg.URL = "postgres://app:s3cret@" + silent.Addr().String() + "/shop"
	cfg.ConnectTimeout = 50 * time.Millisecond
	began := time.Now()
	_, err = postgres.Open(t.Context(), cfg)
	require.ErrorContains(t, err, "connect to postgres://app@")
	require.NotContains(t, err.Error(), "s3cret")
	require.Less(t, time.Since(began), 5*time.Second)
}

func TestRedactedKeepsTheAddressAlone(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"postgres://app:s3cret@db.example:6432/shop?sslmode=require":        "postgres://app@db.example:6432/shop",
		"postgres://app@[2001:db8::1]/shop?password=s3cret":                 "postgres://app@[2001:db8::1]:5432/shop",
		"postgresql://app:s3cret@/shop?host=%2Frun%2Fpg&sslpassword=s3cret": "postgres://app@/shop?host=%2Frun%2Fpg",
		"postgres://app:s3%zzcret@db.example/shop":                          "(unreadable database URL)",
		"postgres://app:s3cret@db.example:port/shop":                        "(unreadable database URL)",
	} {
		require.Equal(t, want, postgres.Redacted(raw))
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	good := postgres.DefaultConfig()
	good.URL = "postgres://app:s3cret@db.example/shop"
	require.NoError(t, good.Validate())
	for want, spoil := range map[string]func(*postgres.Config){
		"VERACITY_DATABASE_URL is empty":                      func(c *postgres.Config) { c.URL = "" },
		"VERACITY_DATABASE_URL is not a PostgreSQL address":   func(c *postgres.Config) { c.URL = "mysql://app:s3cret@db.example/shop" },
		"URL cannot be read":                                  func(c *postgres.Config) { c.URL = "postgres://app:s3cret%@db.example/shop" },
		"sslmode is invalid":                                  func(c *postgres.Config) { c.URL += "?sslmode=maybe" },
		"VERACITY_DATABASE_MAX_CONNS is 0: want 1 to 1000":    func(c *postgres.Config) { c.MaxConns = 0 },
		"VERACITY_DATABASE_MAX_CONNS is 1001: want 1 to 1000": func(c *postgres.Config) { c.MaxConns = 1001 },
		"ConnectTimeout is 0s: want 1ms":                      func(c *postgres.Config) { c.ConnectTimeout = 0 },
		"StatementTimeout is 1µs: want 0":                     func(c *postgres.Config) { c.StatementTimeout = time.Microsecond },
		"LockTimeout is -1s: want 0":                          func(c *postgres.Config) { c.LockTimeout = -time.Second },
		"IdleInTransactionTimeout is 25h0m0":                  func(c *postgres.Config) { c.IdleInTransactionTimeout = 25 * time.Hour },
	} {
		cfg := good
		spoil(&cfg)
		require.ErrorContains(t, cfg.Validate(), want)
		require.NotContains(t, cfg.Validate().Error(), "s3cret")
		_, err := postgres.Open(t.Context(), cfg)
		require.ErrorContains(t, err, want)
	}
	several := postgres.Config{URL: good.URL}
	require.Len(t, strings.Split(several.Validate().Error(), "\n"), 2, "all that is wrong is told at once")
}

func TestRefusalsAreToldByConstraint(t *testing.T) {
	t.Parallel()
	pool := pgtest.Database(t, items())
	_, err := pool.Exec(t.Context(), "INSERT INTO item (name) VALUES ('a'), ('a')")
	require.True(t, postgres.IsUnique(err, "item_name_key"))
	require.False(t, postgres.IsUnique(err, "another_key"))
	require.False(t, postgres.IsCheck(err, "item_name_key"))
	require.True(t, postgres.IsUnique(errors.Join(errors.New("save item"), err), "item_name_key"), "through a wrap")

	_, err = pool.Exec(t.Context(), "INSERT INTO item (name, amount) VALUES ('b', -1)")
	require.True(t, postgres.IsCheck(err, "item_amount_check"))
	require.False(t, postgres.IsCheck(err, "another_check"))
	require.False(t, postgres.IsUnique(err, "item_amount_check"))
	require.False(t, postgres.IsUnique(nil, ""))
}
