package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"veracity/engine"
	"veracity/platform/fault"
)

// errOverTime ends a check that runs longer than CheckTimeout, and a job that runs longer than JobTimeout.
var errOverTime = errors.New("over its time")

// checkImage answers a report.
func (s *server) checkImage(w http.ResponseWriter, r *http.Request) {
	report, took, err := check(s, w, r, s.checks, Inspector.Inspect)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	took.note(&report)
	s.answer(w, http.StatusOK, report)
}

// acceptImage answers what an image is.
func (s *server) acceptImage(w http.ResponseWriter, r *http.Request) {
	file, _, err := check(s, w, r, s.anyWork, Inspector.Accept)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.answer(w, http.StatusOK, file)
}

// fail answers a refusal for err, unless nobody is left to hear it.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if f := s.explain(r.Context(), err); f != nil {
		s.refuse(w, f)
	}
}

// explain turns what hindered a check or job into the fault that its caller gets, or nil when the caller has left. What
// the caller does not get to know goes to the log.
func (s *server) explain(ctx context.Context, err error) *fault.Fault {
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		ours := statusOf(f.Code) == http.StatusInternalServerError || errors.Is(f, errDiskFull)
		if cause := f.Unwrap(); cause != nil && ours {
			s.log.ErrorContext(ctx, "work failed", "code", f.Code, "error", cause)
		}
		return f
	case ctx.Err() != nil:
		s.log.DebugContext(ctx, "caller left")
		return nil //nolint:nilerr // Nobody is left to hear of err.
	}
	s.log.ErrorContext(ctx, "work failed", "error", err)
	return fault.Wrap(err, fault.EngineError, "The engine failed on this file.")
}

// arrival is how long a file waited for its place and took to come.
type arrival struct{ queue, receive time.Duration }

// note writes the times into a report.
func (a arrival) note(report *engine.Report) {
	if report.Detail.TimingsMS == nil {
		report.Detail.TimingsMS = map[string]float64{}
	}
	report.Detail.TimingsMS["queue"] = milliseconds(a.queue)
	report.Detail.TimingsMS["receive"] = milliseconds(a.receive)
}

// check admits, receives and has the Inspector work. Nothing of the body is read before the check has its place: the
// first read is what makes net/http send 100 Continue.
func check[T any](
	s *server, w http.ResponseWriter, r *http.Request, open opener, work func(Inspector, context.Context, []byte) (T, error),
) (found T, took arrival, err error) {
	if r.ContentLength < 0 {
		return found, took, errNoLength()
	}
	if f := engine.RefuseSize(r.ContentLength); f != nil {
		return found, took, f
	}
	inspector, f := open()
	if f != nil {
		return found, took, f
	}
	arrived := time.Now()
	leave, err := s.gate.enter(r.Context())
	if err != nil {
		return found, took, unavailable(err)
	}
	admitted := time.Now()
	data, err := s.receive(w, r)
	if err != nil {
		leave()
		return found, took, err
	}
	took = arrival{queue: admitted.Sub(arrived), receive: time.Since(admitted)}
	found, err = inspect(r.Context(), s, leave, func(ctx context.Context) (T, error) { return work(inspector, ctx, data) })
	return found, took, err
}

func errNoLength() *fault.Fault {
	return fault.New(fault.InvalidParameter, "A file needs its Content-Length.")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func unavailable(cause error) *fault.Fault {
	return fault.Wrap(cause, fault.EngineUnavailable, "The engine cannot take the file right now: %s. Try again.", cause).
		WithRetryAfter(retryAfter)
}

// receive reads the whole body within ReceiveTimeout. The deadline is lifted afterwards: net/http watches the connection
// during the check, and would take it for the caller's leaving.
func (s *server) receive(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(s.cfg.ReceiveTimeout)); err != nil {
		return nil, fmt.Errorf("bound the reading of a body: %w", err)
	}
	data := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, data)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fault.Wrap(err, fault.EngineUnavailable, "The image did not arrive in time. Try again.").
			WithRetryAfter(retryAfter)
	case err != nil:
		return nil, fault.Wrap(err, fault.InvalidImage, "The image was cut off on its way.")
	}
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		return nil, fmt.Errorf("lift the deadline of a body: %w", err)
	}
	return data, nil
}

// outcome is how work ended.
type outcome[T any] struct {
	found T
	err   error
}

// inspect runs the Inspector on a goroutine of its own, since C code in it hears of no deadline. The place is given back
// when the work has truly ended, so that there are never more decoders than cores; work that does not end gives the
// engine up.
func inspect[T any](
	ctx context.Context, s *server, leave func(), work func(context.Context) (T, error),
) (none T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.cfg.CheckTimeout, errOverTime)
	defer cancel()
	watchdog := time.AfterFunc(s.cfg.CheckTimeout+s.cfg.StuckGrace, s.giveUp)
	done := make(chan outcome[T], 1)
	go func() {
		defer leave()
		defer watchdog.Stop()
		found, err := guarded(ctx, s, work)
		done <- outcome[T]{found, err}
	}()
	select {
	case o := <-done:
		if o.err != nil && errors.Is(context.Cause(ctx), errOverTime) {
			return none, overTime()
		}
		return o.found, o.err
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), errOverTime) {
			return none, overTime()
		}
		return none, ctx.Err()
	}
}

func overTime() *fault.Fault {
	return fault.Wrap(errOverTime, fault.EngineUnavailable, "The file took too long. Try again.").WithRetryAfter(retryAfter)
}

// guarded turns a panic into an error: a parser's slip over one file must not end the work on others.
func guarded[T any](ctx context.Context, s *server, work func(context.Context) (T, error)) (found T, err error) {
	defer func() {
		if slip := recover(); slip != nil {
			s.log.ErrorContext(ctx, "work panicked", "panic", slip, "stack", string(debug.Stack()))
			err = fault.New(fault.EngineError, "The engine failed on this file.")
		}
	}()
	return work(ctx)
}
