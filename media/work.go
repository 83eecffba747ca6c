package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"veracity/engine"
	"veracity/platform/fault"
	"veracity/platform/storage"
)

// claimed is a job that this worker holds the lease of.
type claimed struct {
	id       uuid.UUID
	run      uuid.UUID
	caller   Caller
	kind     string
	media    engine.Media
	hold     uuid.UUID
	seconds  *float64
	callback *string
	source   *string
	attempt  int
	started  time.Time
	// admitted is called when the engine takes the file on; wasAdmitted tells whether it has in this attempt. One that was
	// refused before does not count.
	admitted    func(context.Context) error
	wasAdmitted bool
	// everAdmitted tells whether it has in any attempt, of any worker.
	everAdmitted bool
	// waits is how often this worker has waited between attempts, lastErr why it last did.
	waits   int
	lastErr error
}

// What ends the work on a job beside its own outcome.
var (
	errLeaseLost = errors.New("another worker has taken the job up")
	errJobTime   = errors.New("the job's time is over")
)

// Work takes the job up where it stands and works at it until it has ended, attempts that fail for passing reasons
// included. It returns how long to wait before calling again, 0 when nothing is left to do. It may be called at any time
// and by several workers at once: of those one works, the others wait for its lease to end. An error is one of the
// database's; the job is then taken up again.
func (s *Service) Work(ctx context.Context, id uuid.UUID) (again time.Duration, err error) {
	asked := time.Now()
	j, wait, err := s.claim(ctx, id)
	if err != nil || j == nil {
		return wait, err
	}
	working, clock := newJobClock(ctx, j.started.Add(s.cfg.JobTime))
	defer clock.stop()
	j.admitted = func(ctx context.Context) error { return s.noteStart(ctx, j, clock) }
	progress := &meter{}
	stop := s.keepLease(working, *j, asked, progress, clock.end)
	defer stop()
	for {
		if j.attempt > s.cfg.Attempts {
			return 0, s.fail(ctx, *j, fault.New(fault.JobFailed, "The job was begun %d times and its worker was lost each time.", s.cfg.Attempts))
		}
		err := s.perform(working, j, progress.set)
		next := s.after(ctx, working, *j, err)
		j.lastErr = err
		if next.wait == 0 {
			return 0, next.end(ctx)
		}
		if err := s.pause(working, j, next); err != nil {
			return 0, err
		}
	}
}

// noteStart begins the job's time anew when the engine takes it on for the first time ever: time in which it only waited
// for a place does not count against it.
func (s *Service) noteStart(ctx context.Context, j *claimed, clock *jobClock) error {
	j.wasAdmitted = true
	if j.everAdmitted {
		return nil
	}
	tag, err := s.db.Exec(ctx, `
		UPDATE job SET started_at = now(), admitted = true WHERE id = @id AND run = @run AND status = 'running'`,
		pgx.NamedArgs{"id": j.id, "run": j.run})
	if err != nil {
		return fmt.Errorf("note start of job: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errLeaseLost
	}
	j.everAdmitted = true
	clock.restart(s.cfg.JobTime)
	return nil
}

// claim takes the lease of a job that waits or whose worker is lost. Without one it returns nil and the time until the
// lease of the present worker ends, 0 when the job has ended or is unknown.
func (s *Service) claim(ctx context.Context, id uuid.UUID) (*claimed, time.Duration, error) {
	j := &claimed{id: id, run: uuid.New()}
	err := s.db.QueryRow(ctx, `
		UPDATE job SET status = 'running', run = @run, attempt = attempt + 1,
		       started_at = coalesce(started_at, now()), lease_until = now() + @lease::interval
		WHERE id = @id AND (status = 'queued' OR (status = 'running' AND lease_until <= now()))
		RETURNING account_id, coalesce(key_id, '00000000-0000-0000-0000-000000000000'), kind, media, hold_id, max_seconds, callback_url, source_key, attempt, started_at, admitted`,
		pgx.NamedArgs{"id": id, "run": j.run, "lease": s.cfg.Lease},
	).Scan(&j.caller.Account, &j.caller.Key, &j.kind, &j.media, &j.hold, &j.seconds, &j.callback, &j.source, &j.attempt, &j.started, &j.everAdmitted)
	if err == nil {
		return j, 0, nil
	}
	if !isNoRows(err) {
		return nil, 0, fmt.Errorf("claim job: %w", err)
	}
	var wait time.Duration
	err = s.db.QueryRow(ctx, `SELECT greatest(lease_until - now(), '1 millisecond') FROM job WHERE id = @id AND status = 'running'`,
		pgx.NamedArgs{"id": id}).Scan(&wait)
	if isNoRows(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("look who works the job: %w", err)
	}
	return nil, wait, nil
}

// perform does the work and, when it succeeds, ends the job.
func (s *Service) perform(ctx context.Context, j *claimed, progress func(float64)) error {
	if j.source == nil {
		return fault.New(fault.JobFailed, "The source of the job is gone.")
	}
	source, err := storage.NewReader(ctx, s.store, *j.source)
	if errors.Is(err, storage.ErrNotFound) {
		return fault.Wrap(err, fault.JobFailed, "The source of the job is gone.")
	}
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	if j.kind == KindOptimize {
		return s.render(ctx, j, source, progress)
	}
	return s.checkClip(ctx, j, source, progress)
}

func (s *Service) checkClip(ctx context.Context, j *claimed, source *storage.Reader, progress func(float64)) error {
	seconds := j.longest()
	report, err := s.engine.CheckClip(ctx, engine.ClipRequest{
		Source: j.engineSource(source), Media: j.media, MaxSeconds: seconds, Progress: progress,
	})
	if err != nil {
		return err
	}
	var price int64
	switch {
	case report.Video != nil:
		price = s.cfg.Prices.VideoCheckPrice(min(report.Video.Seconds, seconds))
	case report.Audio != nil:
		price = s.cfg.Prices.VoiceCheckPrice(min(report.Audio.Seconds, seconds))
	default:
		return fault.New(fault.EngineError, "The engine failed: its report has no length.")
	}
	return s.succeedCheck(ctx, *j, report, price)
}

func (s *Service) render(ctx context.Context, j *claimed, source *storage.Reader, progress func(float64)) error {
	key := outputKey(j.id, j.run)
	out, err := s.engine.Render(ctx, engine.RenderRequest{
		Source: j.engineSource(source), Media: j.media, MaxSeconds: j.longest(), Progress: progress, Sign: s.signer,
		Save: func(ctx context.Context, out engine.Rendered, body io.Reader) error {
			return s.store.Put(ctx, key, body, out.Bytes, out.ContentType)
		},
	})
	if err != nil {
		return err
	}
	price := s.cfg.Prices.ImageOptimize
	if out.Video != nil {
		price = s.cfg.Prices.VideoOptimizePrice(min(out.Video.Seconds, j.longest()))
	}
	err = s.succeedOptimize(ctx, *j, key, out, price)
	if errors.Is(err, errLeaseLost) {
		s.dropSource(ctx, stored{key: key})
	}
	return err
}

// longest is the clip length that the hold pays for.
func (j *claimed) longest() float64 {
	if j.seconds == nil {
		return MaxSeconds
	}
	return *j.seconds
}

func (j *claimed) engineSource(r *storage.Reader) engine.Source {
	return engine.Source{Body: r, Size: r.Info().Size, Admitted: j.admitted}
}

// overTime is the failure of a job whose time is over.
func overTime() *fault.Fault {
	return fault.Wrap(errJobTime, fault.JobTimeout, "The job did not finish in time. Try a shorter or smaller file.")
}
