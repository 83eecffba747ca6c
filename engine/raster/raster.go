// Package raster turns a still image file into pixels through libvips. It is the only package that links a decoder, and
// it is linked into the engine's process alone. It refuses by header whatever is too large, animated or built to cost
// more than it is worth, before a decoder allocates for it. It knows formats and limits, nothing of lanes or verdicts.
//
// govips starts libvips and carries its log. Decoding itself goes through the few lines of C beside this file, because
// govips has no binding for failure levels on most loaders, for blocking loaders, or for decoding into Go memory.
package raster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/davidbyttow/govips/v2/vips"
)

// Decoder decodes images within its limits. Its methods may be called from many goroutines at once.
type Decoder struct {
	limits Config
}

// libvips is one per process and starts once.
var started struct {
	sync.Mutex
	done bool
}

// Startup starts libvips for this process and gives the decoder. It succeeds once per process: libvips cannot be
// started again after Shutdown, and its settings hold for the whole process. Warnings about files go to log at debug
// level, and libvips's own faults at error level.
func Startup(cfg Config, log *slog.Logger) (*Decoder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("start libvips: %w", err)
	}
	started.Lock()
	defer started.Unlock()
	if started.done {
		return nil, errors.New("start libvips: it was started before in this process")
	}
	started.done = true
	vips.LoggingSettings(logTo(log), vips.LogLevelWarning)
	vips.Startup(&vips.Config{ConcurrencyLevel: cfg.Threads})
	lockDown(cfg.Threads)
	return &Decoder{limits: cfg}, nil
}

// Shutdown frees what libvips holds. No decode may be running or follow.
func (d *Decoder) Shutdown() { vips.Shutdown() }

// logTo carries libvips's log over. Almost all of it is complaints about callers' files, which are no fault of ours.
func logTo(log *slog.Logger) vips.LoggingHandlerFunction {
	return func(domain string, level vips.LogLevel, message string) {
		to := slog.LevelDebug
		if level == vips.LogLevelError || level == vips.LogLevelCritical {
			to = slog.LevelError
		}
		log.Log(context.Background(), to, "libvips", slog.String("domain", domain), slog.String("message", message))
	}
}
