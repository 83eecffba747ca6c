package usage

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/platform/postgres"
	"veracity/quota"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

// newAccount makes an account with 100 credits.
func newAccount(t *testing.T, db *pgxpool.Pool) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := db.Exec(t.Context(), `
		INSERT INTO account (id, email, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys)
		VALUES ($1, $2, 'pro', 'active', 'operator', 100, 60, 5, 5)`, id, id.String()+"@example.com")
	require.NoError(t, err)
	require.NoError(t, postgres.Tx(t.Context(), db, func(tx pgx.Tx) error { return quota.Prepare(t.Context(), tx, id) }))
	require.NoError(t, quota.RenewOne(t.Context(), db, id))
	return id
}

// newKey gives an account a key.
func newKey(t *testing.T, db *pgxpool.Pool, account uuid.UUID, name string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := db.Exec(t.Context(), `
		INSERT INTO api_key (id, account_id, name, name_folded, start, hash, sealed_secret)
		VALUES ($1, $2, $3, $3, 'svc_live_abc', $4, 'sealed')`, id, account, name, id[:])
	require.NoError(t, err)
	return id
}

// openLog makes a log that writes soon. Nothing is left in it when the test ends.
func openLog(t *testing.T, db *pgxpool.Pool, change func(*Config)) *Log {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Every = 10 * time.Millisecond
	if change != nil {
		change(&cfg)
	}
	require.NoError(t, cfg.Validate())
	return NewLog(cfg, db, NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
}

// checked is an image check that was answered just now.
func checked(account, key uuid.UUID, verdict string) Entry {
	return Entry{
		ID: uuid.Must(uuid.NewV7()), At: time.Now(), Account: account, Key: key, Method: "POST", Route: "/audit",
		Status: 200, Code: OK, Verdict: verdict, Credits: 1, Took: 123 * time.Millisecond,
	}
}

// today gives what an account did today.
func today(t *testing.T, db *pgxpool.Pool, account uuid.UUID) Counts {
	t.Helper()
	days, err := Daily(t.Context(), db, account, time.Now(), time.Now())
	require.NoError(t, err)
	require.Len(t, days, 1)
	return days[0].Counts
}

func logged(t *testing.T, db *pgxpool.Pool, account uuid.UUID) []Request {
	t.Helper()
	found, err := Requests(t.Context(), db, account, RequestFilter{})
	require.NoError(t, err)
	return found
}

// counted is where a counter stands.
func counted(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(c))
	found, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0].GetMetric()[0].GetCounter().GetValue()
}
