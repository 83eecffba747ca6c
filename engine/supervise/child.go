package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"veracity/engine/serve"
)

// child is one engine process.
type child struct {
	cmd      *exec.Cmd
	log      *logWriter
	isolated bool
	// ended is closed when the process and all that it started are gone; exit then says how it went.
	ended chan struct{}
	exit  string
}

// spawn starts an engine. When ctx ends it is asked to stop, and killed after StopTimeout.
func spawn(ctx context.Context, cfg Config, isolate bool) (*child, error) {
	program := cfg.Program
	if program == "" {
		var err error
		if program, err = thisProgram(); err != nil {
			return nil, err
		}
	}
	c := &child{log: &logWriter{ctx: ctx, log: cfg.Log}, isolated: isolate, ended: make(chan struct{})}
	c.cmd = exec.CommandContext(ctx, program, cfg.Args...) //nolint:gosec // The program is this one or the operator's.
	c.cmd.Args[0] = os.Args[0]
	c.cmd.Env = append([]string{}, cfg.Env...)
	c.cmd.Dir = "/"
	c.cmd.Stderr = c.log
	c.cmd.SysProcAttr = attributes(isolate)
	c.cmd.WaitDelay = cfg.StopTimeout
	lifeline, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	c.cmd.Cancel = func() error {
		// A signal is lost on an engine that is just becoming the locked one; the end of the lifeline is not.
		return errors.Join(lifeline.Close(), c.cmd.Process.Signal(syscall.SIGTERM))
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	go c.wait()
	if err := handOver(lifeline, cfg.Engine); err != nil {
		c.kill()
		<-c.ended
		return nil, err
	}
	return c, nil
}

// handOver tells the engine its settings. The pipe stays open: its end is what tells the engine that this process is
// gone, where the kernel does not.
func handOver(lifeline io.Writer, settings serve.Config) error {
	err := json.NewEncoder(lifeline).Encode(settings)
	if err == nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil // An engine that is gone already says why itself.
	}
	return fmt.Errorf("hand the engine its settings: %w", err)
}

func (c *child) wait() {
	err := reap(c.cmd)
	last := c.log.flush()
	switch state := c.cmd.ProcessState; {
	case state == nil:
		c.exit = err.Error()
	case state.Success():
		c.exit = "ended in order"
	case last == "":
		c.exit = state.String()
	default:
		c.exit = state.String() + ": " + last
	}
	close(c.ended)
}

// kill ends the process, and what it started, at once.
func (c *child) kill() { killGroup(c.cmd) }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
