package signin_test

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/signin"
	"veracity/billing"
	"veracity/migrations/schematest"
	"veracity/platform/fault"
	"veracity/platform/seal"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

// password is a good one; other is another.
const (
	password = "quiet lantern over moss"
	other    = "seven boats in the fog"
)

// rig is the people's acts on a database of the test's own.
type rig struct {
	*signin.People
	db       *pgxpool.Pool
	accounts *account.Accounts
	queue    *letters
}

// letters keeps what was queued.
type letters struct {
	mu  sync.Mutex
	all []account.Letter
	// broken is what the queue answers, or nil.
	broken error
}

func (l *letters) Insert(_ context.Context, _ pgx.Tx, job interface{ Kind() string }) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	l.all = append(l.all, job.(account.Letter))
	return nil
}

// named are the queued letters of one name.
func (l *letters) named(name account.LetterName) []account.Letter {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []account.Letter
	for _, one := range l.all {
		if one.Name == name {
			found = append(found, one)
		}
	}
	return found
}

// told are the details of the security letters.
func (l *letters) told() []string {
	var words []string
	for _, one := range l.named(account.LetterSecurity) {
		words = append(words, one.Detail)
	}
	return words
}

func config() signin.Config {
	cfg := signin.DefaultConfig()
	cfg.BaseURL = "https://veracity.test"
	cfg.Hash = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	return cfg
}

func setup(t *testing.T, change ...func(*signin.Config)) *rig {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey("test"))
	require.NoError(t, err)
	cfg := config()
	for _, f := range change {
		f(&cfg)
	}
	r := &rig{db: schematest.New(t), queue: &letters{}}
	r.accounts = &account.Accounts{
		DB: r.db, Seal: ring, Plans: billing.Plans(), Queue: r.queue, Log: slog.New(slog.DiscardHandler),
	}
	r.People, err = signin.New(cfg, signin.Parts{
		DB: r.db, Accounts: r.accounts, Seal: ring, Queue: r.queue, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return r
}

// from is a browser at an address of its own.
func from(address string) signin.Client { return signin.Client{Address: address, Agent: "test"} }

var home = from("192.0.2.1")

// begin signs somebody up and reads the mailed token.
func (r *rig) begin(t *testing.T, email string) (uuid.UUID, string) {
	t.Helper()
	id, err := r.SignUp(t.Context(), signin.NewPerson{Email: email, Name: "Ada", Password: password}, home)
	require.NoError(t, err)
	letter, send, err := r.MintSignUp(t.Context(), id)
	require.NoError(t, err)
	require.True(t, send)
	return id, letter.Token
}

// join makes a person with the password.
func (r *rig) join(t *testing.T, email string) uuid.UUID {
	t.Helper()
	id, token := r.begin(t, email)
	user, err := r.Verify(t.Context(), token, signin.Proof{SignUp: id}, home)
	require.NoError(t, err)
	return user
}

func (r *rig) open(t *testing.T, user uuid.UUID) signin.Opened {
	t.Helper()
	opened, err := r.Open(t.Context(), user, "password", home)
	require.NoError(t, err)
	return opened
}

func (r *rig) resetToken(t *testing.T, email string) string {
	t.Helper()
	letter, send, err := r.MintReset(t.Context(), email)
	require.NoError(t, err)
	require.True(t, send)
	return letter.Token
}

func (r *rig) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	tag, err := r.db.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
	require.NotZero(t, tag.RowsAffected(), "the test changed nothing: %s", sql)
}

func (r *rig) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, r.db.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func (r *rig) acts(t *testing.T, act string, user uuid.UUID) int {
	t.Helper()
	return r.count(t, `SELECT count(*) FROM audit_log WHERE act = $1 AND user_id = $2`, act, user)
}

// refusedWith asserts the code of a refusal.
func refusedWith(t *testing.T, want fault.Code, err error, why ...any) {
	t.Helper()
	require.Equal(t, want, fault.CodeOf(err), why...)
}

// race runs f many times at once, counts the successes, and asserts that the others were refused with one of the codes.
func race(t *testing.T, n int, f func(i int) error, allowed ...fault.Code) int {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		require.Contains(t, allowed, fault.CodeOf(err), "%v", err)
	}
	return won
}
