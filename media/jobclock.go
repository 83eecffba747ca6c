package media

import (
	"context"
	"time"
)

// jobClock ends the context of the work on one job: when the lease is lost, or when the job's time is over. The context's
// cause says which it was; the worker that is told to stop ends it too.
type jobClock struct {
	end   context.CancelCauseFunc
	timer *time.Timer
}

func newJobClock(ctx context.Context, deadline time.Time) (context.Context, *jobClock) {
	working, end := context.WithCancelCause(ctx)
	return working, &jobClock{end: end, timer: time.AfterFunc(max(0, time.Until(deadline)), func() { end(errJobTime) })}
}

// restart gives the job its whole time again.
func (c *jobClock) restart(d time.Duration) { c.timer.Reset(d) }

func (c *jobClock) stop() {
	c.timer.Stop()
	c.end(nil)
}
