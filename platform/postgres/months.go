package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// monthLayout is how a month ends the name of its partition: audit_log_2026_03.
const monthLayout = "2006_01"

// rest ends the name of the default partition, which takes the rows of months that have no partition.
const rest = "_rest"

// EnsureMonths makes the partitions of a table that is partitioned by range of one timestamptz column: the month of now
// and ahead months after it, in UTC. Rows of those months that the default partition (the table's name and _rest) took
// meanwhile move over. Two processes at once make each partition once. The table is locked against reads and writes
// only while something is missing. The table's name comes from the program, never from a request.
func EnsureMonths(ctx context.Context, db *pgxpool.Pool, table string, now time.Time, ahead int) error {
	missing, err := missingMonths(ctx, db, table, now, ahead)
	if err != nil || len(missing) == 0 {
		return err
	}
	return Tx(ctx, db, func(tx pgx.Tx) error {
		column, err := lockPartitioned(ctx, tx, table)
		if err != nil {
			return err
		}
		// Another process may have made them while this one waited for the lock.
		if missing, err = missingMonths(ctx, tx, table, now, ahead); err != nil {
			return err
		}
		for _, month := range missing {
			if err := makeMonth(ctx, tx, table, column, month); err != nil {
				return fmt.Errorf("make partition %s: %w", monthName(table, month), err)
			}
		}
		return nil
	})
}

// DropMonths drops the partitions of [EnsureMonths] whose month ended before a time, deletes the default partition's
// rows from before it, and returns how many partitions went.
func DropMonths(ctx context.Context, db *pgxpool.Pool, table string, before time.Time) (int, error) {
	if err := forgetRest(ctx, db, table, before); err != nil {
		return 0, err
	}
	old, err := endedMonths(ctx, db, table, before)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = Tx(ctx, db, func(tx pgx.Tx) error {
		if _, err := lockPartitioned(ctx, tx, table); err != nil {
			return err
		}
		if old, err = endedMonths(ctx, tx, table, before); err != nil {
			return err
		}
		for _, name := range old {
			if _, err := tx.Exec(ctx, `DROP TABLE `+quote(name)); err != nil {
				return fmt.Errorf("drop partition %s: %w", name, err)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(old), nil
}

// firstOf is the first moment of a time's month in UTC.
func firstOf(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func monthName(table string, month time.Time) string { return table + "_" + month.Format(monthLayout) }

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func missingMonths(ctx context.Context, db DB, table string, now time.Time, ahead int) ([]time.Time, error) {
	made, err := partitions(ctx, db, table)
	if err != nil {
		return nil, err
	}
	var missing []time.Time
	for i := range ahead + 1 {
		month := firstOf(now).AddDate(0, i, 0)
		if !slices.Contains(made, monthName(table, month)) {
			missing = append(missing, month)
		}
	}
	return missing, nil
}

// endedMonths names the partitions whose month ended before a time, or at it.
func endedMonths(ctx context.Context, db DB, table string, before time.Time) ([]string, error) {
	made, err := partitions(ctx, db, table)
	if err != nil {
		return nil, err
	}
	var ended []string
	for _, name := range made {
		month, err := time.Parse(monthLayout, strings.TrimPrefix(name, table+"_"))
		if err == nil && !month.AddDate(0, 1, 0).After(before) {
			ended = append(ended, name)
		}
	}
	return ended, nil
}

// partitions names a table's partitions, the default one too.
func partitions(ctx context.Context, db DB, table string) ([]string, error) {
	rows, err := db.Query(ctx, `
		SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = @table::text::regclass ORDER BY c.relname`,
		pgx.NamedArgs{"table": quote(table)})
	if err != nil {
		return nil, fmt.Errorf("list partitions of %s: %w", table, err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list partitions of %s: %w", table, err)
	}
	return names, nil
}

// lockPartitioned keeps everybody else out of the table until tx ends, and returns the column that it is partitioned
// by. A weaker lock would let a row be routed to the default partition just as its month's own partition appears, and
// PostgreSQL refuses such a row.
func lockPartitioned(ctx context.Context, tx pgx.Tx, table string) (string, error) {
	if _, err := tx.Exec(ctx, `LOCK TABLE `+quote(table)+` IN ACCESS EXCLUSIVE MODE`); err != nil {
		return "", fmt.Errorf("lock %s: %w", table, err)
	}
	return partitionColumn(ctx, tx, table)
}

func partitionColumn(ctx context.Context, db DB, table string) (string, error) {
	var column string
	err := db.QueryRow(ctx, `
		SELECT a.attname::text FROM pg_partitioned_table p
		JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
		WHERE p.partrelid = @table::text::regclass`,
		pgx.NamedArgs{"table": quote(table)}).Scan(&column)
	if err != nil {
		return "", fmt.Errorf("find the column that %s is partitioned by: %w", table, err)
	}
	return column, nil
}

// makeMonth makes the partition beside the table, moves its rows in and attaches it: a partition cannot be made while
// the default one holds rows of its range.
func makeMonth(ctx context.Context, tx pgx.Tx, table, column string, month time.Time) error {
	from, to := month.Format(time.RFC3339), month.AddDate(0, 1, 0).Format(time.RFC3339)
	name := quote(monthName(table, month))
	for _, statement := range []string{
		`CREATE TABLE ` + name + ` (LIKE ` + quote(table) + ` INCLUDING ALL)`,
		fmt.Sprintf(`WITH moved AS (DELETE FROM %s WHERE %s >= '%s' AND %[2]s < '%[4]s' RETURNING *) INSERT INTO %[5]s SELECT * FROM moved`,
			quote(table+rest), quote(column), from, to, name),
		fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`, quote(table), name, from, to),
	} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// forgetRest deletes what the default partition still holds from before a time.
func forgetRest(ctx context.Context, db *pgxpool.Pool, table string, before time.Time) error {
	column, err := partitionColumn(ctx, db, table)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, `DELETE FROM `+quote(table+rest)+` WHERE `+quote(column)+` < @before`, pgx.NamedArgs{"before": before})
	if err != nil {
		return fmt.Errorf("forget old rows of %s: %w", table+rest, err)
	}
	return nil
}
