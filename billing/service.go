package billing

import (
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/account"
)

// Parts are what payments work with.
type Parts struct {
	DB       *pgxpool.Pool
	Accounts *account.Accounts
	// Queue takes the jobs that events and acts ask for.
	Queue account.Inserter
	// Plans is the catalogue; nil is [Plans].
	Plans Catalogue
	Log   *slog.Logger
	// Metrics may be nil.
	Metrics *Metrics
	// Now is the clock by which subscriptions end; nil is the machine's. A payment service for development has one of its own.
	Now func() time.Time
}

// Service takes payments through Stripe and makes accounts follow them.
type Service struct {
	Parts
	cfg    Config
	stripe *stripeAPI
	portal portalCache
}

// New makes the service. Config.SecretKey is needed.
func New(cfg Config, p Parts) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if p.Plans == nil {
		p.Plans = Plans()
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	api, err := newStripe(cfg)
	if err != nil {
		return nil, err
	}
	return &Service{Parts: p, cfg: cfg, stripe: api}, nil
}

// Open tells whether events are taken: only with a secret that proves them.
func (s *Service) Open() bool { return s.cfg.WebhookSecret != "" }
