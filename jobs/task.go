package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Task is one periodic act of maintenance. Acts are safe to run twice and to be killed.
type Task struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context) error
}

// taskArgs is what River keeps of a due task.
type taskArgs struct {
	Name string `json:"name"`
}

// Kind names the job in River's tables.
func (taskArgs) Kind() string { return "maintenance" }

// taskAttempts is few, since the next period tries again anyway.
const taskAttempts = 3

type taskWorker struct {
	river.WorkerDefaults[taskArgs]
	tasks   []Task
	timeout time.Duration
}

// Timeout implements river.Worker.
func (w *taskWorker) Timeout(*river.Job[taskArgs]) time.Duration { return w.timeout }

// Work runs the task that the job names.
func (w *taskWorker) Work(ctx context.Context, job *river.Job[taskArgs]) error {
	for _, t := range w.tasks {
		if t.Name != job.Args.Name {
			continue
		}
		if err := t.Run(ctx); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		return nil
	}
	// A worker of an older release met a newer task; a newer worker runs the next one.
	return river.JobCancel(fmt.Errorf("unknown task %q", job.Args.Name))
}

// periodic asks for each task at its interval and once when a leader is elected. Unique by period, so that a change of
// leader does not run a task twice in one.
func periodic(tasks []Task) []*river.PeriodicJob {
	jobs := make([]*river.PeriodicJob, len(tasks))
	for i, t := range tasks {
		jobs[i] = river.NewPeriodicJob(river.PeriodicInterval(t.Every), func() (river.JobArgs, *river.InsertOpts) {
			return taskArgs{Name: t.Name}, &river.InsertOpts{
				Queue: QueueMaintenance, MaxAttempts: taskAttempts,
				UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: t.Every},
			}
		}, &river.PeriodicJobOpts{ID: t.Name, RunOnStart: true})
	}
	return jobs
}

// reporter logs what went wrong with a job; River keeps the same on the job's row.
type reporter struct{ log *slog.Logger }

// HandleError logs an attempt that returned an error.
func (r *reporter) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	r.log.ErrorContext(ctx, "job", "kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "error", err)
	return nil
}

// HandlePanic logs an attempt that panicked.
func (r *reporter) HandlePanic(ctx context.Context, job *rivertype.JobRow, panicVal any, trace string) *river.ErrorHandlerResult {
	r.log.ErrorContext(ctx, "job panicked", "kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "panic", panicVal, "trace", trace)
	return nil
}
