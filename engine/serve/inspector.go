// Package serve is the engine as a process: it locks itself in, listens, admits checks, hands their bytes to an
// [Inspector] and answers. What a check looks at is the Inspector's; who asks and what it costs is nobody's here.
package serve

import (
	"context"
	"log/slog"

	"veracity/engine"
	"veracity/platform/fault"
)

// Inspector does the work behind a check. It is used by as many goroutines as there are checks at once.
type Inspector interface {
	// Inspect reads one image file. It should end soon after ctx does. Its errors are faults as engine.Checker lists them;
	// any other error, and a panic, becomes engine_error.
	Inspect(ctx context.Context, data []byte) (engine.Report, error)
	// Accept decodes one image file and says what it is, for optimizations to be refused before they begin.
	Accept(ctx context.Context, data []byte) (engine.File, error)
	// InspectClip reads one video or voice clip.
	InspectClip(ctx context.Context, job Job) (engine.Report, error)
	// Render optimizes one image or video into job.Out. The answer's Bytes is that file's length.
	Render(ctx context.Context, job Job) (engine.Rendered, error)
	// Models maps each lane that reads with a model to that model's NAME@VERSION, or to "unavailable".
	Models() map[string]string
	// Fault is model_unavailable when a model that the settings name cannot be loaded, its cause says which and why. Checks
	// are then refused before they are admitted, so that their sources stay unread; all else goes on. It never changes.
	Fault() *fault.Fault
}

// Job is one long piece of work on one file.
type Job struct {
	// Media is what the caller takes the file for.
	Media engine.Media
	// Path is the file, Dir a folder of the job's own that is removed after it, Out where Render writes. Path and Out lie
	// in Dir.
	Path, Dir, Out string
	// MaxSeconds is the longest clip that is taken.
	MaxSeconds float64
	// SignatureRoom has an output carry Content Credentials: how many bytes their signature will take. 0 asks for none.
	SignatureRoom int
	// Progress is never nil; it takes 0 to 1.
	Progress func(done float64)
}

// Setup is what an Inspector is made from.
type Setup struct {
	// Scratch is the one folder that can be written.
	Scratch string
	// Cores is how many checks run at once.
	Cores int
	// FFmpeg and FFprobe are the programs' absolute paths, "" where Config.Exec names none.
	FFmpeg, FFprobe string
	// Trust is the folder of C2PA trust lists, "" for none.
	Trust string
	// Models says which models the learned lanes read with.
	Models Models
	Log    *slog.Logger
}

// Factory makes the Inspector, within the sandbox, once. While it works the engine answers engine_unavailable; its error
// ends the engine.
type Factory func(ctx context.Context, setup Setup) (Inspector, error)
