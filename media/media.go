// Package media holds every act that the API sells: checks, optimizations and uploads. An act takes credits, fetches
// the bytes, has the engine work and settles; api, the MCP endpoint and the job workers only translate to and from it.
// Nothing here knows HTTP statuses, JSON bodies or where a database lives.
package media

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/engine"
	"veracity/platform/safefetch"
	"veracity/platform/storage"
	"veracity/webhook"
)

// Caller is the account and key that an act is done for. Key is nil for the playground, where a person acts.
type Caller struct {
	Account uuid.UUID
	Key     uuid.UUID
}

// key is nil where the column is to be NULL.
func (c Caller) key() *uuid.UUID {
	if c.Key == uuid.Nil {
		return nil
	}
	return &c.Key
}

// Service does the acts. It is safe for concurrent use.
type Service struct {
	cfg     Config
	db      *pgxpool.Pool
	store   storage.Store
	fetch   *safefetch.Fetcher
	engine  Engine
	signer  engine.Signer
	queue   Inserter
	hooks   *webhook.Deliveries
	metrics *Metrics
	log     *slog.Logger
	fetches *fetchGate
	// clipFetches and spools bound the clips that are fetched and that wait on disk; clips does so for each account.
	clipFetches *fetchGate
	spools      *fetchGate
	clips       *clipGate
	switches    *Switches
}

// Engine is the engine as the acts need it.
type Engine interface {
	engine.Checker
	engine.Worker
}

// Parts are what a Service works with.
type Parts struct {
	DB     *pgxpool.Pool
	Store  storage.Store
	Fetch  *safefetch.Fetcher
	Engine Engine
	// Signer signs the Content Credentials of optimized files; nil signs none.
	Signer engine.Signer
	Queue  Inserter
	// Webhooks tell of optimizations that were started with a callback.
	Webhooks *webhook.Deliveries
	Metrics  *Metrics
	Log      *slog.Logger
}

// New makes a Service and its folder for files on their way to the engine.
func New(cfg Config, p Parts) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.SpoolDir, 0o700); err != nil {
		return nil, fmt.Errorf("make spool folder: %w", err)
	}
	return &Service{
		cfg: cfg, db: p.DB, store: p.Store, fetch: p.Fetch, engine: p.Engine, signer: p.Signer, queue: p.Queue, hooks: p.Webhooks,
		metrics: p.Metrics, log: p.Log,
		fetches: newFetchGate(cfg.FetchesAtOnce, fetchWait), clips: newClipGate(),
		clipFetches: newFetchGate(cfg.ClipFetchesAtOnce, fetchWait), spools: newFetchGate(cfg.SpoolBytes/MaxVideoBytes, fetchWait),
		switches: &Switches{DB: p.DB},
	}, nil
}

// opened is a source's bytes, ready for the engine.
type opened struct {
	io.ReadCloser
	size int64
	// rewind is set for what can be read again from its start.
	rewind io.Seeker
	// admitted runs when the engine has taken the file on.
	admitted func(context.Context) error
}
