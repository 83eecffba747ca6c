package media

import (
	"context"
	"fmt"
	"strings"
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
	for {
		n, err := s.expireBatch(ctx)
		removed += n
		if err != nil || n < sweepBatch {
			return removed, err
		}
	}
}

type leftover struct {
	ID  uuid.UUID
	Key *string
}

func (s *Service) leftovers(ctx context.Context, sql string) ([]leftover, error) {
	rows, err := s.db.Query(ctx, sql, pgx.NamedArgs{"limit": sweepBatch})
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
		ORDER BY ended_at LIMIT @limit`)
	if err != nil {
		return err
	}
	for _, job := range found {
		s.removeSource(ctx, job.ID, job.Key)
	}
	return nil
}

func (s *Service) expireBatch(ctx context.Context) (int, error) {
	found, err := s.leftovers(ctx, `
		SELECT id, output_key FROM job WHERE expires_at <= now() AND source_key IS NULL ORDER BY expires_at LIMIT @limit`)
	if err != nil {
		return 0, err
	}
	for i, job := range found {
		if job.Key != nil {
			if err := s.store.Delete(ctx, *job.Key); err != nil {
				return i, fmt.Errorf("remove expired output: %w", err)
			}
		}
		if _, err := s.db.Exec(ctx, `DELETE FROM job WHERE id = @id AND expires_at <= now()`, pgx.NamedArgs{"id": job.ID}); err != nil {
			return i, fmt.Errorf("remove expired job: %w", err)
		}
	}
	return len(found), nil
}

// SweepJobs removes sources and outputs that no job knows: what a killed process stored before it could say so. It
// returns how many there were.
func (s *Service) SweepJobs(ctx context.Context) (int, error) {
	removed := 0
	for _, prefix := range []string{sourcePrefix, outputPrefix} {
		for entry, err := range s.store.List(ctx, prefix, time.Now().Add(-orphanAge)) {
			if err != nil {
				return removed, fmt.Errorf("list %s: %w", prefix, err)
			}
			wanted, err := s.wanted(ctx, entry.Key)
			if err != nil {
				return removed, err
			}
			if wanted {
				continue
			}
			if err := s.store.Delete(ctx, entry.Key); err != nil {
				return removed, fmt.Errorf("remove orphan: %w", err)
			}
			removed++
		}
	}
	return removed, nil
}

// wanted tells whether a job's row names the blob, or is at work and may be about to.
func (s *Service) wanted(ctx context.Context, key string) (bool, error) {
	_, name, _ := strings.Cut(key, "/")
	job, _, _ := strings.Cut(name, "/")
	id, err := uuid.Parse(job)
	if err != nil {
		return false, nil //nolint:nilerr // a name that is no id of ours belongs to no job
	}
	var known bool
	err = s.db.QueryRow(ctx, `SELECT EXISTS (
			SELECT FROM job WHERE id = @id AND (source_key = @key OR output_key = @key OR status IN ('queued', 'running')))`,
		pgx.NamedArgs{"id": id, "key": key}).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look up blob: %w", err)
	}
	return known, nil
}
