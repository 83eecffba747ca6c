package quota_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/platform/fault"
	"veracity/quota"
)

func TestOpeningAPeriodTwiceGrantsOnce(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 0, 0)
	start := time.Now().Add(-time.Hour).Truncate(time.Second)
	opened := atOnce(10, func(int) bool {
		ok, err := quota.Open(t.Context(), db, account, start, start.Add(24*time.Hour), 50)
		return err == nil && ok
	})
	require.Equal(t, 1, opened)
	sound(t, db, account)
}

func TestRenewOpensTheMonthThatHoldsNow(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 70, 0)
	// An account of 100 days ago, whose first month is long over, and whose worker slept.
	_, err := db.Exec(t.Context(), `UPDATE account SET period_anchor = now() - interval '100 days' WHERE id = $1`, account)
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), `
		UPDATE credit_period SET period_end = now() - interval '1 day', period_start = now() - interval '30 days'
		WHERE account_id = $1`, account)
	require.ErrorContains(t, err, "foreign key", "a period's start is part of its identity")
	_, err = db.Exec(t.Context(), `DELETE FROM credit_period WHERE account_id = $1`, account)
	require.NoError(t, err)
	require.Zero(t, balance(t, db, account).Granted)

	// The first call after the end finds its period opened.
	_, err = quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 1})
	require.NoError(t, err)
	b := balance(t, db, account)
	require.Equal(t, int64(70), b.Granted)
	require.WithinRange(t, *b.ResetsAt, time.Now(), time.Now().Add(31*24*time.Hour))

	n, err := quota.Renew(t.Context(), db)
	require.NoError(t, err)
	require.Zero(t, n, "the month is open")
	sound(t, db, account)
}

func TestNobodyRenewsWhatIsNotTheOperators(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 70, 0)
	for _, change := range []string{`billed_by = 'stripe'`, `billed_by = 'operator', state = 'suspended'`} {
		_, err := db.Exec(t.Context(), `DELETE FROM credit_period WHERE account_id = $1`, account)
		require.NoError(t, err)
		_, err = db.Exec(t.Context(), `UPDATE account SET `+change+` WHERE id = $1`, account)
		require.NoError(t, err)
		_, err = quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 1})
		require.Equal(t, fault.QuotaExceeded, fault.CodeOf(err), change)
	}
}

func TestGrantCannotFallBelowWhatIsInUse(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 100, 0)
	_, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 30})
	require.NoError(t, err)

	require.Equal(t, fault.InvalidLimit, fault.CodeOf(quota.SetGrant(t.Context(), db, account, 29)))
	require.NoError(t, quota.SetGrant(t.Context(), db, account, 30))
	require.Zero(t, balance(t, db, account).Available)
	require.NoError(t, quota.SetGrant(t.Context(), db, account, 500))
	require.Equal(t, int64(470), balance(t, db, account).Available)
	sound(t, db, account)
}
