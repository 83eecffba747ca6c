package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"riverqueue.com/riverui"
)

// NewUI makes the pages of River under prefix, and their API. They can cancel, retry and delete jobs and pause queues:
// whoever mounts them answers for letting operators in alone, and for refusing requests from other sites. Its counts are
// kept up to date until ctx ends.
func NewUI(ctx context.Context, db *pgxpool.Pool, prefix string, log *slog.Logger) (http.Handler, error) {
	client, err := river.NewClient(riverpgxv5.New(db), &river.Config{})
	if err != nil {
		return nil, fmt.Errorf("make client of the queue pages: %w", err)
	}
	handler, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints: riverui.NewEndpoints(client, nil), Prefix: prefix, Logger: slog.New(warnings{log.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("make queue pages: %w", err)
	}
	if err := handler.Start(ctx); err != nil {
		return nil, fmt.Errorf("start queue pages: %w", err)
	}
	return handler, nil
}
