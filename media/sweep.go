package media

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
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
	removed := 0
	for entry, err := range s.store.List(ctx, uploadPrefix, time.Now().Add(-uploadGrace)) {
		if err != nil {
			return removed, fmt.Errorf("list uploads: %w", err)
		}
		live, err := s.uploadLive(ctx, entry.Key)
		if err != nil {
			return removed, err
		}
		if live {
			continue
		}
		if err := s.store.Delete(ctx, entry.Key); err != nil {
			return removed, fmt.Errorf("remove upload: %w", err)
		}
		removed++
	}
	return removed, nil
}

// uploadLive tells whether a blob must stay: it may still be asked for, a job works on it, or its ticket still works and
// only the blob in its place refuses a second PUT.
func (s *Service) uploadLive(ctx context.Context, key string) (bool, error) {
	id, err := uuid.Parse(strings.TrimPrefix(key, uploadPrefix))
	if err != nil {
		return false, nil //nolint:nilerr // a name that is no id of ours belongs to no ticket
	}
	var live bool
	err = s.db.QueryRow(ctx, `SELECT
			EXISTS (SELECT FROM upload WHERE id = @id AND (state = 'issued' OR expires_at > now() - @grace::interval))
			OR EXISTS (SELECT FROM job WHERE source_key = @key AND ended_at IS NULL)`,
		pgx.NamedArgs{"id": id, "key": key, "grace": uploadGrace}).Scan(&live)
	if err != nil {
		return false, fmt.Errorf("look up upload: %w", err)
	}
	return live, nil
}
