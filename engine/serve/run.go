package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"veracity/engine/sandbox"
)

// ErrStuck says that a check or job ran on after all its time and the engine ended itself, to be started anew.
var ErrStuck = errors.New("engine: a check is stuck")

// cleanUp is how long an engine that ends waits for the jobs that it cut off to remove their files. What is left is wiped
// at the next start.
const cleanUp = time.Second

// Bounds on connections beside those of a check. Idle ones outlive the client's, so that the client closes first.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 16 << 10
)

// run serves on listener until ctx ends (nil), a check is stuck (ErrStuck) or serving fails.
func run(ctx context.Context, given handoff, listener net.Listener, c Command) error {
	parts, err := inspectLock(given.Config.Strict, c.Log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	// Go collects long before the kernel refuses; the other half is the decoders', of which Go knows nothing.
	debug.SetMemoryLimit(given.Config.MemoryBytes / 2)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if given.Config.Lifeline {
		go func() {
			defer cancel()
			_, _ = io.Copy(io.Discard, c.Input)
		}()
	}
	return serveOn(ctx, newServer(given.Config, given.TokenSum, parts, c.Log), listener, c.New)
}

// inspectLock looks at the sandbox and says what it lacks; strict makes that an error.
func inspectLock(strict bool, log *slog.Logger) (map[string]string, error) {
	status, err := sandbox.Describe()
	if err != nil {
		return nil, fmt.Errorf("look at the sandbox: %w", err)
	}
	weak := status.Weaknesses()
	if len(weak) > 0 && strict {
		return nil, fmt.Errorf("engine: Strict is set and the sandbox is not whole: %s", status)
	}
	if len(weak) > 0 {
		log.Warn("the engine's sandbox is not whole", "missing", weak)
	} else {
		log.Info("the engine is locked in", "sandbox", status.Parts())
	}
	return status.Parts(), nil
}

// serveOn serves until ctx ends. It listens while the Inspector is being made, so that callers hear "starting".
func serveOn(ctx context.Context, s *server, listener net.Listener, factory Factory) error {
	httpServer := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 2)
	go func() { failed <- fmt.Errorf("serve the engine: %w", httpServer.Serve(listener)) }()
	go func() {
		inspector, err := factory(ctx, Setup{
			Scratch: s.cfg.Scratch, Cores: s.cfg.Cores, Log: s.log,
			FFmpeg: s.cfg.program(ffmpeg), FFprobe: s.cfg.program(ffprobe), Trust: s.cfg.Trust,
			Models: s.cfg.Models,
		})
		if err != nil {
			failed <- fmt.Errorf("set the engine up: %w", err)
			return
		}
		s.inspector.Store(&inspector)
		s.log.InfoContext(ctx, "the engine takes checks", "at_once", s.cfg.Cores, "queue", s.cfg.Queue, "jobs", s.cfg.Jobs)
	}()
	var reason error
	select {
	case <-ctx.Done():
	case <-s.stuck:
		reason = ErrStuck
	case reason = <-failed:
	}
	s.close()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Drain)
	defer cancel()
	if err := httpServer.Shutdown(drain); err != nil {
		// What did not end in time loses its caller, and with it its reason to go on.
		_ = httpServer.Close()
		s.rooms.awaitEmpty(cleanUp)
	}
	return reason
}
