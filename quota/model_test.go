package quota_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/migrations/schematest"
	"veracity/platform/fault"
	"veracity/quota"
)

// ledger is the model: what the credits of one account must be.
type ledger struct {
	db                   *pgxpool.Pool
	account              uuid.UUID
	granted, spent, held int64
	open                 map[uuid.UUID]int64
	ended                []uuid.UUID
}

func TestCreditsFollowTheModel(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		granted := rapid.Int64Range(0, 60).Draw(rt, "granted")
		l := &ledger{db: db, account: newAccount(t, db, granted, 0), granted: granted, open: map[uuid.UUID]int64{}}
		rt.Repeat(map[string]func(*rapid.T){
			"":       func(rt *rapid.T) { l.compare(t, rt) },
			"hold":   func(rt *rapid.T) { l.hold(t, rt) },
			"settle": func(rt *rapid.T) { l.end(t, rt, true) },
			"release": func(rt *rapid.T) {
				l.end(t, rt, false)
			},
			"again": func(rt *rapid.T) { l.again(t, rt) },
			"grant": func(rt *rapid.T) { l.grant(t, rt) },
		})
		sound(t, db, l.account)
	})
}

func (l *ledger) compare(t *testing.T, rt *rapid.T) {
	t.Helper()
	b := balance(t, l.db, l.account)
	require.Equal(rt, []int64{l.granted, l.spent, l.held}, []int64{b.Granted, b.Spent, b.Held})
}

func (l *ledger) hold(t *testing.T, rt *rapid.T) {
	t.Helper()
	amount := rapid.Int64Range(1, 20).Draw(rt, "amount")
	id, err := quota.Hold(t.Context(), l.db, quota.Request{Account: l.account, Amount: amount})
	if l.granted-l.spent-l.held < amount {
		require.Equal(rt, fault.QuotaExceeded, fault.CodeOf(err))
		return
	}
	require.NoError(rt, err)
	l.open[id] = amount
	l.held += amount
}

func (l *ledger) end(t *testing.T, rt *rapid.T, charge bool) {
	t.Helper()
	for id, amount := range l.open {
		var captured int64
		var ok bool
		var err error
		if charge {
			captured = rapid.Int64Range(0, amount).Draw(rt, "captured")
			ok, err = quota.Settle(t.Context(), l.db, l.account, id, captured)
		} else {
			ok, err = quota.Release(t.Context(), l.db, l.account, id)
		}
		require.NoError(rt, err)
		require.True(rt, ok)
		l.held -= amount
		l.spent += captured
		delete(l.open, id)
		l.ended = append(l.ended, id)
		return
	}
}

// again ends a hold that has ended: nothing may change.
func (l *ledger) again(t *testing.T, rt *rapid.T) {
	t.Helper()
	if len(l.ended) == 0 {
		return
	}
	ok, err := quota.Settle(t.Context(), l.db, l.account, rapid.SampledFrom(l.ended).Draw(rt, "ended"), 1)
	require.NoError(rt, err)
	require.False(rt, ok)
}

func (l *ledger) grant(t *testing.T, rt *rapid.T) {
	t.Helper()
	credits := rapid.Int64Range(0, 80).Draw(rt, "credits")
	err := quota.SetGrant(t.Context(), l.db, l.account, credits)
	if credits < l.spent+l.held {
		require.Equal(rt, fault.InvalidLimit, fault.CodeOf(err))
		return
	}
	require.NoError(rt, err)
	l.granted = credits
}
