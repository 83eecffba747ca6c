// Package webhook delivers what customers asked to be told: one delivery a job, its body fixed once, attempts numbered and
// kept with what the receiver answered, retries on a schedule, redelivery on request. It knows neither what the body says
// nor which queue wakes it, and every request goes through safefetch.
package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/platform/safefetch"
)

// Job is what a queue keeps of a delivery; the row is the record.
type Job struct {
	Delivery uuid.UUID `json:"delivery"`
}

// Kind names the job in the queue's tables.
func (Job) Kind() string { return "webhook" }

// Inserter puts a job on its queue in the transaction that makes it due.
type Inserter interface {
	Insert(ctx context.Context, tx pgx.Tx, job interface{ Kind() string }) error
}

// Secrets finds the signing secret of a key, also of one that has been revoked.
type Secrets interface {
	SigningSecret(ctx context.Context, account, key uuid.UUID) (string, error)
}

// Config are the settings of deliveries.
type Config struct {
	// Timeout bounds one attempt, from name resolution to the end of the answer.
	Timeout time.Duration
	// Retries are the waits before the second attempt, the third and so on. When all have failed the delivery is given
	// up. Each is lengthened by up to a fifth at random, so that receivers who were down are not met by all at once.
	Retries []time.Duration
	// Keep is how long a delivery stays readable.
	Keep time.Duration
	// PerAccount is how many attempts of one account are under way at once, in all processes together.
	PerAccount int
	// AtOnce is how many attempts this process makes at once, which is the number of its workers. Receivers that are slow
	// get a part of them.
	AtOnce int
}

// DefaultConfig is the product's defaults: nine attempts within some 45 hours.
func DefaultConfig() Config {
	return Config{
		Timeout: 10 * time.Second,
		Retries: []time.Duration{
			5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
			2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
		},
		Keep:       30 * 24 * time.Hour,
		PerAccount: 4, AtOnce: 20,
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Timeout < time.Second || c.Timeout > time.Minute:
		return fmt.Errorf("VERACITY_WEBHOOK_TIMEOUT is %s: allowed are 1s to 1m", c.Timeout)
	case len(c.Retries) > 50:
		return fmt.Errorf("VERACITY_WEBHOOK_RETRIES has %d waits: up to 50 are allowed", len(c.Retries))
	case c.Keep < time.Hour:
		return fmt.Errorf("VERACITY_WEBHOOK_KEEP is %s: allowed are times from 1h", c.Keep)
	case c.PerAccount < 1 || c.PerAccount > 1000:
		return fmt.Errorf("VERACITY_WEBHOOKS_PER_ACCOUNT is %d: allowed are 1 to 1000", c.PerAccount)
	case c.AtOnce < 1 || c.AtOnce > 1000:
		return fmt.Errorf("VERACITY_WEBHOOKS_AT_ONCE is %d: allowed are 1 to 1000", c.AtOnce)
	}
	for _, wait := range c.Retries {
		if wait < 10*time.Millisecond || wait > 7*24*time.Hour {
			return fmt.Errorf("VERACITY_WEBHOOK_RETRIES has a wait of %s: allowed are 10ms to 168h", wait)
		}
	}
	return nil
}

// Deliveries does the acts. It is safe for concurrent use.
type Deliveries struct {
	cfg     Config
	db      *pgxpool.Pool
	fetch   *safefetch.Fetcher
	secrets Secrets
	queue   Inserter
	metrics *Metrics
	log     *slog.Logger
	shares  *shares
}

// Parts are what Deliveries work with.
type Parts struct {
	DB      *pgxpool.Pool
	Fetch   *safefetch.Fetcher
	Secrets Secrets
	Queue   Inserter
	Metrics *Metrics
	Log     *slog.Logger
}

// New makes the Deliveries.
func New(cfg Config, p Parts) (*Deliveries, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Deliveries{
		cfg: cfg, db: p.DB, fetch: p.Fetch, secrets: p.Secrets, queue: p.Queue, metrics: p.Metrics, log: p.Log,
		shares: newShares(cfg),
	}, nil
}

// State is where a delivery stands.
type State string

// States. Pending goes on until an attempt is answered with 2xx, the schedule has run out, or the receiver answers that
// it is gone; a redelivery makes any of them pending again.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	GivenUp   State = "given_up"
)

// Order asks for a delivery.
type Order struct {
	Account uuid.UUID
	// Job is what the delivery tells of; there is one delivery a job.
	Job uuid.UUID
	// Key is the key whose secret signs.
	Key uuid.UUID
	URL string
	// Payload is the body, sent byte for byte at each attempt.
	Payload []byte
}

// Create writes a delivery down, due at once, and puts it on its queue, all in tx. A second one for the same job changes
// nothing.
func (d *Deliveries) Create(ctx context.Context, tx pgx.Tx, o Order) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make delivery id: %w", err)
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO delivery (id, account_id, job_id, key_id, url, payload, next_at)
		VALUES (@id, @account, @job, @key, @url, @payload, now())
		ON CONFLICT (job_id) DO NOTHING`,
		pgx.NamedArgs{"id": id, "account": o.Account, "job": o.Job, "key": o.Key, "url": o.URL, "payload": o.Payload})
	if err != nil {
		return fmt.Errorf("save delivery: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	if err := d.queue.Insert(ctx, tx, Job{Delivery: id}); err != nil {
		return fmt.Errorf("queue delivery: %w", err)
	}
	return nil
}
