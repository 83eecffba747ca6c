package serve

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"veracity/engine"
	"veracity/platform/fault"
)

// jobQueue is how many jobs may wait for each place.
const jobQueue = 8

// task is what a kind of job has the Inspector do. The answer's last line is what it found.
type task func(ctx context.Context, inspector Inspector, job Job) (engine.JobLine, error)

// checkClip answers the report on a clip.
func (s *server) checkClip(w http.ResponseWriter, r *http.Request) {
	o, f := readOrder(r, engine.Video, engine.Audio)
	if f != nil {
		s.refuse(w, f)
		return
	}
	s.job(w, r, s.checks, o, checkRoom(o.size), func(ctx context.Context, inspector Inspector, job Job) (engine.JobLine, error) {
		report, err := inspector.InspectClip(ctx, job)
		return engine.JobLine{Report: &report}, err
	})
}

// render answers what it rendered, and the output.
func (s *server) render(w http.ResponseWriter, r *http.Request) {
	o, f := readOrder(r, engine.Image, engine.Video)
	if f != nil {
		s.refuse(w, f)
		return
	}
	s.job(w, r, s.anyWork, o, renderRoom(o.size), func(ctx context.Context, inspector Inspector, job Job) (engine.JobLine, error) {
		rendered, err := inspector.Render(ctx, job)
		return engine.JobLine{Rendered: &rendered}, err
	})
}

// job admits, receives, works and answers. Until the whole file is there its refusals are those of a check; from then on
// they are lines.
func (s *server) job(w http.ResponseWriter, r *http.Request, open opener, o order, room int64, do task) {
	inspector, f := open()
	if f != nil {
		s.refuse(w, f)
		return
	}
	arrived := time.Now()
	leave, err := s.jobs.enter(r.Context())
	if err != nil {
		s.refuse(w, refuseJob(err))
		return
	}
	defer leave()
	dir, remove, err := s.rooms.take(room)
	if err != nil {
		s.fail(w, r, unavailableRoom(err))
		return
	}
	defer remove()
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.cfg.JobTimeout, errOverTime)
	defer cancel()
	admitted := time.Now()
	var done gauge
	job := Job{
		Media: o.media, MaxSeconds: o.maxSeconds, SignatureRoom: o.room, Progress: done.set,
		Dir: dir, Path: filepath.Join(dir, "source"), Out: filepath.Join(dir, outputName(o.media)),
	}
	if err := s.spool(ctx, w, r, job.Path); err != nil {
		s.fail(w, r, err)
		return
	}
	took := arrival{queue: admitted.Sub(arrived), receive: time.Since(admitted)}
	s.work(ctx, cancel, newStream(w, s.cfg.SendStall), work{
		job: job, done: &done, leave: leave, took: took,
		do: func(ctx context.Context) (engine.JobLine, error) { return do(ctx, inspector, job) },
	})
}

// work is a job whose file is there.
type work struct {
	job   Job
	do    func(ctx context.Context) (engine.JobLine, error)
	done  *gauge
	leave func()
	took  arrival
}

// work runs a job on a goroutine of its own and answers. It gives the job's place back as soon as the work has ended:
// a caller who takes long to fetch the output holds up nobody. When it returns nothing works in the job's folder.
func (s *server) work(ctx context.Context, cancel context.CancelFunc, out *stream, w work) {
	ended := make(chan outcome[engine.JobLine], 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer w.leave()
		line, err := guarded(ctx, s, w.do)
		ended <- outcome[engine.JobLine]{line, err}
	}()
	defer func() {
		cancel()
		s.awaitEnd(ctx, over)
	}()
	line, err := s.follow(ctx, cancel, out, w.done, ended)
	if err == nil {
		err = s.conclude(ctx, out, w, line)
	}
	if err == nil {
		return
	}
	if errors.Is(err, errUndelivered) {
		s.log.InfoContext(ctx, "answer of a job not delivered", "error", err)
		return
	}
	if f := s.explain(ctx, err); f != nil {
		s.refuseOn(ctx, out, f)
	}
}

// outputName ends in what the output is, for programs that go by that.
func outputName(media engine.Media) string {
	if media == engine.Image {
		return "out.png"
	}
	return "out.mp4"
}

// follow tells the caller how the work goes until it has ended or is called off, and answers its outcome.
func (s *server) follow(
	ctx context.Context, cancel context.CancelFunc, out *stream, done *gauge, ended <-chan outcome[engine.JobLine],
) (engine.JobLine, error) {
	tick := time.NewTicker(max(s.cfg.Heartbeat/10, time.Millisecond))
	defer tick.Stop()
	said, at := -1.0, time.Time{}
	for {
		if now := done.get(); now != said || time.Since(at) >= s.cfg.Heartbeat {
			if err := out.line(engine.JobLine{Progress: &now}); err != nil {
				cancel()
				return engine.JobLine{}, err
			}
			said, at = now, time.Now()
		}
		select {
		case o := <-ended:
			if o.err != nil && errors.Is(context.Cause(ctx), errOverTime) {
				return engine.JobLine{}, overTime()
			}
			return o.found, o.err
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errOverTime) {
				return engine.JobLine{}, overTime()
			}
			return engine.JobLine{}, ctx.Err()
		case <-tick.C:
		}
	}
}

// conclude sends what the work has found.
func (s *server) conclude(ctx context.Context, out *stream, w work, line engine.JobLine) error {
	if line.Rendered != nil {
		return out.output(ctx, w.job.Out, *line.Rendered)
	}
	w.took.note(line.Report)
	return out.line(line)
}

// refuseOn sends a fault as the last line.
func (s *server) refuseOn(ctx context.Context, out *stream, f *fault.Fault) {
	refusal, err := engine.NewRefusal(f)
	if err != nil {
		s.log.ErrorContext(ctx, "detail of a fault cannot be written as JSON", "code", f.Code, "error", err)
	}
	if err := out.line(engine.JobLine{Refusal: &refusal}); err != nil {
		s.log.DebugContext(ctx, "answer not delivered", "error", err)
	}
}

// awaitEnd waits for work that was called off. What runs on for longer than JobGrace holds a thread that nothing can
// interrupt, and gives the engine up.
func (s *server) awaitEnd(ctx context.Context, over <-chan struct{}) {
	grace := time.NewTimer(s.cfg.JobGrace)
	defer grace.Stop()
	select {
	case <-over:
		return
	case <-grace.C:
	}
	s.log.ErrorContext(ctx, "a job goes on after it was called off", "grace", s.cfg.JobGrace)
	s.giveUp()
	<-over
}
