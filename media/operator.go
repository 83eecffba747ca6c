package media

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/account/access"
	"veracity/engine"
)

// AnyJob is a job of any account as the operator sees it: what it is and how it stands, never what is in it.
type AnyJob struct {
	ID      uuid.UUID
	Account uuid.UUID
	// AccountName is the account's name, or its e-mail address where it has none.
	AccountName string
	// Kind is check or optimize.
	Kind     string
	Media    engine.Media
	Status   Status
	Attempt  int
	Progress float64
	// Charged is nil until the job has ended.
	Charged      *int64
	ErrorCode    *string
	ErrorMessage *string
	CreatedAt    time.Time
	StartedAt    *time.Time
	EndedAt      *time.Time
}

// AnyJobFilter chooses jobs. Its zero value asks for the newest of all.
type AnyJobFilter struct {
	// Account narrows to one account, Status to one status.
	Account uuid.UUID
	Status  Status
	// Before and BeforeID page: jobs from before that job of that time.
	Before   *time.Time
	BeforeID uuid.UUID
	// Limit is how many at most, 1 to 200; 0 means 50.
	Limit int
}

// Bounds of AnyJobFilter.Limit.
const (
	anyJobs    = 50
	maxAnyJobs = 200
)

// AllJobs lists jobs of all accounts, the newest first. Refusal: forbidden without the right [access.Operate].
func (s *Service) AllJobs(ctx context.Context, by access.Actor, f AnyJobFilter) ([]AnyJob, error) {
	if err := by.May(access.Operate); err != nil {
		return nil, err
	}
	if f.Limit <= 0 {
		f.Limit = anyJobs
	}
	args := pgx.NamedArgs{
		"account": f.Account, "status": f.Status, "before": f.Before, "before_id": f.BeforeID, "limit": min(f.Limit, maxAnyJobs),
	}
	where := `(@before::timestamptz IS NULL OR (j.created_at, j.id) < (@before, @before_id))`
	if f.Account != uuid.Nil {
		where += ` AND j.account_id = @account`
	}
	switch f.Status {
	case "":
	case Failed: // spelled out, so that the index of failed jobs is used
		where += ` AND j.status = 'failed'`
	default:
		where += ` AND j.status = @status`
	}
	rows, err := s.db.Query(ctx, `
		SELECT j.id, j.account_id, coalesce(nullif(a.name, ''), a.email), j.kind, j.media, j.status, j.attempt, j.progress,
		       j.charged, j.error_code, j.error_message, j.created_at, j.started_at, j.ended_at
		FROM job j JOIN account a ON a.id = j.account_id
		WHERE `+where+` ORDER BY j.created_at DESC, j.id DESC LIMIT @limit`, args)
	if err != nil {
		return nil, fmt.Errorf("list jobs of all accounts: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AnyJob])
	if err != nil {
		return nil, fmt.Errorf("list jobs of all accounts: %w", err)
	}
	return found, nil
}

// EngineReady asks the engine whether it takes work, for the operator. The refusals are forbidden and what the engine
// says, such as engine_unavailable.
func (s *Service) EngineReady(ctx context.Context, by access.Actor) error {
	if err := by.May(access.Operate); err != nil {
		return err
	}
	return s.engine.Ready(ctx)
}
