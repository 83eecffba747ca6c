package supervise

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"veracity/engine"
)

// readyPoll is how often a starting engine is asked whether it is ready.
const readyPoll = 20 * time.Millisecond

// hopeless is how many starts in a row, none of which got ready, end the waiting for readiness.
// After unisolate of them the engine is started without a user namespace of its own: some systems grant one in which
// nothing works.
const (
	unisolate = 2
	hopeless  = 3
)

// Status is what a supervisor knows of its engine.
type Status struct {
	// PID is the running process, 0 while there is none. Ready says that it takes checks.
	PID   int
	Ready bool
	// Since is when the process started.
	Since time.Time
	// Restarts counts starts after the first. LastExit says how the last process ended, "" before the first end.
	Restarts int
	LastExit string
}

// Supervisor keeps one engine running until it is stopped.
type Supervisor struct {
	cfg    Config
	dirs   folders
	client *engine.Client
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	status  Status
	fails   int
	current *child
	changed chan struct{}
}

// Start starts an engine and keeps it. It returns when the first process runs or cannot be started, not when it is
// ready: see WaitReady. ctx passes its values on; only Stop ends the engine.
func Start(ctx context.Context, cfg Config) (*Supervisor, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	dirs, err := privateFolders(cfg)
	if err != nil {
		return nil, err
	}
	s, err := prepare(cfg, dirs)
	if err != nil {
		return nil, errors.Join(err, dirs.remove())
	}
	started := make(chan error, 1)
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	go s.keep(running, started)
	if err := <-started; err != nil {
		cancel()
		<-s.done
		return nil, errors.Join(err, dirs.remove())
	}
	return s, nil
}

func prepare(cfg Config, dirs folders) (*Supervisor, error) {
	cfg.Engine.Socket, cfg.Engine.Listen, cfg.Engine.Lifeline = filepath.Join(dirs.socket, socketName), "", true
	cfg.Engine.Scratch = filepath.Join(dirs.scratch, scratchName)
	if err := cfg.Engine.Validate(); err != nil {
		return nil, err
	}
	clientConfig := engine.DefaultClientConfig()
	clientConfig.Socket, clientConfig.ReadyTimeout = cfg.Engine.Socket, cfg.ProbeTimeout
	client, err := engine.NewClient(clientConfig)
	if err != nil {
		return nil, err
	}
	return &Supervisor{cfg: cfg, dirs: dirs, client: client, done: make(chan struct{}), changed: make(chan struct{})}, nil
}

// Socket is the path of the unix socket on which the engine listens. It stays the same over restarts.
func (s *Supervisor) Socket() string { return s.cfg.Engine.Socket }

// Status is what is known of the engine now.
func (s *Supervisor) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// WaitReady waits until the engine takes checks. Its error says how the last process ended when three in a row did so
// without ever being ready, when the supervisor is stopped, or when ctx ends.
func (s *Supervisor) WaitReady(ctx context.Context) error {
	for {
		s.mu.Lock()
		status, fails, changed := s.status, s.fails, s.changed
		s.mu.Unlock()
		if status.Ready {
			return nil
		}
		if fails >= hopeless {
			return fmt.Errorf("the engine does not start: %s", status.LastExit)
		}
		select {
		case <-changed:
		case <-s.done:
			return errors.New("the engine is stopped")
		case <-ctx.Done():
			return fmt.Errorf("wait for the engine: %w", ctx.Err())
		}
	}
}

// Stop asks the engine to end, kills it when it does not within StopTimeout or before ctx ends, and removes its folders.
func (s *Supervisor) Stop(ctx context.Context) error {
	s.cancel()
	select {
	case <-s.done:
	case <-ctx.Done():
		s.mu.Lock()
		if s.current != nil {
			s.current.kill()
		}
		s.mu.Unlock()
		<-s.done
	}
	return s.dirs.remove()
}

// keep starts engines one after the other until ctx ends. All are started from one thread, locked to this goroutine for
// good: the kernel kills a child when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG).
func (s *Supervisor) keep(ctx context.Context, started chan<- error) {
	runtime.LockOSThread()
	defer close(s.done)
	isolate, ends := s.cfg.Isolate, 0
	for first := true; ; first = false {
		c, err := s.start(ctx, isolate)
		if first {
			started <- err
		}
		if err == nil {
			fails := s.follow(ctx, c)
			if isolate = c.isolated && fails < unisolate; c.isolated && !isolate {
				s.cfg.Log.WarnContext(ctx, "engine fails in a user namespace of its own; going on without")
			}
		}
		if ctx.Err() != nil || (first && err != nil) {
			return
		}
		if err != nil {
			s.cfg.Log.ErrorContext(ctx, "engine cannot be started", "error", err)
		}
		ends++
		if c != nil && time.Since(s.Status().Since) >= s.cfg.HealthyAfter {
			ends = 1
		}
		if !pause(ctx, wait(ends)) {
			return
		}
	}
}

// pause waits and answers false when ctx ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// start spawns an engine, without a namespace of its own where the kernel refuses one.
func (s *Supervisor) start(ctx context.Context, isolate bool) (*child, error) {
	c, err := spawn(ctx, s.cfg, isolate)
	if err != nil && isolate && ctx.Err() == nil {
		var plain error
		if c, plain = spawn(ctx, s.cfg, false); plain == nil {
			s.cfg.Log.InfoContext(ctx, "no user namespace for the engine", "reason", err)
		}
		err = plain
	}
	if err != nil {
		return nil, err
	}
	s.change(func() {
		if s.status.LastExit != "" {
			s.status.Restarts++
		}
		s.status.PID, s.status.Since, s.current = c.cmd.Process.Pid, time.Now(), c
	})
	return c, nil
}

// change alters the status and tells those who wait for it.
func (s *Supervisor) change(alter func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	alter()
	close(s.changed)
	s.changed = make(chan struct{})
}
