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
	"veracity/platform/storage"
)

const outputPrefix = "outputs/"

// outputKey is where a run of a job keeps its output. Each run has its own, so that a worker who lost the job does not
// write over the output of the one who has it.
func outputKey(job, run uuid.UUID) string { return outputPrefix + job.String() + "/" + run.String() }

func noCheck() error {
	return fault.New(fault.NotFound, "The account has no such check, or it has expired.")
}

func noOptimization() error {
	return fault.New(fault.NotFound, "There is no such optimization, it has not succeeded yet, or it has expired.")
}

// ReadCheck reads a check of the account. An id that is none of the account's, or that has expired, is not_found.
func (s *Service) ReadCheck(ctx context.Context, c Caller, id string) (Check, error) {
	job, err := parseJobID(id)
	if err != nil {
		return Check{}, noCheck()
	}
	check := Check{ID: job}
	var (
		report        []byte
		code, message *string
	)
	err = s.db.QueryRow(ctx, `
		SELECT status, media, report, error_code, error_message FROM job
		WHERE id = @id AND account_id = @account AND kind = 'check' AND (expires_at IS NULL OR expires_at > now())`,
		pgx.NamedArgs{"id": job, "account": c.Account},
	).Scan(&check.Status, &check.Media, &report, &code, &message)
	if isNoRows(err) {
		return Check{}, noCheck()
	}
	if err != nil {
		return Check{}, fmt.Errorf("read check: %w", err)
	}
	check.Error = jobError(code, message)
	if report == nil {
		return check, nil
	}
	check.Report = &engine.Report{}
	if err := json.Unmarshal(report, check.Report); err != nil {
		return Check{}, fmt.Errorf("read report of check: %w", err)
	}
	return check, nil
}

func jobError(code, message *string) *JobError {
	if code == nil || message == nil {
		return nil
	}
	return &JobError{fault.Code(*code), *message}
}

// ReadOptimization reads an optimization of the account as JSON: once it has ended, the very bytes that its webhook
// carries. An id that is none of the account's, or that has expired, is not_found.
func (s *Service) ReadOptimization(ctx context.Context, c Caller, id string) ([]byte, error) {
	job, err := parseJobID(id)
	if err != nil {
		return nil, noOptimization()
	}
	o := Optimization{ID: job}
	var answer []byte
	err = s.db.QueryRow(ctx, `
		SELECT status, media, answer FROM job
		WHERE id = @id AND account_id = @account AND kind = 'optimize' AND (expires_at IS NULL OR expires_at > now())`,
		pgx.NamedArgs{"id": job, "account": c.Account},
	).Scan(&o.Status, &o.Media, &answer)
	if isNoRows(err) {
		return nil, noOptimization()
	}
	if err != nil {
		return nil, fmt.Errorf("read optimization: %w", err)
	}
	if answer != nil {
		return answer, nil
	}
	return o.Body()
}

// Output is an optimized file to be downloaded. The caller closes it.
type Output struct {
	*storage.Reader
	// Name is a safe file name.
	Name        string
	ContentType string
	// Version changes whenever the bytes do.
	Version   string
	EndedAt   time.Time
	ExpiresAt time.Time
}

// OpenOutput opens the file of an optimization that has succeeded and not expired, for anybody who has its id. The
// refusals are not_found and uploads_unavailable.
func (s *Service) OpenOutput(ctx context.Context, id string) (Output, error) {
	job, err := parseJobID(id)
	if err != nil {
		return Output{}, noOptimization()
	}
	var (
		out Output
		key string
		run uuid.UUID
	)
	err = s.db.QueryRow(ctx, `
		SELECT output_key, output_type, run, ended_at, expires_at FROM job
		WHERE id = @id AND kind = 'optimize' AND status = 'succeeded' AND output_key IS NOT NULL AND expires_at > now()`,
		pgx.NamedArgs{"id": job},
	).Scan(&key, &out.ContentType, &run, &out.EndedAt, &out.ExpiresAt)
	if isNoRows(err) {
		return Output{}, noOptimization()
	}
	if err != nil {
		return Output{}, fmt.Errorf("find output: %w", err)
	}
	if out.Reader, err = storage.NewReader(ctx, s.store, key); errors.Is(err, storage.ErrNotFound) {
		return Output{}, fault.Wrap(err, fault.NotFound, "The file of this optimization is gone.")
	}
	if err != nil {
		return Output{}, storageFault(err)
	}
	out.Version = run.String()
	out.Name = "veracity-" + job.String() + ".png"
	if out.ContentType == "video/mp4" {
		out.Name = "veracity-" + job.String() + ".mp4"
	}
	return out, nil
}

var errNoJobID = errors.New("not the id of a job")

// parseJobID reads a UUID in its usual form alone: uuid.Parse takes braces and URNs too.
func parseJobID(id string) (uuid.UUID, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return uuid.Nil, errNoJobID
	}
	return parsed, nil
}
