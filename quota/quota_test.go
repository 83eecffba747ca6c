package quota_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/platform/fault"
	"veracity/platform/postgres"
	"veracity/quota"
)

// newAccount makes an account with an open month of credits and a cap on jobs.
func newAccount(t *testing.T, db *pgxpool.Pool, credits int64, jobs int) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := db.Exec(t.Context(), `
		INSERT INTO account (id, email, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys)
		VALUES ($1, $2, 'pro', 'active', 'operator', $3, 60, $4, 1)`, id, id.String()+"@example.com", credits, jobs)
	require.NoError(t, err)
	require.NoError(t, postgres.Tx(t.Context(), db, func(tx pgx.Tx) error { return quota.Prepare(t.Context(), tx, id) }))
	_, err = quota.Renew(t.Context(), db)
	require.NoError(t, err)
	return id
}

func balance(t *testing.T, db *pgxpool.Pool, account uuid.UUID) quota.Balance {
	t.Helper()
	b, err := quota.Read(t.Context(), db, account)
	require.NoError(t, err)
	return b
}

// sound fails when any balance of the account differs from its journal.
func sound(t *testing.T, db *pgxpool.Pool, account uuid.UUID) {
	t.Helper()
	found, err := quota.Audit(t.Context(), db, &account)
	require.NoError(t, err)
	require.Empty(t, found)
}

// atOnce runs act n times behind a barrier and returns how many succeeded.
func atOnce(n int, act func(i int) bool) int {
	var (
		start, done sync.WaitGroup
		mu          sync.Mutex
		succeeded   int
	)
	start.Add(1)
	for i := range n {
		done.Go(func() {
			start.Wait()
			if act(i) {
				mu.Lock()
				succeeded++
				mu.Unlock()
			}
		})
	}
	start.Done()
	done.Wait()
	return succeeded
}

func TestHoldNeverOverspends(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 100, 0)
	held := atOnce(200, func(int) bool {
		_, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 3})
		return err == nil
	})
	require.Equal(t, 33, held)
	b := balance(t, db, account)
	require.Equal(t, int64(99), b.Held)
	require.Equal(t, int64(1), b.Available)
	sound(t, db, account)
}

func TestHoldIsSettledOnce(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 100, 0)
	hold, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 36})
	require.NoError(t, err)
	settled := atOnce(20, func(i int) bool {
		var ok bool
		var err error
		if i%2 == 0 {
			ok, err = quota.Settle(t.Context(), db, account, hold, 10)
		} else {
			ok, err = quota.Release(t.Context(), db, account, hold)
		}
		return err == nil && ok
	})
	require.Equal(t, 1, settled)
	b := balance(t, db, account)
	require.Zero(t, b.Held)
	require.Contains(t, []int64{0, 10}, b.Spent)
	sound(t, db, account)
}

func TestSettlingLessGivesTheRestBack(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 100, 0)
	hold, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 36})
	require.NoError(t, err)
	ok, err := quota.Settle(t.Context(), db, account, hold, 10)
	require.NoError(t, err)
	require.True(t, ok)
	b := balance(t, db, account)
	require.Equal(t, []int64{100, 10, 0, 90}, []int64{b.Granted, b.Spent, b.Held, b.Available})
	sound(t, db, account)
}

func TestMoreThanWasHeldIsNeverCharged(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 100, 0)
	hold, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 5})
	require.NoError(t, err)
	settled, err := quota.Settle(t.Context(), db, account, hold, 6)
	require.NoError(t, err)
	require.True(t, settled)
	b := balance(t, db, account)
	require.Equal(t, []int64{5, 0}, []int64{b.Spent, b.Held})
	sound(t, db, account)
}

func TestForeignAccountCannotEndAHold(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	owner, other := newAccount(t, db, 10, 0), newAccount(t, db, 10, 0)
	hold, err := quota.Hold(t.Context(), db, quota.Request{Account: owner, Amount: 1})
	require.NoError(t, err)
	ok, err := quota.Release(t.Context(), db, other, hold)
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, int64(1), balance(t, db, owner).Held)
}

