package supervise

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// maxLine bounds a line of the engine's log; what is longer goes on as another line.
const maxLine = 16 << 10

// logWriter turns an engine's standard error into records of this process's log: lines of slog's JSON keep their level,
// time and attributes, all else is a warning.
type logWriter struct {
	ctx context.Context //nolint:containedctx // io.Writer passes none; log handlers may want one.
	log *slog.Logger

	mu   sync.Mutex
	rest []byte
	last string
}

// Write implements io.Writer. It never fails: a log that cannot be kept must not stop the engine.
func (w *logWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			break
		}
		w.emit(line)
		w.rest = rest
	}
	for len(w.rest) >= maxLine {
		w.emit(w.rest[:maxLine])
		w.rest = w.rest[maxLine:]
	}
	return len(p), nil
}

// flush passes on a last line without its end and answers the engine's last complaint.
func (w *logWriter) flush() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) > 0 {
		w.emit(w.rest)
		w.rest = nil
	}
	return w.last
}

func (w *logWriter) emit(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	record := parseRecord(line)
	if record.Level >= slog.LevelWarn {
		w.last = record.Message
	}
	if handler := w.log.Handler(); handler.Enabled(w.ctx, record.Level) {
		// A handler's failure has nowhere to be told.
		_ = handler.Handle(w.ctx, record)
	}
}

// parseRecord reads one line of slog's JSON, or makes a warning of any other line.
func parseRecord(line []byte) slog.Record {
	var fields map[string]any
	if json.Unmarshal(line, &fields) != nil {
		return slog.NewRecord(time.Now(), slog.LevelWarn, string(line), 0)
	}
	when := time.Now()
	if text, ok := fields[slog.TimeKey].(string); ok {
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			when = t
		}
	}
	level := slog.LevelWarn
	if text, ok := fields[slog.LevelKey].(string); ok {
		if err := level.UnmarshalText([]byte(text)); err != nil {
			level = slog.LevelWarn
		}
	}
	message, _ := fields[slog.MessageKey].(string)
	record := slog.NewRecord(when, level, message, 0)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != slog.TimeKey && key != slog.LevelKey && key != slog.MessageKey {
			record.AddAttrs(slog.Any(key, fields[key]))
		}
	}
	return record
}
