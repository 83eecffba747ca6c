// Package supervise keeps an engine process running beside this one: it starts it, hands it its settings, watches it,
// passes its log on and starts it anew when it ends or hangs. What the engine does is none of its business, and checks do
// not pass through it: callers ask the engine over the socket that [Supervisor.Socket] names.
package supervise

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"veracity/engine/serve"
)

// Config says how an engine is kept.
type Config struct {
	// Engine are the engine's settings. Its address, scratch folder and lifeline are the supervisor's to set.
	Engine serve.Config
	// Program is what to start, "" for this very program, and Args are its arguments: they bring it to serve.Main with
	// Supervised set.
	Program string
	Args    []string
	// Env is the whole environment of the process until it has locked itself in. It needs nothing, and holds no secret.
	Env []string
	// Dir is where the private folder of the socket is made, "" for the system's temporary folder.
	Dir string
	// ScratchDir is where the private scratch folder is made, "" for beside the socket. Jobs fill it with up to the engine's
	// ScratchBytes, so a folder on a disk is better than a temporary one that some systems keep in memory.
	ScratchDir string
	// StartTimeout bounds the time from start to readiness; a process that takes longer is killed.
	StartTimeout time.Duration
	// ProbeEvery is how often a running engine is asked for a sign of life, ProbeTimeout how long it may take to give one.
	// After ProbeMisses questions in a row without an answer it is killed.
	ProbeEvery   time.Duration
	ProbeTimeout time.Duration
	ProbeMisses  int
	// HealthyAfter is how long an engine must have run for its end to count as a first one again.
	HealthyAfter time.Duration
	// StopTimeout is what a stopping engine has to end in order before it is killed; it is to be longer than the engine's
	// Drain.
	StopTimeout time.Duration
	// Isolate gives the engine a user namespace of its own where the kernel allows it, and with it a network of its own.
	Isolate bool
	Log     *slog.Logger
}

// afterDrain is what an engine takes at most to end once it has drained.
const afterDrain = 2 * time.Second

// DefaultConfig keeps the given engine as this program, called with args.
func DefaultConfig(engine serve.Config, log *slog.Logger, args ...string) Config {
	return Config{
		Engine: engine, Args: args, Log: log,
		StartTimeout: 30 * time.Second, ProbeEvery: 2 * time.Second, ProbeTimeout: 5 * time.Second, ProbeMisses: 3,
		HealthyAfter: time.Minute, StopTimeout: engine.Drain + afterDrain, Isolate: true,
	}
}

// Validate names the field that is wrong. The engine's own settings are checked when its address is known.
func (c Config) Validate() error {
	for name, d := range map[string]time.Duration{
		"StartTimeout": c.StartTimeout, "ProbeEvery": c.ProbeEvery, "ProbeTimeout": c.ProbeTimeout,
		"HealthyAfter": c.HealthyAfter, "StopTimeout": c.StopTimeout,
	} {
		if d <= 0 {
			return fmt.Errorf("engine supervisor: %s is %s: a positive duration is needed", name, d)
		}
	}
	if c.ProbeMisses < 1 {
		return fmt.Errorf("engine supervisor: ProbeMisses is %d: 1 or more is needed", c.ProbeMisses)
	}
	if c.Log == nil {
		return errors.New("engine supervisor: Log is nil: a logger is needed")
	}
	return nil
}