func TestRefusalSaysWhatIsLeftAndUntilWhen(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 2, 0)
	_, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 3})
	f := fault.From(err)
	require.Equal(t, fault.QuotaExceeded, f.Code)
	detail, ok := f.Detail.(quota.Exceeded)
	require.True(t, ok)
	require.Equal(t, int64(3), detail.Required)
	require.Equal(t, int64(2), detail.Available)
	require.WithinRange(t, detail.ResetsAt, time.Now().Add(27*24*time.Hour), time.Now().Add(32*24*time.Hour))
	sound(t, db, account)
}

func TestSlotsHoldUnderConcurrencyAndComeBack(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 1000, 5)
	holds := make([]uuid.UUID, 40)
	started := atOnce(len(holds), func(i int) bool {
		return postgres.Tx(t.Context(), db, func(tx pgx.Tx) (err error) {
			holds[i], err = quota.Hold(t.Context(), tx, quota.Request{Account: account, Amount: 1, Slot: true})
			return err
		}) == nil
	})
	require.Equal(t, 5, started)
	require.Equal(t, int64(5), balance(t, db, account).Held)
	sound(t, db, account)

	err := postgres.Tx(t.Context(), db, func(tx pgx.Tx) error {
		_, err := quota.Hold(t.Context(), tx, quota.Request{Account: account, Amount: 1, Slot: true})
		return err
	})
	require.Equal(t, fault.TooManyJobs, fault.CodeOf(err))
	require.Positive(t, fault.From(err).RetryAfter)

	for _, hold := range holds {
		_, err := quota.Release(t.Context(), db, account, hold)
		require.NoError(t, err)
	}
	require.Zero(t, balance(t, db, account).Held)
	sound(t, db, account)
}

func TestRefusedCreditsTakeNoSlot(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 1, 5)
	err := postgres.Tx(t.Context(), db, func(tx pgx.Tx) error {
		_, err := quota.Hold(t.Context(), tx, quota.Request{Account: account, Amount: 2, Slot: true})
		return err
	})
	require.Equal(t, fault.QuotaExceeded, fault.CodeOf(err))
	sound(t, db, account)
}

func TestLostHoldsComeBackByThemselves(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 100, 2)
	lost := func(ctx context.Context, slot bool) {
		require.NoError(t, postgres.Tx(ctx, db, func(tx pgx.Tx) error {
			_, err := quota.Hold(ctx, tx, quota.Request{Account: account, Amount: 4, Slot: slot, TTL: time.Millisecond})
			return err
		}))
	}
	lost(t.Context(), false)
	lost(t.Context(), true)
	kept, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 7, TTL: time.Hour})
	require.NoError(t, err)

	require.Eventually(t, func() bool {
		_, err := quota.ReleaseExpired(t.Context(), db)
		return err == nil && balance(t, db, account).Held == 7
	}, 5*time.Second, 10*time.Millisecond)
	sound(t, db, account)
	ok, err := quota.Settle(t.Context(), db, account, kept, 7)
	require.NoError(t, err)
	require.True(t, ok)
}

func TestAuditFindsATamperedBalance(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 100, 2)
	_, err := db.Exec(t.Context(), `UPDATE credit_period SET spent = 5 WHERE account_id = $1`, account)
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), `UPDATE job_slot SET jobs = 1 WHERE account_id = $1`, account)
	require.NoError(t, err)
	found, err := quota.Audit(t.Context(), db, nil)
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.ElementsMatch(t, []string{"spent", "jobs"}, []string{found[0].What, found[1].What})
}

func TestJournalIsAppendOnly(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	newAccount(t, db, 100, 0)
	_, err := db.Exec(t.Context(), `UPDATE credit_entry SET amount = 1`)
	require.ErrorContains(t, err, "append-only")
}
