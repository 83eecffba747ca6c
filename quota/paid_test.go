package quota_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/platform/postgres"
	"veracity/quota"
)

// paid opens a paid period and reports whether it granted anything.
func paid(t *testing.T, db *pgxpool.Pool, account uuid.UUID, start, end time.Time, credits int64) (granted bool) {
	t.Helper()
	require.NoError(t, postgres.Tx(t.Context(), db, func(tx pgx.Tx) (err error) {
		granted, err = quota.OpenPaid(t.Context(), tx, account, start, end, credits)
		return err
	}))
	return granted
}

func TestPaidPeriodsNeverOverlap(t *testing.T) {
	t.Parallel()
	at := time.Now().UTC().Truncate(time.Second)
	day := func(n int) time.Time { return at.AddDate(0, 0, n) }
	for name, order := range map[string][]int{"in order": {0, 1, 2}, "backwards": {2, 1, 0}, "the middle last": {0, 2, 1}, "twice": {1, 1, 2, 0, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := schematest.New(t)
			account := newAccount(t, db, 0, 0)
			_, err := db.Exec(t.Context(), `DELETE FROM credit_period WHERE account_id = $1`, account)
			require.NoError(t, err)
			starts := []time.Time{day(-40), day(-20), day(-1)}
			for _, i := range order {
				paid(t, db, account, starts[i], starts[i].AddDate(0, 0, 30), int64(100+i))
			}
			rows, err := db.Query(t.Context(), `SELECT period_start, period_end, granted FROM credit_period WHERE account_id = $1 ORDER BY 1`, account)
			require.NoError(t, err)
			type period struct {
				Start, End time.Time
				Granted    int64
			}
			periods, err := pgx.CollectRows(rows, pgx.RowToStructByPos[period])
			require.NoError(t, err)
			require.Equal(t, []period{{day(-40), day(-20), 100}, {day(-20), day(-1), 101}, {day(-1), day(29), 102}}, periods)
			sound(t, db, account)
		})
	}
}

func TestHoldSettlesInItsOwnPeriodAfterTheNextHasBegun(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 50, 0)
	id, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 20})
	require.NoError(t, err)
	require.True(t, paid(t, db, account, time.Now().Add(-time.Millisecond), time.Now().AddDate(0, 1, 0), 100))
	require.Equal(t, int64(100), balance(t, db, account).Available, "what was left has lapsed, the hold is not the new period's")
	ended, err := quota.Settle(t.Context(), db, account, id, 20)
	require.NoError(t, err)
	require.True(t, ended)
	require.Equal(t, int64(100), balance(t, db, account).Available)
	_, err = quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 100})
	require.NoError(t, err)
	sound(t, db, account)
}

func TestRaisingAGrantCountsOnceAndNeverLowersIt(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db, 0, 0)
	start := time.Now().Add(-time.Hour).Truncate(time.Second)
	_, err := db.Exec(t.Context(), `DELETE FROM credit_period WHERE account_id = $1`, account)
	require.NoError(t, err)
	require.True(t, paid(t, db, account, start, start.AddDate(0, 1, 0), 1000))
	for credits, want := range map[int64]bool{500: false, 1000: false} {
		raised, err := quota.Raise(t.Context(), db, account, start, credits)
		require.NoError(t, err)
		require.Equal(t, want, raised)
	}
	raised := atOnce(8, func(int) bool {
		ok, err := quota.Raise(t.Context(), db, account, start, 10_000)
		return err == nil && ok
	})
	require.Equal(t, 1, raised)
	require.False(t, paid(t, db, account, start, start.AddDate(0, 1, 0), 1000), "opened again it stays")
	require.Equal(t, int64(10_000), balance(t, db, account).Granted)
	unknown, err := quota.Raise(t.Context(), db, account, start.Add(time.Second), 10_000)
	require.NoError(t, err)
	require.False(t, unknown)
	sound(t, db, account)
}
