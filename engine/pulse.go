package engine

import (
	"context"
	"io"
	"time"
)

// pulse ends an exchange when the engine gives no sign of life. It runs while the engine is the one to act, and rests
// while the caller is: a slow source or a slow Save says nothing of the engine. It is safe for concurrent use.
type pulse struct {
	timer   *time.Timer
	silence time.Duration
}

// newPulse begins with the wait for admission. cancel is called with errOverTime when the engine is taken for dead.
func newPulse(cfg ClientConfig, cancel context.CancelCauseFunc) *pulse {
	timer := time.AfterFunc(cfg.JobAdmission, func() { cancel(errOverTime) })
	return &pulse{timer: timer, silence: cfg.JobSilence}
}

// beat notes a sign of life: the engine has its full time again.
func (p *pulse) beat() { p.timer.Reset(p.silence) }

// rest stops the clock.
func (p *pulse) rest() { p.timer.Stop() }

// source is src with the clock at rest whenever the caller's own code runs.
func (p *pulse) source(src Source) Source {
	src.Body = restingReader{p, src.Body}
	if admitted := src.Admitted; admitted != nil {
		src.Admitted = func(ctx context.Context) error {
			p.rest()
			defer p.beat()
			return admitted(ctx)
		}
	}
	return src
}

// restingReader reads the caller's bytes while the clock rests. That they are asked for is a sign of life.
type restingReader struct {
	pulse *pulse
	body  io.Reader
}

// Read implements io.Reader.
func (r restingReader) Read(p []byte) (int, error) {
	r.pulse.rest()
	defer r.pulse.beat()
	return r.body.Read(p)
}
