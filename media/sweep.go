package media

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// uploadGrace keeps the sweep away from a PUT that began just before its ticket ran out.
const uploadGrace = 10 * time.Minute

// uploadKeep is how long the row of an upload that was used or ran out is kept, for those who ask what became of it.
const uploadKeep = 30 * 24 * time.Hour

// SweepUploads ends tickets that ran out and removes the bytes of every upload whose ticket has run out, and of those that
// no row knows. It returns how many blobs it removed. It may be killed and run again at any point.
func (s *Service) SweepUploads(ctx context.Context) (int, error) {
	_, err := s.db.Exec(ctx, `
		UPDATE upload SET state = 'expired', ended_at = now()
		WHERE state = 'issued' AND expires_at < now() - @grace::interval`, pgx.NamedArgs{"grace": uploadGrace})
	if err != nil {
		return 0, fmt.Errorf("expire uploads: %w", err)
	}
	_, err = s.db.Exec(ctx, `DELETE FROM upload WHERE state <> 'issued' AND ended_at < now() - @keep::interval`,
		pgx.NamedArgs{"keep": uploadKeep})
	if err != nil {
		return 0, fmt.Errorf("forget uploads: %w", err)
	}
	// A blob must stay while it may be asked for, while a job works on it, and while its ticket still works and only the
	// blob in its place refuses a second PUT.
	return s.sweep(ctx, uploadPrefix, uploadGrace, `
		SELECT 'uploads/' || id FROM upload
		WHERE id IN (SELECT CASE WHEN substr(key, 9) ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN substr(key, 9)::uuid END
		             FROM unnest(@keys::text[]) AS key)
		  AND (state = 'issued' OR expires_at > now() - interval '10 minutes')
		UNION
		SELECT source_key FROM job WHERE source_key = ANY(@keys) AND ended_at IS NULL`)
}

// sweep removes the blobs under a prefix that are older than age and that keep, a query over @keys, does not name. One
// that cannot be removed is told to the log and left for the next run.
func (s *Service) sweep(ctx context.Context, prefix string, age time.Duration, keep string) (int, error) {
	removed := 0
	batch := make([]string, 0, sweepBatch)
	flush := func() error {
		n, err := s.removeBut(ctx, batch, keep)
		removed, batch = removed+n, batch[:0]
		return err
	}
	for entry, err := range s.store.List(ctx, prefix, time.Now().Add(-age)) {
		if err != nil {
			return removed, fmt.Errorf("list %s: %w", prefix, err)
		}
		if batch = append(batch, entry.Key); len(batch) < sweepBatch {
			continue
		}
		if err := flush(); err != nil {
			return removed, err
		}
	}
	return removed, flush()
}

// removeBut removes the blobs that the query keep does not name.
func (s *Service) removeBut(ctx context.Context, keys []string, keep string) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	rows, err := s.db.Query(ctx, keep, pgx.NamedArgs{"keys": keys})
	if err != nil {
		return 0, fmt.Errorf("look up blobs: %w", err)
	}
	wanted, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("look up blobs: %w", err)
	}
	removed := 0
	for _, key := range keys {
		if slices.Contains(wanted, key) {
			continue
		}
		if err := s.store.Delete(ctx, key); err != nil {
			s.log.WarnContext(ctx, "remove blob that nobody wants: left to the next run", "key", key, "error", err)
			continue
		}
		removed++
	}
	return removed, nil
}
