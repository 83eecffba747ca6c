package supervise

import (
	"context"
	"time"

	"veracity/platform/fault"
)

// follow stays with an engine to its end and answers how many engines in a row have never taken checks.
func (s *Supervisor) follow(ctx context.Context, c *child) (fails int) {
	s.cfg.Log.DebugContext(ctx, "engine started", "pid", c.cmd.Process.Pid, "isolated", c.isolated)
	ready := s.awaitReady(ctx, c)
	if ready {
		s.change(func() { s.status.Ready, s.fails = true, 0 })
		s.cfg.Log.InfoContext(ctx, "engine ready", "pid", c.cmd.Process.Pid, "after", time.Since(s.Status().Since))
		s.awaitHang(ctx, c)
	}
	<-c.ended
	s.change(func() {
		s.status.Ready, s.status.PID, s.status.LastExit, s.current = false, 0, c.exit, nil
		if !ready {
			s.fails++
		}
		fails = s.fails
	})
	if ctx.Err() == nil {
		s.cfg.Log.WarnContext(ctx, "engine ended", "pid", c.cmd.Process.Pid, "exit", c.exit)
	}
	return fails
}

// awaitReady answers true when the engine takes checks, or says that it never will for want of a model, which no new start
// mends; false when it ended before or was killed for its slowness.
func (s *Supervisor) awaitReady(ctx context.Context, c *child) bool {
	limited, cancel := context.WithTimeout(ctx, s.cfg.StartTimeout)
	defer cancel()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		select {
		case <-c.ended:
			return false
		case <-limited.Done():
			if ctx.Err() == nil {
				s.cfg.Log.ErrorContext(ctx, "engine is not ready in time and is killed", "limit", s.cfg.StartTimeout)
				c.kill()
			}
			return false
		case <-poll.C:
			if err := s.client.Ready(limited); err == nil || fault.CodeOf(err) == fault.ModelUnavailable {
				return true
			}
		}
	}
}

// awaitHang returns when the engine ended, was killed for its silence, or is being stopped.
func (s *Supervisor) awaitHang(ctx context.Context, c *child) {
	probe := time.NewTicker(s.cfg.ProbeEvery)
	defer probe.Stop()
	for missed := 0; ; {
		select {
		case <-c.ended:
			return
		case <-ctx.Done():
			return
		case <-probe.C:
		}
		if s.client.Alive(ctx) == nil {
			missed = 0
			continue
		}
		if missed++; missed >= s.cfg.ProbeMisses && ctx.Err() == nil {
			s.cfg.Log.ErrorContext(ctx, "engine gives no sign of life and is killed", "probes", missed)
			c.kill()
			return
		}
	}
}
