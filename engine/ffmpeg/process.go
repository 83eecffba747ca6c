package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// process is a running program. Its whole group is killed when its context ends, and the kernel kills it when this
// process dies.
type process struct {
	cmd      *exec.Cmd
	problems *excerpt
	ended    chan struct{}
	err      error
}

// waitDelay is how long output may stay open after the program's end: nothing that it starts should live on.
const waitDelay = 2 * time.Second

// environment is the whole environment of the programs: none of this process's.
var environment = []string{"LANG=C.UTF-8", "AV_LOG_FORCE_NOCOLOR=1"}

// spawn starts the program of a call. It ends with ctx.
func (t *Tool) spawn(ctx context.Context, c call, w *wires) (*process, error) {
	p := &process{problems: &excerpt{}, ended: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, c.program, c.args...) //nolint:gosec // The program is the operator's setting.
	p.cmd.Env = environment
	p.cmd.Stderr = p.problems
	if w.stdout != nil {
		p.cmd.Stdout = w.stdout
	}
	p.cmd.ExtraFiles = w.theirs
	p.cmd.SysProcAttr = attributes()
	p.cmd.Cancel = func() error { return killGroup(p.cmd.Process.Pid) }
	p.cmd.WaitDelay = waitDelay
	started := make(chan error, 1)
	go p.live(ctx, t.cfg, started)
	if err := <-started; err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, fmt.Errorf("start %s: %w", filepath.Base(c.program), err)
	}
	return p, nil
}

// live is the program's life from start to end on one thread: the kernel ties the child to the thread that started it,
// and Go ends threads when it likes.
func (p *process) live(ctx context.Context, cfg Config, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := time.Now()
	err := p.cmd.Start()
	if err == nil {
		restrain(p.cmd.Process.Pid, cfg)
	}
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	cfg.Log.DebugContext(ctx, "a program ended", slog.String("program", filepath.Base(p.cmd.Path)),
		slog.Duration("took", time.Since(begin)), slog.String("state", p.cmd.ProcessState.String()),
		slog.String("said", p.problems.String()))
	close(p.ended)
}

// wait answers how the program ended: nil, an exitError, or a fault of the machine.
func (p *process) wait() error {
	<-p.ended
	var exit *exec.ExitError
	if !errors.As(p.err, &exit) {
		if p.err != nil {
			return fmt.Errorf("run %s: %w", filepath.Base(p.cmd.Path), p.err)
		}
		return nil
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	killed := ok && status.Signaled() && status.Signal() == syscall.SIGKILL
	return &exitError{program: filepath.Base(p.cmd.Path), state: exit.String(), said: p.problems.String(), killed: killed}
}

// exitError says that a program ran and failed.
type exitError struct {
	program, state, said string
	// killed says that something outside put an end to it, such as a machine that ran out of memory.
	killed bool
}

func (e *exitError) Error() string { return e.program + ": " + e.state + ": " + e.said }

// ofFile makes a program's failure on a clip the clip's fault. Crashes are among them: what crashes a decoder is damaged.
func ofFile(err error) error {
	var exit *exitError
	if errors.As(err, &exit) && !exit.killed {
		return fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	return err
}

// excerpt keeps the beginning of what a program writes and lets the rest go: a damaged file can draw gigabytes of
// complaints.
type excerpt struct{ text strings.Builder }

const excerptBytes = 2 << 10

func (e *excerpt) Write(p []byte) (int, error) {
	e.text.Write(p[:min(len(p), excerptBytes-e.text.Len())])
	return len(p), nil
}

// String is safe to call once the program has ended.
func (e *excerpt) String() string { return strings.TrimSpace(e.text.String()) }

func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
