package media

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/platform/fault"
)

// Status is where a job stands: queued, then running, then succeeded or failed; or failed straight from queued.
type Status string

// The contract's job states.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// Kinds of jobs, and of calls that cost credits.
const (
	KindCheck    = "check"
	KindOptimize = "optimize"
)

// QueueJob is what a queue keeps of a job; the job's row is the record.
type QueueJob interface {
	Kind() string
	// ID is the job's.
	ID() uuid.UUID
}

// CheckJob and OptimizeJob are the two kinds. Begun tells that the job was begun before, and goes before those that were
// not.
type (
	CheckJob struct {
		Job   uuid.UUID `json:"job"`
		Begun bool      `json:"begun,omitempty"`
	}
	OptimizeJob struct {
		Job   uuid.UUID `json:"job"`
		Begun bool      `json:"begun,omitempty"`
	}
)

// Kind names the job in the queue's tables.
func (CheckJob) Kind() string { return KindCheck }

// ID implements QueueJob.
func (j CheckJob) ID() uuid.UUID { return j.Job }

// Kind names the job in the queue's tables.
func (OptimizeJob) Kind() string { return KindOptimize }

// ID implements QueueJob.
func (j OptimizeJob) ID() uuid.UUID { return j.Job }

func queueJob(kind string, id uuid.UUID, begun bool) QueueJob {
	if kind == KindOptimize {
		return OptimizeJob{Job: id, Begun: begun}
	}
	return CheckJob{Job: id, Begun: begun}
}

// Inserter puts a job on its queue in the transaction that writes its row.
type Inserter interface {
	Insert(ctx context.Context, tx pgx.Tx, job interface{ Kind() string }) error
}

// JobError is why a job failed (API contract, "Errors of a failed job").
type JobError struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Check is a check of a video or a voice clip.
type Check struct {
	ID     uuid.UUID
	Status Status
	Media  engine.Media
	// Report is there once the check has succeeded, Error once it has failed.
	Report *engine.Report
	Error  *JobError
}

// Optimization is the contract's optimization job, as GET /optimize/{id} answers it and as the webhook carries it.
type Optimization struct {
	ID        uuid.UUID                 `json:"id"`
	Status    Status                    `json:"status"`
	Media     engine.Media              `json:"media"`
	FileURL   string                    `json:"file_url,omitempty"`
	ImageURL  string                    `json:"image_url,omitempty"`
	Video     *engine.RenderedVideo     `json:"video,omitempty"`
	ExpiresAt *time.Time                `json:"expires_at,omitempty"`
	Score     *engine.OptimizationScore `json:"optimization_score,omitempty"`
	Error     *JobError                 `json:"error,omitempty"`
}

// Body is the optimization as JSON, without the escapes that only HTML needs.
func (o Optimization) Body() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return nil, fmt.Errorf("write optimization as JSON: %w", err)
	}
	return b.Bytes(), nil
}
