package jobs

import (
	"context"
	"log/slog"
)

// warnings passes on what River warns of and drops what it merely tells, which repeats every few seconds.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}
