package billing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/account/trail"
	"veracity/billing/sandbox"
	"veracity/migrations/schematest"
	"veracity/platform/seal"
	"veracity/quota"
)

// outbox is a queue that keeps what is put on it in a table, so that a job goes with its transaction.
type outbox struct{}

func (outbox) Insert(ctx context.Context, tx pgx.Tx, job interface{ Kind() string }) error {
	_, err := tx.Exec(ctx, `INSERT INTO outbox (kind, job) VALUES (@kind, @job)`, pgx.NamedArgs{"kind": job.Kind(), "job": job})
	return err
}

// database is one with an outbox.
func database(t *testing.T) *pgxpool.Pool {
	t.Helper()
	db := schematest.New(t)
	_, err := db.Exec(t.Context(), `CREATE TABLE outbox (n bigint GENERATED ALWAYS AS IDENTITY, kind text NOT NULL, job jsonb NOT NULL)`)
	require.NoError(t, err)
	return db
}

// rig is a service on a test's own database, and one account with an owner.
type rig struct {
	*Service
	db       *pgxpool.Pool
	accounts *account.Accounts
	owner    access.Actor
}

// newRig makes the service at a Stripe that answers at address.
func newRig(t *testing.T, db *pgxpool.Pool, cfg Config, now func() time.Time) *rig {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey("test"))
	require.NoError(t, err)
	r := &rig{db: db}
	r.accounts = &account.Accounts{
		DB: db, Seal: ring, Plans: Plans(), Queue: outbox{}, Log: slog.New(slog.DiscardHandler),
		Forget: func(context.Context, uuid.UUID) error { return nil },
	}
	r.Service, err = New(cfg, Parts{DB: db, Accounts: r.accounts, Queue: outbox{}, Log: slog.New(slog.DiscardHandler), Now: now})
	require.NoError(t, err)
	r.owner = r.newAccount(t, "free")
	return r
}

// newAccount makes an account on a plan and returns its owner.
func (r *rig) newAccount(t *testing.T, plan string) access.Actor {
	t.Helper()
	acc, err := r.accounts.Create(t.Context(), uuid.NewString()+"@example.com", plan, account.Overrides{})
	require.NoError(t, err)
	by := access.Actor{Account: acc.ID, Role: access.Owner, Address: "192.0.2.7"}
	require.NoError(t, r.db.QueryRow(t.Context(), `SELECT user_id FROM membership WHERE account_id = $1`, acc.ID).Scan(&by.User))
	return by
}

// jobs empties the queue and gives the jobs of a kind, the oldest first.
func jobs[T any](t *testing.T, r *rig, kind string) []T {
	t.Helper()
	rows, err := r.db.Query(t.Context(), `WITH taken AS (DELETE FROM outbox WHERE kind = $1 RETURNING n, job) SELECT job FROM taken ORDER BY n`, kind)
	require.NoError(t, err)
	taken, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) {
		var (
			raw []byte
			job T
		)
		if err := row.Scan(&raw); err != nil {
			return job, err
		}
		err := json.Unmarshal(raw, &job)
		return job, err
	})
	require.NoError(t, err)
	return taken
}

// letters empties the outbox of letters: name and detail of each, in order.
func (r *rig) letters(t *testing.T) []string {
	t.Helper()
	var said []string
	for _, l := range jobs[account.Letter](t, r, "letter") {
		said = append(said, fmt.Sprint(l.Name, " ", l.Detail))
	}
	return said
}

// work does what the queue has until it is empty.
func (r *rig) work(t *testing.T) {
	t.Helper()
	for {
		events, syncs := jobs[EventJob](t, r, "stripe_event"), jobs[SyncJob](t, r, "stripe_sync")
		if len(events)+len(syncs) == 0 {
			return
		}
		for _, job := range events {
			again, err := r.Work(t.Context(), job.Event)
			require.NoError(t, err)
			require.Zero(t, again)
		}
		for _, job := range syncs {
			again, err := r.Sync(t.Context(), job.Account)
			require.NoError(t, err)
			require.Zero(t, again)
		}
	}
}

