package usage

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/platform/postgres"
)

func TestEveryNotedRequestIsLoggedAndCountedOnce(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	key := newKey(t, db, account, "web")
	// Two processes, each with several requests at once and more than one batch.
	logs := []*Log{
		openLog(t, db, func(c *Config) { c.Batch = 7 }),
		openLog(t, db, func(c *Config) { c.Batch = 7 }),
	}
	var done sync.WaitGroup
	for i := range 20 {
		done.Go(func() {
			for range 10 {
				logs[i%2].Note(checked(account, key, "ai"))
			}
		})
	}
	done.Wait()
	for _, l := range logs {
		require.NoError(t, l.Close(t.Context()))
	}
	require.Len(t, logged(t, db, account), 200)
	require.Equal(t, Counts{Requests: 200, AI: 200}, today(t, db, account))
}

func TestLineHasTheRequestAsItWasAnswered(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	key := newKey(t, db, account, "web")
	check := checked(account, key, "uncertain")
	refused := Entry{
		ID: uuid.Must(uuid.NewV7()), At: check.At.Add(time.Second), Account: account, Method: "POST", Route: "/optimize",
		Status: 402, Code: "quota_exceeded", Took: time.Millisecond,
	}
	l := openLog(t, db, nil)
	l.Note(check)
	l.Note(refused)
	require.NoError(t, l.Close(t.Context()))

	require.Equal(t, []Request{
		{ID: refused.ID, At: stamp(refused.At), Method: "POST", Route: "/optimize", Status: 402, Code: "quota_exceeded", Took: time.Millisecond},
		{
			ID: check.ID, At: stamp(check.At), Key: key, KeyName: "web", KeyStart: "svc_live_abc", Method: "POST", Route: "/audit",
			Status: 200, Code: OK, Verdict: "uncertain", Credits: 1, Took: 123 * time.Millisecond,
		},
	}, logged(t, db, account))
}

func TestRequestsWaitForNoDatabaseAndOnlyWhatDoesNotFitIsLost(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	unlock := lockTable(t, db, "request_log")
	l := openLog(t, db, func(c *Config) { c.Batch, c.Buffer, c.Every = 10, 50, time.Minute })

	for range 10 {
		l.Note(checked(account, uuid.Nil, ""))
	}
	require.Eventually(t, func() bool { return len(l.entries) == 0 }, 5*time.Second, time.Millisecond, "the writer has a batch in its hands")
	began := time.Now()
	for range 100 {
		l.Note(checked(account, uuid.Nil, ""))
	}
	require.Less(t, time.Since(began), time.Second)
	require.InDelta(t, 60, counted(t, l.metrics.dropped), 0)

	unlock()
	require.NoError(t, l.Close(t.Context()))
	require.Len(t, logged(t, db, account), 50)
	require.Equal(t, int64(50), today(t, db, account).Requests)
}

// lockTable keeps everybody from a table until the returned function is called.
func lockTable(t *testing.T, db *pgxpool.Pool, table string) (unlock func()) {
	t.Helper()
	tx, err := db.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE `+table+` IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	unlock = sync.OnceFunc(func() { require.NoError(t, tx.Rollback(context.WithoutCancel(t.Context()))) })
	t.Cleanup(unlock)
	return unlock
}

func TestWriteThatFailsIsTriedAgainUntilItHolds(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	rename := func(from, to string) {
		_, err := db.Exec(t.Context(), fmt.Sprintf(`ALTER TABLE %s RENAME TO %s`, from, to))
		require.NoError(t, err)
	}
	rename("usage_day", "away")
	l := openLog(t, db, nil)
	l.Note(checked(account, uuid.Nil, "real"))
	require.Eventually(t, func() bool { return counted(t, l.metrics.retries) > 0 }, 5*time.Second, time.Millisecond)
	require.Empty(t, logged(t, db, account), "log and counts are written together")
	rename("away", "usage_day")

	require.NoError(t, l.Close(t.Context()))
	require.Len(t, logged(t, db, account), 1)
	require.Equal(t, Counts{Requests: 1, Real: 1}, today(t, db, account))
	require.Zero(t, counted(t, l.metrics.dropped))
}

