package usage

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/quota"
)

// charge takes credits from an account for a call.
func charge(t *testing.T, db *pgxpool.Pool, account, key uuid.UUID, call string, credits int64) {
	t.Helper()
	hold, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: credits + 1, Key: key, Call: call})
	require.NoError(t, err)
	settled, err := quota.Settle(t.Context(), db, account, hold, credits)
	require.NoError(t, err)
	require.True(t, settled)
}

func TestUsageAddsUpToTheLedgerToTheCredit(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account, other := newAccount(t, db), newAccount(t, db)
	web, batch := newKey(t, db, account, "web"), newKey(t, db, account, "batch")
	charge(t, db, account, web, Audit, 3)
	charge(t, db, account, web, Optimize, 20)
	charge(t, db, account, batch, Audit, 1)
	charge(t, db, account, uuid.Nil, Audit, 5)
	charge(t, db, account, uuid.Nil, "", 2) // a hold from before calls were recorded
	charge(t, db, other, uuid.Nil, Audit, 50)
	released, err := quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 9, Key: web, Call: Audit})
	require.NoError(t, err)
	_, err = quota.Release(t.Context(), db, account, released)
	require.NoError(t, err)
	_, err = quota.Hold(t.Context(), db, quota.Request{Account: account, Amount: 7, Key: web, Call: Audit})
	require.NoError(t, err)

	rows, err := ByCall(t.Context(), db, account, time.Now(), time.Now())
	require.NoError(t, err)
	balance, err := quota.Read(t.Context(), db, account)
	require.NoError(t, err)
	require.Equal(t, int64(31), balance.Spent)
	require.Equal(t, balance.Spent, Totals(rows).Credits)

	credits := map[string]int64{}
	for _, r := range rows {
		credits[r.KeyName+" "+r.Call] = r.Credits
	}
	require.Equal(t, map[string]int64{
		"web POST /audit": 3, "web POST /optimize": 20, "batch POST /audit": 1, " POST /audit": 5, " ": 2,
	}, credits)
	require.Equal(t, int64(31), today(t, db, account).Credits)
}

// at is an entry of a day in 2026.
func at(account, key uuid.UUID, when string, status int, code, verdict string) Entry {
	e := checked(account, key, verdict)
	e.At, _ = time.Parse(time.RFC3339, when)
	e.Status, e.Code = status, code
	return e
}

func TestDaysAreInUTCAndNoneIsLeftOut(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account, other := newAccount(t, db), newAccount(t, db)
	key := newKey(t, db, account, "web")
	l := openLog(t, db, nil)
	for _, e := range []Entry{
		at(account, key, "2026-03-01T23:59:59.999999Z", 200, OK, "ai"),
		at(account, key, "2026-03-03T01:00:00+02:00", 200, OK, "real"), // still the 2nd in UTC
		at(account, key, "2026-03-02T12:00:00Z", 429, "rate_limited", ""),
		at(account, key, "2026-03-02T12:00:01Z", 503, "engine_unavailable", ""),
		at(account, key, "2026-03-02T12:00:02Z", 200, "internal_error", ""), // an answer that broke off
		at(account, key, "2026-03-05T00:00:00Z", 200, OK, "uncertain"),
		at(other, uuid.Nil, "2026-03-02T12:00:00Z", 200, OK, "ai"),
	} {
		l.Note(e)
	}
	require.NoError(t, l.Close(t.Context()))

	from, to := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 4, 23, 0, 0, 0, time.UTC)
	want := []Day{
		{Day: from, Counts: Counts{Requests: 1, AI: 1}},
		{Day: from.AddDate(0, 0, 1), Counts: Counts{Requests: 4, Refused: 1, Failed: 2, Real: 1}},
		{Day: from.AddDate(0, 0, 2)},
		{Day: from.AddDate(0, 0, 3)},
	}
	days, err := Daily(t.Context(), db, account, from, to)
	require.NoError(t, err)
	require.Equal(t, want, days)
	days, err = Counted(t.Context(), db, account, from, to)
	require.NoError(t, err)
	require.Equal(t, want, days)
}

func TestRowsAreAddedUpByKeyAndByCall(t *testing.T) {
	t.Parallel()
	web, batch := uuid.New(), uuid.New()
	row := func(key uuid.UUID, name, call string, c Counts) Row {
		return Row{Day: time.Now(), Key: key, KeyName: name, Call: call, Counts: c}
	}
	rows := []Row{
		row(web, "web", Audit, Counts{Requests: 2, AI: 1, Credits: 2}),
		row(batch, "batch", Audit, Counts{Requests: 9, Real: 9, Credits: 9}),
		row(web, "web", Optimize, Counts{Requests: 1, Credits: 20}),
		row(web, "web", Audit, Counts{Requests: 1, Refused: 1}),
	}
	require.Equal(t, []Row{
		{Key: batch, KeyName: "batch", Counts: Counts{Requests: 9, Real: 9, Credits: 9}},
		{Key: web, KeyName: "web", Counts: Counts{Requests: 4, Refused: 1, AI: 1, Credits: 22}},
	}, ByKey(rows))
	require.Equal(t, []Row{
		{Call: Audit, Counts: Counts{Requests: 12, Refused: 1, AI: 1, Real: 9, Credits: 11}},
		{Call: Optimize, Counts: Counts{Requests: 1, Credits: 20}},
	}, Calls(rows))
}

func TestOldCountsAndOldMonthsGo(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	now := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	require.NoError(t, Partition(t.Context(), db, now.AddDate(0, -4, 0), 90*day))
	require.NoError(t, Partition(t.Context(), db, now.AddDate(0, -1, 0), 90*day))
	l := openLog(t, db, nil)
	for _, when := range []string{"2026-03-31T23:00:00Z", "2026-04-30T12:00:00Z", "2026-07-15T11:00:00Z"} {
		l.Note(at(account, uuid.Nil, when, 200, OK, ""))
	}
	require.NoError(t, l.Close(t.Context()))

	require.NoError(t, Partition(t.Context(), db, now, 90*day))
	found := logged(t, db, account)
	require.Len(t, found, 2, "April still has days within 90 days of July 15th")
	require.NoError(t, Partition(t.Context(), db, now, 90*day), "again changes nothing")

	n, err := Forget(t.Context(), db, now, 90*day)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	n, err = Forget(t.Context(), db, now, 90*day)
	require.NoError(t, err)
	require.Zero(t, n)
}
