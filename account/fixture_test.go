package account_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/billing"
	"veracity/migrations/schematest"
	"veracity/platform/seal"
)

func setup(t *testing.T) *account.Accounts {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey("test"))
	require.NoError(t, err)
	db := schematest.New(t)
	_, err = db.Exec(t.Context(), `CREATE TABLE outbox (n bigint GENERATED ALWAYS AS IDENTITY, letter jsonb NOT NULL)`)
	require.NoError(t, err)
	return &account.Accounts{
		DB: db, Seal: ring, Plans: billing.Plans(), Queue: outbox{}, Log: slog.New(slog.DiscardHandler),
		Forget: func(context.Context, uuid.UUID) error { return nil },
	}
}

// outbox is a queue that keeps what is put on it in a table, so that a letter goes with its transaction.
type outbox struct{}

func (outbox) Insert(ctx context.Context, tx pgx.Tx, job interface{ Kind() string }) error {
	_, err := tx.Exec(ctx, `INSERT INTO outbox (letter) VALUES (@letter)`, pgx.NamedArgs{"letter": job})
	return err
}

// letters empties the outbox.
func letters(t *testing.T, a *account.Accounts) []account.Letter {
	t.Helper()
	rows, err := a.DB.Query(t.Context(), `WITH sent AS (DELETE FROM outbox RETURNING n, letter) SELECT letter FROM sent ORDER BY n`)
	require.NoError(t, err)
	sent, err := pgx.CollectRows(rows, pgx.RowTo[account.Letter])
	require.NoError(t, err)
	return sent
}

// member is a new person in an account.
func member(t *testing.T, a *account.Accounts, acc uuid.UUID, role access.Role) access.Actor {
	t.Helper()
	by := access.Actor{Account: acc, User: user(t, a, uuid.NewString()+"@example.com"), Role: role, Address: "192.0.2.7"}
	_, err := a.DB.Exec(t.Context(), `INSERT INTO membership (account_id, user_id, role) VALUES ($1, $2, $3)`, acc, by.User, role)
	require.NoError(t, err)
	return by
}

// user is a new person.
func user(t *testing.T, a *account.Accounts, email string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := a.DB.Exec(t.Context(), `INSERT INTO app_user (id, email) VALUES ($1, $2)`, id, email)
	require.NoError(t, err)
	return id
}

// owner is the one that an account was made with.
func owner(t *testing.T, a *account.Accounts, acc uuid.UUID) access.Actor {
	t.Helper()
	by := access.Actor{Account: acc, Role: access.Owner, Address: "192.0.2.7"}
	err := a.DB.QueryRow(t.Context(), `SELECT user_id FROM membership WHERE account_id = $1 AND role = 'owner' ORDER BY created_at LIMIT 1`, acc).
		Scan(&by.User)
	require.NoError(t, err)
	return by
}

// acts are what the trail says of an account, the oldest first.
func acts(t *testing.T, a *account.Accounts, acc uuid.UUID) []string {
	t.Helper()
	entries, err := trail.Read(t.Context(), a.DB, access.CLI(acc), trail.Filter{Account: acc})
	require.NoError(t, err)
	said := make([]string, len(entries))
	for i, e := range entries {
		said[len(said)-1-i] = e.Actor + " " + e.Act
	}
	return said
}

func create(t *testing.T, a *account.Accounts, plan string, o account.Overrides) account.Account {
	t.Helper()
	acc, err := a.Create(t.Context(), uuid.NewString()+"@example.com", plan, o)
	require.NoError(t, err)
	return acc
}

func ptr[T any](v T) *T { return &v }
