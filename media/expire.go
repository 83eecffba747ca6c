package media

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// orphanAge is how long a blob may lie without a job before the sweep takes it for one that nobody will come for: a
// source is stored before its job's row, within the call.
const orphanAge = 2 * time.Hour

// sweepBatch bounds what one statement reads.
const sweepBatch = 500

// ExpireJobs removes the sources of jobs that have ended, and jobs whose results have expired with their outputs. It
// returns how many jobs it removed. Bytes go before rows, so that it may be killed at any point and run again.
func (s *Service) ExpireJobs(ctx context.Context) (int, error) {
	if err := s.removeEndedSources(ctx); err != nil {
		return 0, err
	}
	removed := 0
	failed := []uuid.UUID{}
	for {
		n, err := s.expireBatch(ctx, &failed)
		removed += n
		if err != nil || n == 0 {
			return removed, err
		}
	}
}

type leftover struct {
	ID  uuid.UUID
	Key *string
}

func (s *Service) leftovers(ctx context.Context, sql string, but []uuid.UUID) ([]leftover, error) {
	rows, err := s.db.Query(ctx, sql, pgx.NamedArgs{"limit": sweepBatch, "but": but})
	if err != nil {
		return nil, fmt.Errorf("find what ended jobs left: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[leftover])
	if err != nil {
		return nil, fmt.Errorf("find what ended jobs left: %w", err)
	}
	return found, nil
}

func (s *Service) removeEndedSources(ctx context.Context) error {
	found, err := s.leftovers(ctx, `
		SELECT id, source_key FROM job WHERE source_key IS NOT NULL AND ended_at < now() - interval '1 minute'
		  AND id <> ALL(@but)
		ORDER BY ended_at LIMIT @limit`, []uuid.UUID{})
	if err != nil {
		return err
	}
	for _, job := range found {
		s.removeSource(ctx, job.ID, job.Key)
	}
	return nil
}

// expireBatch removes some expired jobs. One whose output cannot be removed is told to the log and left for the next run.
func (s *Service) expireBatch(ctx context.Context, failed *[]uuid.UUID) (int, error) {
	found, err := s.leftovers(ctx, `
		SELECT id, output_key FROM job WHERE expires_at <= now() AND source_key IS NULL AND id <> ALL(@but)
		ORDER BY expires_at LIMIT @limit`, *failed)
	if err != nil {
		return 0, err
	}
	var gone []uuid.UUID
	for _, job := range found {
		if job.Key != nil {
			if err := s.store.Delete(ctx, *job.Key); err != nil {
				s.log.WarnContext(ctx, "remove expired output: left to the next run", "job", job.ID, "error", err)
				*failed = append(*failed, job.ID)
				continue
			}
		}
		gone = append(gone, job.ID)
	}
	if _, err := s.db.Exec(ctx, `DELETE FROM job WHERE id = ANY(@ids) AND expires_at <= now()`, pgx.NamedArgs{"ids": gone}); err != nil {
		return 0, fmt.Errorf("remove expired jobs: %w", err)
	}
	return len(gone), nil
}

// SweepJobs removes sources and outputs that no job knows: what a killed process stored before it could say so. It
// returns how many there were.
func (s *Service) SweepJobs(ctx context.Context) (int, error) {
	removed := 0
	for _, prefix := range []string{sourcePrefix, outputPrefix} {
		n, err := s.sweep(ctx, prefix, orphanAge, `
			SELECT key FROM unnest(@keys::text[]) AS key
			WHERE EXISTS (SELECT FROM job
			              WHERE id = CASE WHEN split_part(key, '/', 2) ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
			                        THEN split_part(key, '/', 2)::uuid END
			                AND (source_key = key OR output_key = key OR status IN ('queued', 'running')))`)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}
