package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"veracity/engine"
	"veracity/engine/inspect"
	"veracity/engine/serve"
	"veracity/engine/supervise"
	"veracity/platform/fault"
)

func (s *Settings) registerEngine(fs *pflag.FlagSet) {
	fs.StringVar(&s.Engine.URL, "engine-url", "", "engine on another machine, http(s)://HOST:PORT; empty starts one as a child")
	fs.StringVar(&s.Engine.Token, "engine-token", "", "bearer token of that engine")
	fs.StringVar(&s.Engine.Region, "engine-region", "", "region of that engine")
	fs.DurationVar(&s.Engine.Timeout, "engine-timeout", s.Engine.Timeout, "longest wait for a check")
	fs.IntVar(&s.Serve.Cores, "engine-cores", s.Serve.Cores, "checks that the engine runs at once")
	fs.IntVar(&s.Serve.Queue, "engine-queue", s.Serve.Queue, "checks that may wait for the engine")
	fs.DurationVar(&s.Serve.QueueWait, "engine-queue-wait", s.Serve.QueueWait, "longest wait in that queue")
	fs.DurationVar(&s.Serve.CheckTimeout, "engine-check-timeout", s.Serve.CheckTimeout, "longest check")
	fs.Int64Var(&s.Serve.MemoryBytes, "engine-memory", s.Serve.MemoryBytes, "memory of the engine in bytes")
	fs.IntVar(&s.Serve.Jobs, "engine-jobs", s.Serve.Jobs, "clip checks and optimizations that the engine works at once")
	fs.DurationVar(&s.Serve.JobQueueWait, "engine-job-queue-wait", s.Serve.JobQueueWait, "longest wait of one for its place")
	fs.Int64Var(&s.Serve.ScratchBytes, "engine-scratch-bytes", s.Serve.ScratchBytes, "bytes of the engine's temporary files at once")
	fs.StringVar(&s.EngineScratch, "engine-scratch", "", "folder of the engine's temporary files; default DATA/engine")
	fs.BoolVar(&s.Serve.Strict, "engine-strict", s.Serve.Strict, "refuse to run without a whole sandbox")
}

// Words by which the engine's process is told which of its stages it is.
const (
	supervisedFlag = "supervised"
	handoffFlag    = "handoff"
)

func engineCommand(s *Settings) *cobra.Command {
	var (
		listen, socket, handoff string
		supervised              bool
	)
	cmd := &cobra.Command{
		Use: "engine", Short: "Run the media engine alone (--listen ADDR or --socket PATH)", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg := s.Serve
			cfg.Listen, cfg.Socket, cfg.Token, cfg.Region = listen, socket, s.Engine.Token, s.Engine.Region
			// One folder for each address, wiped at each start, so that what a killed engine left does not stay.
			cfg.Scratch = filepath.Join(s.EngineScratch, "alone-"+safeName(listen+socket))
			if !supervised && handoff == "" && listen == "" && socket == "" {
				return usageError{errors.New("say where to listen: --listen HOST:PORT or --socket PATH")}
			}
			return serve.Main(cmd.Context(), serve.Command{
				Config: cfg, Supervised: supervised, Handoff: handoff, Input: cmd.InOrStdin(),
				Reexec: []string{"engine", "--" + handoffFlag}, New: inspect.New, Log: newLogger(s),
			})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "TCP address, for an engine on a machine of its own")
	cmd.Flags().StringVar(&socket, "socket", "", "path of a unix socket")
	cmd.Flags().BoolVar(&supervised, supervisedFlag, false, "read the settings from standard input")
	cmd.Flags().StringVar(&handoff, handoffFlag, "", "begin the second stage")
	for _, internal := range []string{supervisedFlag, handoffFlag} {
		_ = cmd.Flags().MarkHidden(internal) // both exist
	}
	return cmd
}

// safeName makes an address fit for the name of a folder.
func safeName(address string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, address)
}

// startedEngine is an engine at hand.
type startedEngine struct {
	*engine.Client
	// wait returns when it takes checks, or says why it never will.
	wait func(context.Context) error
	stop func(context.Context) error
}

// startEngine starts an engine of this process's own, or connects to the one that the settings name.
func (s *Settings) startEngine(ctx context.Context, log *slog.Logger) (startedEngine, error) {
	if s.Engine.URL != "" || s.Engine.Socket != "" {
		client, err := engine.NewClient(s.Engine)
		if err != nil {
			return startedEngine{}, usageError{err}
		}
		return startedEngine{
			Client: client, stop: func(context.Context) error { return nil },
			wait: func(ctx context.Context) error { return awaitEngine(ctx, client) },
		}, nil
	}
	// Socket and scratch folder are the supervisor's to choose; what an operator can set is checked here.
	asked := s.Serve
	asked.Socket, asked.Scratch = "/socket", "/scratch"
	if err := asked.Validate(); err != nil {
		return startedEngine{}, usageError{err}
	}
	keep := supervise.DefaultConfig(s.Serve, log, "engine", "--"+supervisedFlag)
	keep.ScratchDir = s.EngineScratch
	child, err := supervise.Start(ctx, keep)
	if err != nil {
		return startedEngine{}, err
	}
	cfg := s.Engine
	cfg.Socket = child.Socket()
	client, err := engine.NewClient(cfg)
	if err != nil {
		return startedEngine{}, errors.Join(usageError{err}, child.Stop(context.WithoutCancel(ctx)))
	}
	return startedEngine{Client: client, wait: child.WaitReady, stop: child.Stop}, nil
}

// engineStart bounds the wait for the engine's first readiness.
const engineStart = 30 * time.Second

// awaitEngine waits until the engine takes work. Waiting mends no refusal other than engine_unavailable; for want of a
// model it refuses checks alone, each for itself.
func awaitEngine(ctx context.Context, checker engine.Checker) error {
	limited, cancel := context.WithTimeout(ctx, engineStart)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := checker.Ready(limited)
		if err == nil || fault.CodeOf(err) == fault.ModelUnavailable {
			return nil
		}
		if limited.Err() == nil {
			last = err
		}
		if limited.Err() == nil && fault.CodeOf(err) != fault.EngineUnavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limited.Done():
			return fmt.Errorf("the engine is not ready after %s: %w", engineStart, last)
		case <-tick.C:
		}
	}
}
