// Package playground lets a person check a file by hand, on the account's credits and by the same acts as the API. It keeps
// what came of each run for some days. It knows no page and no form: a run's id comes with the form, and nothing else of it.
package playground

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/engine"
	"veracity/media"
	"veracity/platform/fault"
)

const (
	// keep is how long a run stays readable, keepNewest how many of an account's do at most.
	keep       = 7 * 24 * time.Hour
	keepNewest = 200
	// runTime bounds a run from its form's first byte to the answer. lostAfter is when a run without an answer is taken for
	// one whose process died: later than any that lives can still be charged.
	runTime   = 14 * time.Minute
	lostAfter = 15 * time.Minute
	// maxName is the longest name of a run, in characters.
	maxName = 200
)

// Parts are what a Playground works with.
type Parts struct {
	DB    *pgxpool.Pool
	Media *media.Service
}

// Playground does the acts. It is safe for concurrent use.
type Playground struct{ Parts }

// New makes a Playground.
func New(p Parts) *Playground { return &Playground{p} }

// State is where a run stands.
type State string

// States.
const (
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Run is one press of the button.
type Run struct {
	ID uuid.UUID
	// Person is the e-mail address of who pressed it, empty once the person is gone.
	Person string
	Media  engine.Media
	// Name is that of the file or the address that was checked.
	Name  string
	State State
	// Progress is how much of a clip's check is done, 0 to 1.
	Progress float64
	// Report is there once the run is done, Error once it has failed.
	Report *engine.Report
	Error  *media.JobError
	// Job is the job that checks a video or a voice clip, nil for images.
	Job uuid.UUID
	// Credits is what the run was charged.
	Credits   int64
	CreatedAt time.Time
	EndedAt   *time.Time
}

// columns read a run with its job, which alone knows how the check of a clip stands. A run without either answer or job
// that is older than any process would work at it was lost with its process.
const (
	columns = `r.id, coalesce(u.email, ''), r.media, r.name, r.state, coalesce(r.job_id, '00000000-0000-0000-0000-000000000000'),
		r.report, r.credits, r.error_code, r.error_message, r.created_at, r.ended_at,
		r.state = 'running' AND r.created_at < now() - @lost::interval,
		j.status, j.progress, j.report, j.charged, j.error_code, j.error_message, j.ended_at`
	tables = `playground_run r LEFT JOIN app_user u ON u.id = r.user_id
		LEFT JOIN job j ON j.id = r.job_id AND j.account_id = r.account_id AND (j.expires_at IS NULL OR j.expires_at > now())`
)

// job is how the check of a clip stands.
type job struct {
	status        *media.Status
	progress      *float64
	report        []byte
	charged       *int64
	code, message *string
	endedAt       *time.Time
}

func scan(from pgx.CollectableRow) (Run, error) {
	var (
		r             Run
		j             job
		report        []byte
		code, message *string
		lost          bool
	)
	err := from.Scan(&r.ID, &r.Person, &r.Media, &r.Name, &r.State, &r.Job, &report, &r.Credits, &code, &message,
		&r.CreatedAt, &r.EndedAt, &lost,
		&j.status, &j.progress, &j.report, &j.charged, &j.code, &j.message, &j.endedAt)
	if err != nil {
		return Run{}, err
	}
	r.Error = failure(code, message)
	switch {
	case r.Job != uuid.Nil:
		report = r.follow(j)
	case lost:
		r.State = Failed
		r.Error = &media.JobError{Code: fault.JobFailed, Message: "The check was interrupted; nothing was charged. Run it again."}
	}
	if report == nil {
		return r, nil
	}
	r.Report = &engine.Report{}
	if err := json.Unmarshal(report, r.Report); err != nil {
		return Run{}, fmt.Errorf("read report of run: %w", err)
	}
	return r, nil
}

// follow takes over how the run's job stands and returns its report.
func (r *Run) follow(j job) []byte {
	if j.status == nil {
		r.State = Failed
		r.Error = &media.JobError{Code: fault.NotFound, Message: "The result of this check has expired."}
		return nil
	}
	switch *j.status {
	case media.Succeeded:
		r.State = Done
	case media.Failed:
		r.State, r.Error = Failed, failure(j.code, j.message)
	case media.Queued, media.Running:
		r.State = Running
	}
	r.EndedAt = j.endedAt
	if j.progress != nil {
		r.Progress = *j.progress
	}
	if j.charged != nil {
		r.Credits = *j.charged
	}
	return j.report
}

func failure(code, message *string) *media.JobError {
	if code == nil || message == nil {
		return nil
	}
	return &media.JobError{Code: fault.Code(*code), Message: *message}
}

func noRun() error {
	return fault.New(fault.NotFound, "The account has no such run of the playground, or it is too old to be kept.")
}

// tidy makes any text a name that can be kept and shown.
func tidy(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	if runes := []rune(strings.TrimSpace(name)); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return strings.TrimSpace(name)
}
