package ffmpeg

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"
)

// Config says where the programs are and what each start of them may take.
type Config struct {
	// FFmpeg and FFprobe are absolute paths.
	FFmpeg, FFprobe string
	// Threads is how many threads a long decode or an encode has, 1 to 64. Short ones have one.
	Threads int
	// MaxPixels is the largest coded picture that is decoded: width times height.
	MaxPixels int64
	// MemoryBytes bounds the private memory of each program, where the process that starts it has no lower bound itself.
	MemoryBytes int64
	// Nice is by how much the programs stand back behind the process that starts them, 0 to 19 (setpriority(2)).
	Nice int
	// ReadTimeout bounds each Probe and Frames, and each Sound from its start to its end. RunTimeout bounds each Run.
	ReadTimeout, RunTimeout time.Duration
	// Log hears at debug level how each start went.
	Log *slog.Logger
}

// mostThreads keeps the default in bounds on large machines: x264 holds a picture or two for each of its threads, and
// gains little beyond these.
const mostThreads = 8

// leastMemory is what small clips need. With much less ffmpeg hangs where its threads cannot be made.
const leastMemory = 256 << 20

// DefaultConfig takes the programs where Debian puts them, pictures up to 8192 x 4320, and a thread a core.
func DefaultConfig() Config {
	return Config{
		FFmpeg: "/usr/bin/ffmpeg", FFprobe: "/usr/bin/ffprobe",
		Threads: min(runtime.GOMAXPROCS(0), mostThreads), MaxPixels: 8192 * 4320, MemoryBytes: 2 << 30, Nice: 5,
		ReadTimeout: 5 * time.Minute, RunTimeout: 30 * time.Minute, Log: slog.New(slog.DiscardHandler),
	}
}

// Validate names the first field that has a value it may not have.
func (c Config) Validate() error {
	const most = 1<<31 - 1 // ffmpeg's own bound on max_pixels
	switch {
	case !filepath.IsAbs(c.FFmpeg):
		return fmt.Errorf("ffmpeg: FFmpeg is %q: an absolute path is needed", c.FFmpeg)
	case !filepath.IsAbs(c.FFprobe):
		return fmt.Errorf("ffmpeg: FFprobe is %q: an absolute path is needed", c.FFprobe)
	case c.Threads < 1 || c.Threads > 64:
		return fmt.Errorf("ffmpeg: Threads is %d: 1 to 64 are needed", c.Threads)
	case c.MaxPixels < 1 || c.MaxPixels > most:
		return fmt.Errorf("ffmpeg: MaxPixels is %d: 1 to %d are needed", c.MaxPixels, most)
	case c.MemoryBytes < leastMemory:
		return fmt.Errorf("ffmpeg: MemoryBytes is %d: %d or more is needed", c.MemoryBytes, leastMemory)
	case c.Nice < 0 || c.Nice > 19:
		return fmt.Errorf("ffmpeg: Nice is %d: 0 to 19 is needed", c.Nice)
	case c.ReadTimeout <= 0:
		return fmt.Errorf("ffmpeg: ReadTimeout is %s: a positive duration is needed", c.ReadTimeout)
	case c.RunTimeout <= 0:
		return fmt.Errorf("ffmpeg: RunTimeout is %s: a positive duration is needed", c.RunTimeout)
	case c.Log == nil:
		return errors.New("ffmpeg: Log is nil: a logger is needed")
	}
	return nil
}
