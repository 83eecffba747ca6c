package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a child of ours. Its err is how it ended, to be read once gone is closed.
type process struct {
	cmd  *exec.Cmd
	gone chan struct{}
	err  error
}

// prepare sets what every child of ours needs: the server's user, output to the log, a process group of its own so
// that Ctrl-C in the terminal reaches us first, and the signal that it gets when we are killed.
func (h home) prepare(cmd *exec.Cmd, out *output, orphaned syscall.Signal) {
	cmd.Env = environment()
	// PostgreSQL's programs ask for their working folder, which its user may not be allowed to read.
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = out.file, out.file
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: h.user.credential(), Setpgid: true}
	dieWithParent(cmd.SysProcAttr, orphaned)
}

// environment is fixed: no secret of ours reaches PostgreSQL, and no PGPORT or LC_ALL of the caller changes it.
func environment() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}

// launch starts cmd. The signal on the parent's death follows the thread that started the child and not the process,
// so one goroutine keeps that thread until the child has gone.
func launch(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, gone: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.gone)
		}
	}()
	return p, <-started
}

// stop ends a server in order, and by force when it is not gone within patience or when ctx ends.
func (p *process) stop(ctx context.Context, patience time.Duration) error {
	if p.signal(ctx, syscall.SIGINT, patience) {
		return nil
	}
	// The caller's patience is over; these are bounded by themselves.
	unhurried := context.WithoutCancel(ctx)
	if p.signal(unhurried, syscall.SIGQUIT, quitTimeout) || p.signal(unhurried, syscall.SIGKILL, quitTimeout) {
		return errors.New("PostgreSQL did not stop in time and was ended at once: it recovers at the next start")
	}
	return fmt.Errorf("PostgreSQL (process %d) does not stop", p.cmd.Process.Pid)
}

// signal sends sig and tells whether the process ended within patience and before ctx did.
func (p *process) signal(ctx context.Context, sig syscall.Signal, patience time.Duration) bool {
	if err := p.cmd.Process.Signal(sig); errors.Is(err, os.ErrProcessDone) {
		// It has ended, and only its goroutine has yet to say so.
		<-p.gone
		return true
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-p.gone:
		return true
	case <-late.C:
		return false
	case <-ctx.Done():
		return false
	}
}
