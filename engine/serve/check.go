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

// errOverTime ends a check that runs longer than CheckTimeout.
var errOverTime = errors.New("over the check's time")

// checkImage admits, receives, inspects and answers. Nothing of the body is read before the check has its place: the
// first read is what makes net/http send 100 Continue.
func (s *server) checkImage(w http.ResponseWriter, r *http.Request) {
	report, err := s.check(w, r)
	if err == nil {
		s.answer(w, http.StatusOK, report)
		return
	}
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		s.refuse(w, f)
	case r.Context().Err() != nil:
		s.log.DebugContext(r.Context(), "caller left during a check")
	default:
		s.log.ErrorContext(r.Context(), "check failed", "error", err)
		s.refuse(w, fault.New(fault.EngineError, "The check failed."))
	}
}

func (s *server) check(w http.ResponseWriter, r *http.Request) (engine.Report, error) {
	if r.ContentLength < 0 {
		return engine.Report{}, fault.New(fault.EngineError, "A check needs its Content-Length.")
	}
	if f := engine.RefuseSize(r.ContentLength); f != nil {
		return engine.Report{}, f
	}
	inspector, err := s.open()
	if err != nil {
		return engine.Report{}, unavailable(err)
	}
	arrived := time.Now()
	leave, err := s.gate.enter(r.Context())
	if err != nil {
		return engine.Report{}, unavailable(err)
	}
	admitted := time.Now()
	data, err := s.receive(w, r)
	if err != nil {
		leave()
		return engine.Report{}, err
	}
	received := time.Now()
	report, err := s.inspect(r.Context(), inspector, data, leave)
	if err == nil {
		if report.Detail.TimingsMS == nil {
			report.Detail.TimingsMS = map[string]float64{}
		}
		report.Detail.TimingsMS["queue"] = milliseconds(admitted.Sub(arrived))
		report.Detail.TimingsMS["receive"] = milliseconds(received.Sub(admitted))
	}
	return report, err
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func unavailable(cause error) *fault.Fault {
	return fault.Wrap(cause, fault.EngineUnavailable, "The engine cannot take the check right now: %s. Try again.", cause).
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

// inspect runs the Inspector on a goroutine of its own, since C code in it hears of no deadline. The place is given back
// when the work has truly ended, so that there are never more decoders than cores; work that does not end gives the
// engine up.
func (s *server) inspect(ctx context.Context, inspector Inspector, data []byte, leave func()) (engine.Report, error) {
	type outcome struct {
		report engine.Report
		err    error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.cfg.CheckTimeout, errOverTime)
	defer cancel()
	watchdog := time.AfterFunc(s.cfg.CheckTimeout+s.cfg.StuckGrace, s.giveUp)
	done := make(chan outcome, 1)
	go func() {
		defer leave()
		defer watchdog.Stop()
		report, err := s.guarded(ctx, inspector, data)
		done <- outcome{report, err}
	}()
	select {
	case o := <-done:
		if o.err != nil && errors.Is(context.Cause(ctx), errOverTime) {
			return engine.Report{}, overTime()
		}
		return o.report, o.err
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), errOverTime) {
			return engine.Report{}, overTime()
		}
		return engine.Report{}, ctx.Err()
	}
}

func overTime() *fault.Fault {
	return fault.Wrap(errOverTime, fault.EngineUnavailable, "The check took too long. Try again.").WithRetryAfter(retryAfter)
}

// guarded turns a panic into an error: a parser's slip over one file must not end the checks of others.
func (s *server) guarded(ctx context.Context, inspector Inspector, data []byte) (report engine.Report, err error) {
	defer func() {
		if slip := recover(); slip != nil {
			s.log.ErrorContext(ctx, "check panicked", "panic", slip, "stack", string(debug.Stack()))
			err = fault.New(fault.EngineError, "The check failed.")
		}
	}()
	return inspector.Inspect(ctx, data)
}
