package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"veracity/platform/postgres"
	"veracity/platform/postgres/pgtest"
)

// events has a table that is partitioned by month, as the audit trail is.
func events() pgtest.Schema {
	return pgtest.Schema{Name: "events", Up: func(ctx context.Context, db *pgxpool.Pool) error {
		_, err := db.Exec(ctx, `
			CREATE TABLE event (
				id integer NOT NULL, at timestamptz NOT NULL DEFAULT now(), note text NOT NULL DEFAULT '', PRIMARY KEY (at, id)
			) PARTITION BY RANGE (at);
			CREATE INDEX event_note_idx ON event (note, at DESC);
			CREATE TABLE event_rest PARTITION OF event DEFAULT`)
		return err
	}}
}

func happened(t *testing.T, db postgres.DB, id int, at time.Time) {
	t.Helper()
	_, err := db.Exec(t.Context(), `INSERT INTO event (id, at) VALUES ($1, $2)`, id, at)
	require.NoError(t, err)
}

// home names the partition that holds each event.
func home(t *testing.T, db postgres.DB) map[int]string {
	t.Helper()
	rows, err := db.Query(t.Context(), `SELECT id, tableoid::regclass::text FROM event`)
	require.NoError(t, err)
	found := map[int]string{}
	var (
		id   int
		name string
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error { found[id] = name; return nil })
	require.NoError(t, err)
	return found
}

func tables(t *testing.T, db postgres.DB) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), `SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'event'::regclass ORDER BY 1`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return names
}

func TestMonthsGoOverTheTurnOfTheYear(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t, events())
	// In Auckland it is December already; partitions go by UTC.
	now := time.Date(2027, time.December, 1, 9, 0, 0, 0, time.FixedZone("NZDT", 13*60*60))
	require.NoError(t, postgres.EnsureMonths(t.Context(), db, "event", now, 2))
	require.Equal(t, []string{"event_2027_11", "event_2027_12", "event_2028_01", "event_rest"}, tables(t, db))
	require.NoError(t, postgres.EnsureMonths(t.Context(), db, "event", now.AddDate(0, 0, 80), 2), "what is there stays")
	require.Equal(t, []string{"event_2027_11", "event_2027_12", "event_2028_01", "event_2028_02", "event_2028_03", "event_2028_04", "event_rest"},
		tables(t, db))

	happened(t, db, 1, time.Date(2027, time.December, 31, 23, 59, 59, 999_999_000, time.UTC))
	happened(t, db, 2, time.Date(2028, time.January, 1, 0, 0, 0, 0, time.UTC))
	happened(t, db, 3, time.Date(2028, time.February, 29, 23, 0, 0, 0, time.UTC))
	happened(t, db, 4, time.Date(2029, time.January, 1, 0, 0, 0, 0, time.UTC))
	require.Equal(t, map[int]string{1: "event_2027_12", 2: "event_2028_01", 3: "event_2028_02", 4: "event_rest"}, home(t, db))
}

func TestRowsOfTheDefaultPartitionMoveToTheirMonth(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t, events())
	now := time.Date(2026, time.March, 15, 0, 0, 0, 0, time.UTC)
	for id, at := range []time.Time{now.AddDate(0, -1, 0), now, time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC), now.AddDate(1, 0, 0)} {
		happened(t, db, id, at)
	}
	require.NoError(t, postgres.EnsureMonths(t.Context(), db, "event", now, 1))
	require.Equal(t, map[int]string{0: "event_rest", 1: "event_2026_03", 2: "event_2026_04", 3: "event_rest"}, home(t, db))

	var indexes int
	require.NoError(t, db.QueryRow(t.Context(), `
		SELECT count(*) FROM pg_inherits WHERE inhparent IN ('event_note_idx'::regclass, 'event_pkey'::regclass)`).Scan(&indexes))
	require.Equal(t, 6, indexes, "each partition has both indexes")
}

func TestMonthsCanBeMadeByManyAtOnceWhileRowsArrive(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t, events())
	now := time.Date(2026, time.March, 15, 0, 0, 0, 0, time.UTC)
	var group errgroup.Group
	for range 4 {
		group.Go(func() error { return postgres.EnsureMonths(t.Context(), db, "event", now, 3) })
	}
	for worker := range 4 {
		group.Go(func() error {
			for i := range 25 {
				_, err := db.Exec(t.Context(), `INSERT INTO event (id, at) VALUES ($1, $2)`, worker*100+i, now.AddDate(0, i%4, 0))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	found := home(t, db)
	require.Len(t, found, 100)
	for id, name := range found {
		require.NotEqual(t, "event_rest", name, id)
	}
	require.Len(t, tables(t, db), 5)
}

func TestOldMonthsAreDroppedWhole(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t, events())
	january := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	happened(t, db, 1, january.AddDate(-1, 0, 0))
	require.NoError(t, postgres.EnsureMonths(t.Context(), db, "event", january, 3))
	happened(t, db, 2, january)
	happened(t, db, 3, january.AddDate(0, 1, 0))

	n, err := postgres.DropMonths(t.Context(), db, "event", january.AddDate(0, 1, 0).Add(-time.Microsecond))
	require.NoError(t, err)
	require.Zero(t, n, "January has not quite ended")
	require.Equal(t, map[int]string{2: "event_2026_01", 3: "event_2026_02"}, home(t, db), "the default partition forgets too")

	n, err = postgres.DropMonths(t.Context(), db, "event", january.AddDate(0, 2, -1))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, map[int]string{3: "event_2026_02"}, home(t, db))
	n, err = postgres.DropMonths(t.Context(), db, "event", january.AddDate(0, 2, -1))
	require.NoError(t, err)
	require.Zero(t, n, "once")
}

func TestATableThatIsNotPartitionedIsLeftAlone(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t, items())
	require.ErrorContains(t, postgres.EnsureMonths(t.Context(), db, "item", time.Now(), 1), "item is partitioned by")
	_, err := postgres.DropMonths(t.Context(), db, "item", time.Now())
	require.ErrorContains(t, err, "item is partitioned by")
}
