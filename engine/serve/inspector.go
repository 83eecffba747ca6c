// Package serve is the engine as a process: it locks itself in, listens, admits checks, hands their bytes to an
// [Inspector] and answers. What a check looks at is the Inspector's; who asks and what it costs is nobody's here.
package serve

import (
	"context"
	"log/slog"

	"veracity/engine"
)

// Inspector does the work behind a check. It is used by as many goroutines as there are checks at once.
type Inspector interface {
	// Inspect reads one image file. It should end soon after ctx does. Its errors are faults as engine.Checker lists them;
	// any other error, and a panic, becomes engine_error.
	Inspect(ctx context.Context, data []byte) (engine.Report, error)
	// Models maps each lane that reads with a model to that model's state.
	Models() map[string]string
}

// Setup is what an Inspector is made from.
type Setup struct {
	// Scratch is the one folder that can be written.
	Scratch string
	// Cores is how many checks run at once.
	Cores int
	Log   *slog.Logger
}

// Factory makes the Inspector, within the sandbox, once. While it works the engine answers engine_unavailable; its error
// ends the engine.
type Factory func(ctx context.Context, setup Setup) (Inspector, error)
