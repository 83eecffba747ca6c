package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// poll is how often we look whether a server has come or gone.
	poll = 20 * time.Millisecond
	// quitTimeout is how long a server may take to end at once.
	quitTimeout = 5 * time.Second
)

// postmaster is what a running server notes in postmaster.pid.
type postmaster struct {
	pid int
	// socket is the folder it listens in.
	socket string
	ready  bool
}

// readPostmaster reads postmaster.pid in data. Its lines are: process id, data folder, start time, port, socket folder,
// listen address, shared memory key, status. The last ones are missing early in a start.
func readPostmaster(data string) (postmaster, bool, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return postmaster{}, false, nil
	}
	if err != nil {
		return postmaster{}, false, fmt.Errorf("read postmaster.pid: %w", err)
	}
	lines := append(strings.Split(string(text), "\n"), make([]string, 8)...)
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		pid = 0
	}
	// An empty or torn file is what a crash of the machine leaves; pid 0 and below would signal whole groups.
	if pid <= 1 {
		return postmaster{}, false, nil
	}
	return postmaster{pid: pid, socket: lines[4], ready: strings.TrimSpace(lines[7]) == "ready"}, true, nil
}

// clearLeftover stops the server that a killed run has left on h's data, and removes the file of one that is gone,
// whose process id another process may bear by now. It is called with the lock held: no such server has a keeper.
func (h home) clearLeftover(ctx context.Context, cfg Config) error {
	left, noted, err := readPostmaster(h.data())
	if err != nil {
		return err
	}
	if noted {
		if err := stopLeftover(ctx, cfg, left.pid, h.data()); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(h.data(), "postmaster.pid")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove stale postmaster.pid: %w", err)
	}
	return nil
}

func stopLeftover(ctx context.Context, cfg Config, pid int, data string) error {
	// The handle comes first: what is checked is then what is signalled, even when the number is given away meanwhile.
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("find process %d: %w", pid, err)
	}
	defer func() { _ = process.Release() }()
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{
		{syscall.SIGINT, cfg.StopTimeout},
		{syscall.SIGQUIT, quitTimeout},
	} {
		alive, err := serves(pid, data)
		if err != nil || !alive {
			return err
		}
		cfg.Logger.InfoContext(ctx, "stop the PostgreSQL that an earlier run has left",
			slog.Int("pid", pid), slog.String("signal", step.signal.String()))
		if err := process.Signal(step.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop the PostgreSQL (process %d) that an earlier run has left: %w", pid, err)
		}
		if gone, err := waitGone(ctx, pid, data, step.wait); gone || err != nil {
			return err
		}
	}
	return fmt.Errorf("the PostgreSQL (process %d) that an earlier run has left does not stop", pid)
}

// waitGone waits until pid no longer serves data; false when it still does after the time given.
func waitGone(ctx context.Context, pid int, data string, patience time.Duration) (bool, error) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		alive, err := serves(pid, data)
		if err != nil || !alive {
			return !alive, err
		}
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("wait for process %d to stop: %w", pid, ctx.Err())
		case <-late.C:
			return false, nil
		case <-ticker.C:
		}
	}
}
