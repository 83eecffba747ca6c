package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"

	"veracity/engine/sandbox"
)

// Command is one start of an engine process. On Linux an engine starts twice: the first stage prepares what the sandbox
// forbids (scratch, listener), locks itself in and replaces itself with the second, which serves.
type Command struct {
	// Config is used by the first stage when it is not supervised.
	Config Config
	// Supervised makes the first stage read its Config as JSON from Input.
	Supervised bool
	// Input is the process's standard input. With Config.Lifeline, its end ends the engine.
	Input io.Reader
	// Handoff is "" in the first stage, else the word that the first stage appended to Reexec.
	Handoff string
	// Reexec are the arguments, after the program's name, that bring this program to Main again with the next argument as
	// its Handoff.
	Reexec []string
	// New makes the Inspector, in the second stage alone.
	New Factory
	Log *slog.Logger
}

// Main serves until ctx ends. Its error is nil after an ordered end, ErrStuck when the engine wants to be started anew,
// and else says what hinders the start.
func Main(ctx context.Context, c Command) error {
	if c.Handoff != "" {
		given, listener, err := unpack(c.Handoff)
		if err != nil {
			return err
		}
		return run(ctx, given, listener, c)
	}
	cfg := c.Config
	if c.Supervised {
		if err := json.NewDecoder(c.Input).Decode(&cfg); err != nil {
			return fmt.Errorf("read the engine's settings: %w", err)
		}
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	if err := prepareScratch(cfg.Scratch); err != nil {
		return err
	}
	listener, err := listen(ctx, cfg)
	if err != nil {
		return err
	}
	given := newHandoff(cfg)
	if !sandbox.Supported() {
		return run(ctx, given, listener, c)
	}
	return enter(given, listener, c.Reexec)
}

// enter becomes the second stage; it returns only when that cannot be.
func enter(given handoff, listener net.Listener, reexec []string) error {
	socket, ok := listener.(interface{ File() (*os.File, error) })
	if !ok {
		return fmt.Errorf("hand the listener over: a %T has no descriptor", listener)
	}
	listenerFile, err := socket.File()
	if err != nil {
		return fmt.Errorf("hand the listener over: %w", err)
	}
	pipe, err := given.pack()
	if err != nil {
		return err
	}
	argv := append([]string{os.Args[0]}, append(reexec, descriptors(listenerFile.Fd(), pipe.Fd()))...)
	policy := given.Config.policy()
	policy.Keep = []uintptr{listenerFile.Fd(), pipe.Fd()}
	return sandbox.Enter(policy, argv, given.Config.environment())
}

// ownProgram is this very program, also when its file has been replaced or removed since the start (proc(5)).
const ownProgram = "/proc/self/exe"

// Limits of the locked process that are not worth a setting: per check, per job (whose programs count in) and for the
// process itself.
const (
	maxFileBytes    = 4 << 30
	baseDescriptors = 256
	jobDescriptors  = 32
	baseThreads     = 512
	coreThreads     = 64
	jobThreads      = 256
)

// policy is the lock that the settings ask for.
func (c Config) policy() sandbox.Policy {
	return sandbox.Policy{
		Program: ownProgram, Scratch: c.Scratch, Read: c.readable(), Exec: c.Exec,
		Limits: sandbox.Limits{
			MemoryBytes: c.MemoryBytes, FileBytes: maxFileBytes,
			OpenFiles: baseDescriptors + 4*(c.Cores+c.Queue) + (jobDescriptors+4*jobQueue)*c.Jobs,
			Processes: baseThreads + coreThreads*c.Cores + jobThreads*c.Jobs,
		},
	}
}

// readable are the files and folders to be read. What is not there yet cannot be opened later.
func (c Config) readable() []string {
	paths := slices.Clone(c.Read)
	for _, path := range append(c.Models.readable(), c.Trust) {
		if _, err := os.Stat(path); path != "" && err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// environment is the whole environment of the locked process.
func (c Config) environment() []string {
	return append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
		"HOME=" + c.Scratch, "TMPDIR=" + c.Scratch, "XDG_CACHE_HOME=" + c.Scratch,
	}, c.Env...)
}