func TestWriteWhoseAnswerWasLostCountsOnce(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	l := openLog(t, db, nil)
	defer func() { require.NoError(t, l.Close(context.WithoutCancel(t.Context()))) }()
	batch := []Entry{checked(account, uuid.Nil, "ai"), checked(account, uuid.Nil, "real")}
	require.NoError(t, l.write(t.Context(), batch, false))
	require.NoError(t, l.write(t.Context(), batch, true))
	require.Len(t, logged(t, db, account), 2)
	require.Equal(t, Counts{Requests: 2, AI: 1, Real: 1}, today(t, db, account))
}

func TestDeletedAccountCostsOthersNoRequest(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	gone, stays := newAccount(t, db), newAccount(t, db)
	_, err := db.Exec(t.Context(), `DELETE FROM account WHERE id = $1`, gone)
	require.NoError(t, err)
	l := openLog(t, db, nil)
	for range 5 {
		l.Note(checked(gone, uuid.Nil, "ai"))
		l.Note(checked(stays, uuid.Nil, "ai"))
	}
	require.NoError(t, l.Close(t.Context()))
	require.Empty(t, logged(t, db, gone))
	require.Equal(t, Counts{Requests: 5, AI: 5}, today(t, db, stays))
	require.Zero(t, counted(t, l.metrics.dropped))
}

func TestAccountDeletedDuringTheWriteCostsOthersNoRequest(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	gone, stays := newAccount(t, db), newAccount(t, db)
	// The deletion is under way when the batch looks for deleted accounts, and done when it counts.
	tx, err := db.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), `DELETE FROM account WHERE id = $1`, gone)
	require.NoError(t, err)
	l := openLog(t, db, nil)
	l.Note(checked(gone, uuid.Nil, "ai"))
	l.Note(checked(stays, uuid.Nil, "ai"))
	require.Eventually(t, func() bool { return waits(t, db) }, 5*time.Second, time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))

	require.NoError(t, l.Close(t.Context()))
	require.Equal(t, Counts{Requests: 1, AI: 1}, today(t, db, stays))
	require.Empty(t, logged(t, db, gone))
}

// waits tells whether a statement of the test's database waits for a lock.
func waits(t *testing.T, db *pgxpool.Pool) bool {
	t.Helper()
	var n int
	err := db.QueryRow(t.Context(), `
		SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
	require.NoError(t, err)
	return n > 0
}

func TestRequestThatCannotBeWrittenStopsNoOther(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	l := openLog(t, db, func(c *Config) { c.Batch = 1 })
	bad := checked(account, uuid.Nil, "")
	bad.Code = "no text of the database's:\x00"
	l.Note(bad)
	l.Note(checked(account, uuid.Nil, ""))
	require.NoError(t, l.Close(t.Context()))
	require.Len(t, logged(t, db, account), 1)
	require.InDelta(t, 1, counted(t, l.metrics.dropped), 0)
}

func TestCloseEndsWithItsContextAndSaysSo(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	lockTable(t, db, "request_log")
	l := openLog(t, db, nil)
	l.Note(checked(account, uuid.Nil, ""))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, l.Close(ctx), context.DeadlineExceeded)
	require.InDelta(t, 1, counted(t, l.metrics.dropped), 0)

	l.Note(checked(account, uuid.Nil, ""))
	require.InDelta(t, 2, counted(t, l.metrics.dropped), 0, "a closed log takes nothing and says so")
	require.NoError(t, l.Close(t.Context()), "closing twice is no fault")
}

func TestVerdictOfAClipCountsWithItsJob(t *testing.T) {
	t.Parallel()
	db := schematest.New(t)
	account := newAccount(t, db)
	key := newKey(t, db, account, "web")
	count := func(verdict string) error {
		return postgres.Tx(t.Context(), db, func(tx pgx.Tx) error {
			return CountVerdict(t.Context(), tx, account, key, time.Now(), Audit, verdict)
		})
	}
	for _, verdict := range []string{"ai", "ai", "unavailable", "none"} {
		require.NoError(t, count(verdict))
	}
	require.Equal(t, Counts{AI: 2, Unavailable: 1}, today(t, db, account))
}
