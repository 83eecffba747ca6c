package media

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/platform/fault"
)

// JobFilter chooses among an account's jobs.
type JobFilter struct {
	// Kind is KindCheck or KindOptimize, Status one of the four; empty is any.
	Kind   string
	Status Status
	// Before is the last job of the page before, nil for the newest.
	Before uuid.UUID
	// Limit is how many are read at most.
	Limit int
}

// JobKey is the key that a job was started with. Its name and start are empty when the account has it no longer.
type JobKey struct {
	ID          uuid.UUID
	Name, Start string
}

// JobSummary is a job in a list.
type JobSummary struct {
	ID     uuid.UUID
	Kind   string
	Media  engine.Media
	Status Status
	// Progress is how much of the work is done, 0 to 1.
	Progress float64
	// Key is nil for a job of the playground.
	Key *JobKey
	// Held is the credits set aside at the start, Charged what the job cost, nil before its end.
	Held    int64
	Charged *int64
	// Verdict and Score are those of a check that has succeeded; Zone goes with the Score of an optimization.
	Verdict   engine.Verdict
	Score     *int
	Zone      engine.Zone
	Error     *JobError
	CreatedAt time.Time
	StartedAt *time.Time
	EndedAt   *time.Time
	ExpiresAt *time.Time
}

// JobDetail is all that an account sees of its job.
type JobDetail struct {
	JobSummary
	// Report is there once a check has succeeded, Rendered once an optimization has.
	Report   *engine.Report
	Rendered *engine.Rendered
	// Answer is the optimization as GET /optimize/{id} answers it, nil before its end; FileURL is its download link.
	Answer      []byte
	FileURL     string
	SourceBytes int64
	// MaxSeconds is the longest clip that the hold pays for, nil for images.
	MaxSeconds *float64
	Callback   string
	// Delivery is the webhook's, nil while there is none.
	Delivery uuid.UUID
}

const (
	summaryColumns = `j.id, j.kind, j.media, j.status, j.progress, j.key_id, coalesce(k.name, ''), coalesce(k.start, ''),
		h.amount, j.charged, j.error_code, j.error_message, j.created_at, j.started_at, j.ended_at, j.expires_at, j.report`
	summaryTables = `job j JOIN credit_hold h ON h.id = j.hold_id AND h.account_id = j.account_id
		LEFT JOIN api_key k ON k.id = j.key_id AND k.account_id = j.account_id`
)

// row is a summary on its way from the database.
type row struct {
	job           *JobSummary
	key           *uuid.UUID
	name, start   string
	code, message *string
	report        []byte
}

func (r *row) columns() []any {
	j := r.job
	return []any{
		&j.ID, &j.Kind, &j.Media, &j.Status, &j.Progress, &r.key, &r.name, &r.start,
		&j.Held, &j.Charged, &r.code, &r.message, &j.CreatedAt, &j.StartedAt, &j.EndedAt, &j.ExpiresAt, &r.report,
	}
}

// fill puts what is no column of its own where it belongs. PostgreSQL cannot look into a report, which may hold U+0000.
func (r *row) fill() error {
	if r.key != nil {
		r.job.Key = &JobKey{ID: *r.key, Name: r.name, Start: r.start}
	}
	r.job.Error = jobError(r.code, r.message)
	if r.report == nil {
		return nil
	}
	if r.job.Kind == KindOptimize {
		var out struct{ Score engine.OptimizationScore }
		if err := json.Unmarshal(r.report, &out); err != nil {
			return fmt.Errorf("read score of optimization: %w", err)
		}
		r.job.Score, r.job.Zone = &out.Score.Score, out.Score.Zone
		return nil
	}
	var found struct {
		Verdict engine.Verdict
		Score   *int
	}
	if err := json.Unmarshal(r.report, &found); err != nil {
		return fmt.Errorf("read verdict of check: %w", err)
	}
	r.job.Verdict, r.job.Score = found.Verdict, found.Score
	return nil
}

// Jobs reads an account's jobs that have not expired, the newest first.
func (s *Service) Jobs(ctx context.Context, account uuid.UUID, f JobFilter) ([]JobSummary, error) {
	rows, err := s.db.Query(ctx, `
		SELECT `+summaryColumns+` FROM `+summaryTables+`
		WHERE j.account_id = @account AND (j.expires_at IS NULL OR j.expires_at > now())
		  AND (@kind = '' OR j.kind = @kind) AND (@status = '' OR j.status = @status)
		  AND (@before::uuid IS NULL OR
		       (j.created_at, j.id) < (SELECT b.created_at, b.id FROM job b WHERE b.id = @before AND b.account_id = @account))
		ORDER BY j.created_at DESC, j.id DESC LIMIT @limit`,
		pgx.NamedArgs{
			"account": account, "kind": f.Kind, "status": string(f.Status), "before": Caller{Key: f.Before}.key(), "limit": f.Limit,
		})
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(from pgx.CollectableRow) (JobSummary, error) {
		var j JobSummary
		r := row{job: &j}
		if err := from.Scan(r.columns()...); err != nil {
			return j, err
		}
		return j, r.fill()
	})
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return found, nil
}

// Job reads one job of the account. One that is none of the account's, or that has expired, is not_found.
func (s *Service) Job(ctx context.Context, account, id uuid.UUID) (JobDetail, error) {
	var d JobDetail
	r := row{job: &d.JobSummary}
	err := s.db.QueryRow(ctx, `
		SELECT `+summaryColumns+`, j.answer, j.source_bytes, j.max_seconds, coalesce(j.callback_url, ''),
		       coalesce(d.id, '00000000-0000-0000-0000-000000000000')
		FROM `+summaryTables+` LEFT JOIN delivery d ON d.job_id = j.id AND d.account_id = j.account_id
		WHERE j.id = @id AND j.account_id = @account AND (j.expires_at IS NULL OR j.expires_at > now())`,
		pgx.NamedArgs{"id": id, "account": account},
	).Scan(append(r.columns(), &d.Answer, &d.SourceBytes, &d.MaxSeconds, &d.Callback, &d.Delivery)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return JobDetail{}, fault.New(fault.NotFound, "The account has no such job, or its result has expired.")
	}
	if err == nil {
		err = r.fill()
	}
	if err == nil && r.report != nil {
		err = d.read(r.report)
	}
	if err != nil {
		return JobDetail{}, fmt.Errorf("read job: %w", err)
	}
	return d, nil
}

// read takes a finished job's report in.
func (d *JobDetail) read(report []byte) error {
	if d.Kind == KindOptimize {
		var answer Optimization
		if err := json.Unmarshal(d.Answer, &answer); err != nil {
			return err
		}
		d.FileURL, d.Rendered = answer.FileURL, &engine.Rendered{}
		return json.Unmarshal(report, d.Rendered)
	}
	d.Report = &engine.Report{}
	return json.Unmarshal(report, d.Report)
}
