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
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/engine"
	"veracity/platform/safefetch"
	"veracity/platform/storage"
)

// Caller is the account and key that an act is done for.
type Caller struct {
	Account uuid.UUID
	Key     uuid.UUID
}

// Service does the acts. It is safe for concurrent use.
type Service struct {
	cfg     Config
	db      *pgxpool.Pool
	store   storage.Store
	fetch   *safefetch.Fetcher
	engine  engine.Checker
	metrics *Metrics
	log     *slog.Logger
	fetches *fetchGate
}

// Parts are what a Service works with.
type Parts struct {
	DB      *pgxpool.Pool
	Store   storage.Store
	Fetch   *safefetch.Fetcher
	Engine  engine.Checker
	Metrics *Metrics
	Log     *slog.Logger
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
		cfg: cfg, db: p.DB, store: p.Store, fetch: p.Fetch, engine: p.Engine, metrics: p.Metrics, log: p.Log,
		fetches: newFetchGate(cfg.FetchesAtOnce, fetchWait),
	}, nil
}

// Limits of a file by the way it is sent (API contract, "Limits"). A MB is 2^20 bytes, a GB 2^30.
const (
	MaxImageBytes  int64 = 25 << 20
	MaxBase64Bytes int64 = 4 << 20
	MaxVideoBytes  int64 = 1 << 30
	MaxAudioBytes  int64 = 1 << 30
	// MaxSeconds is the longest video or voice clip.
	MaxSeconds = 180
)

// Config are the settings of the acts.
type Config struct {
	// SpoolDir is where a fetched file waits for the engine; it is removed from the folder while still open.
	SpoolDir string
	// FetchTimeout bounds the fetch of an image URL as a whole.
	FetchTimeout time.Duration
	// FetchesAtOnce bounds the fetches under way in this process; one account has at most a quarter of them.
	FetchesAtOnce int64
	// UploadTTL is how long an upload ticket works.
	UploadTTL time.Duration
	// HoldTTL is when the credits of an image check are given back although nobody ended the hold. It must be longer
	// than the longest check.
	HoldTTL time.Duration
	// Prices are the credit prices.
	Prices Prices
}

// DefaultConfig is the product's defaults.
func DefaultConfig() Config {
	return Config{
		SpoolDir:      "spool",
		FetchTimeout:  20 * time.Second,
		FetchesAtOnce: 64,
		UploadTTL:     time.Hour,
		HoldTTL:       5 * time.Minute,
		Prices:        DefaultPrices(),
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.SpoolDir == "":
		return fmt.Errorf("VERACITY_SPOOL_DIR is empty: name a folder")
	case c.FetchTimeout < time.Second || c.FetchTimeout > 10*time.Minute:
		return fmt.Errorf("VERACITY_IMAGE_FETCH_TIMEOUT is %s: allowed are 1s to 10m", c.FetchTimeout)
	case c.FetchesAtOnce < 1 || c.FetchesAtOnce > 10_000:
		return fmt.Errorf("VERACITY_FETCHES_AT_ONCE is %d: allowed are 1 to 10000", c.FetchesAtOnce)
	case c.UploadTTL < time.Minute || c.UploadTTL > 7*24*time.Hour:
		return fmt.Errorf("VERACITY_UPLOAD_TTL is %s: allowed are 1m to 168h", c.UploadTTL)
	case c.HoldTTL < c.FetchTimeout+2*time.Minute || c.HoldTTL > 24*time.Hour:
		return fmt.Errorf("VERACITY_HOLD_TTL is %s: allowed are 2m more than VERACITY_IMAGE_FETCH_TIMEOUT (%s) to 24h", c.HoldTTL, c.FetchTimeout)
	}
	return c.Prices.Validate()
}

// opened is a source's bytes, ready for the engine.
type opened struct {
	io.ReadCloser
	size int64
	// admitted runs when the engine has taken the file on.
	admitted func(context.Context) error
}