// now is what the account is: plan and state.
func (r *rig) standing(t *testing.T) string {
	t.Helper()
	acc, err := r.accounts.Get(t.Context(), r.owner.Account)
	require.NoError(t, err)
	return acc.Plan + " " + string(acc.State)
}

// granted are the account's credit periods: what each grants, by its start in seconds.
func (r *rig) granted(t *testing.T, acc uuid.UUID) map[int64]int64 {
	t.Helper()
	rows, err := r.db.Query(t.Context(), `SELECT period_start, granted FROM credit_period WHERE account_id = $1`, acc)
	require.NoError(t, err)
	found := map[int64]int64{}
	var (
		start   time.Time
		credits int64
	)
	_, err = pgx.ForEachRow(rows, []any{&start, &credits}, func() error {
		found[start.Unix()] = credits
		return nil
	})
	require.NoError(t, err)
	return found
}

// sound demands that balances are what the journal says.
func (r *rig) sound(t *testing.T) {
	t.Helper()
	found, err := quota.Audit(t.Context(), r.db, nil)
	require.NoError(t, err)
	require.Empty(t, found)
}

// acts are what the trail says of the account, the oldest first.
func (r *rig) acts(t *testing.T) []string {
	t.Helper()
	entries, err := trail.Read(t.Context(), r.db, access.CLI(r.owner.Account), trail.Filter{Account: r.owner.Account})
	require.NoError(t, err)
	said := make([]string, len(entries))
	for i, e := range entries {
		said[len(said)-1-i] = e.Actor + " " + e.Act
	}
	return said
}

// shop is a rig whose Stripe is the sandbox. Events come when the test lets them.
type shop struct {
	*rig
	box *sandbox.Sandbox
}

func openShop(t *testing.T, db *pgxpool.Pool) *shop {
	t.Helper()
	s := &shop{}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = s.Intake(r.Context(), body, r.Header.Get("Stripe-Signature"))
		}
		switch {
		case errors.Is(err, ErrSignature):
			w.WriteHeader(http.StatusBadRequest)
		case err != nil:
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(hook.Close)
	// Ahead of the accounts that the test makes, so that no purchase seems older than its account.
	began := time.Now().Add(time.Minute).Truncate(time.Second)
	box, err := sandbox.Start(t.Context(), sandbox.Config{
		WebhookURL: hook.URL + WebhookPath, Now: func() time.Time { return began }, Manual: true,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = box.Close(context.WithoutCancel(t.Context())) }) // it may be closed already
	cfg := DefaultConfig()
	cfg.SecretKey, cfg.WebhookSecret, cfg.APIURL, cfg.BaseURL = box.SecretKey(), box.WebhookSecret(), box.URL(), "http://localhost:8080"
	s.box, s.rig = box, newRig(t, db, cfg, box.Now)
	_, err = s.Setup(t.Context())
	require.NoError(t, err)
	return s
}

// settle lets all events come, and works them.
func (s *shop) settle(t *testing.T) {
	t.Helper()
	require.NoError(t, s.box.Flush(t.Context()))
	s.work(t)
}

// buy goes through the checkout of a plan.
func (s *shop) buy(t *testing.T, plan string) {
	t.Helper()
	_, err := s.Checkout(t.Context(), s.owner, plan, Month)
	require.NoError(t, err)
	s.pay(t, s.lastCheckout(t), sandbox.CardWorks)
}

func (s *shop) pay(t *testing.T, session string, card sandbox.Card) {
	t.Helper()
	require.NoError(t, s.box.Pay(session, sandbox.Payer{Email: "ada@example.com", Name: "Ada", Card: card}))
}

// customerID is the account's in the sandbox.
func (s *shop) customerID(t *testing.T) string {
	t.Helper()
	known, err := s.customers(t.Context(), s.owner.Account)
	require.NoError(t, err)
	require.NotEmpty(t, known)
	return known[0]
}
