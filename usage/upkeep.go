package usage

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/postgres"
)

const (
	logTable = "request_log"
	// monthsAhead is how many months beyond this one have their partition, so that a task that does not run for weeks
	// leaves no request to the default partition.
	monthsAhead = 2
)

// Partition makes the partitions of the request log that are due and drops the months that are older than keep.
func Partition(ctx context.Context, db *pgxpool.Pool, now time.Time, keep time.Duration) error {
	if err := postgres.EnsureMonths(ctx, db, logTable, now, monthsAhead); err != nil {
		return fmt.Errorf("make partitions of the request log: %w", err)
	}
	if _, err := postgres.DropMonths(ctx, db, logTable, now.Add(-keep)); err != nil {
		return fmt.Errorf("drop old partitions of the request log: %w", err)
	}
	return nil
}

// Forget removes the counts of days that are older than keep, and returns how many rows there were.
func Forget(ctx context.Context, db postgres.DB, now time.Time, keep time.Duration) (int64, error) {
	tag, err := db.Exec(ctx, `DELETE FROM usage_day WHERE day < @before::date`, pgx.NamedArgs{"before": dayOf(now.Add(-keep))})
	if err != nil {
		return 0, fmt.Errorf("forget old counts: %w", err)
	}
	return tag.RowsAffected(), nil
}
