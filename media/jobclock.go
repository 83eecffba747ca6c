package media

import (
	"context"
	"time"
)

// jobClock is the context of the work on one job: it ends when the worker is told to stop, when the lease is lost, or
// when the job's time is over, and says by its cause which it was.
type jobClock struct {
	ctx   context.Context //nolint:containedctx // the clock is what makes this context
	end   context.CancelCauseFunc
	timer *time.Timer
}

func newJobClock(ctx context.Context, deadline time.Time) *jobClock {
	working, end := context.WithCancelCause(ctx)
	return &jobClock{ctx: working, end: end, timer: time.AfterFunc(max(0, time.Until(deadline)), func() { end(errJobTime) })}
}

// restart gives the job its whole time again.
func (c *jobClock) restart(d time.Duration) { c.timer.Reset(d) }

func (c *jobClock) stop() {
	c.timer.Stop()
	c.end(nil)
}
