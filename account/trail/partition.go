package trail

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/postgres"
)

// Keep is how long entries are kept by default; they go by whole months.
const Keep = 400 * 24 * time.Hour

// ahead is how many months' partitions are ready beforehand.
const ahead = 2

// table is where the trail lies, partitioned by month.
const table = "audit_log"

// Partition makes the partitions of this month and the next two, and drops those that ended longer than keep ago. It
// is a periodic task, safe to run at any time and in many processes.
func Partition(ctx context.Context, db *pgxpool.Pool, now time.Time, keep time.Duration) error {
	if err := postgres.EnsureMonths(ctx, db, table, now, ahead); err != nil {
		return err
	}
	_, err := postgres.DropMonths(ctx, db, table, now.Add(-keep))
	return err
}
