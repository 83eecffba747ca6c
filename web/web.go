// Package web is the portal: routes, sessions and pages for people. It asks domain packages and renders views; no SQL
// and no business rule lives here.
package web

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/account"
	"veracity/account/signin"
	"veracity/api/openapi"
	"veracity/media"
	"veracity/playground"
	"veracity/views"
	"veracity/web/reference"
	"veracity/webhook"
)

// Config is what the portal shows and how it meets browsers.
type Config struct {
	// BaseURL is the address under which visitors reach the service.
	BaseURL string
	// SupportEmail is where people are told to write to; empty shows none.
	SupportEmail string
	Plans        []Plan
	// Prices are what calls cost.
	Prices media.Prices
	// Times are what the guides promise.
	Times Times
	// Billing tells that plans are chosen and paid on these pages, by Parts.Billing. Otherwise the operator sets them.
	Billing bool
	// PayAt are the origins of the payment service's pages, scheme://host[:port], to which forms may lead.
	PayAt []string
	// Proxies are the networks whose X-Forwarded-For is believed.
	Proxies Proxies
}

// Plan is a plan as the price table shows it.
type Plan struct {
	Name    string
	Cents   int64
	Credits int64
	RPM     int
	Jobs    int
	Keys    int
}

// Parts are what the portal works with.
type Parts struct {
	DB         *pgxpool.Pool
	Accounts   *account.Accounts
	People     *signin.People
	Media      *media.Service
	Playground *playground.Playground
	Webhooks   *webhook.Deliveries
	// Billing takes payments. It is needed where Config.Billing is set.
	Billing Billing
	// Requests takes note of the checks that people make by hand.
	Requests Recorder
	// River are the pages of River, to be shown to operators alone under RiverPath; nil shows none.
	River http.Handler
	// Queues are what operators see of the work outside of requests; nil shows none.
	Queues Queues
	Log    *slog.Logger
}

// Portal serves the pages.
type Portal struct {
	cfg Config
	Parts
	sessions *scs.SessionManager
	routes   []Route
	// reference is what the reference of the API shows to everybody alike.
	reference func() (views.Reference, error)
}

// New makes the portal.
func New(cfg Config, parts Parts) *Portal {
	return &Portal{
		cfg: cfg, Parts: parts, sessions: newSessions(parts.DB, strings.HasPrefix(cfg.BaseURL, "https://"), parts.Log),
		reference: sync.OnceValues(func() (views.Reference, error) { return reference.Read(openapi.Document(), cfg.BaseURL) }),
	}
}

// Handler routes the pages and their assets.
func (p *Portal) Handler() (http.Handler, error) {
	r := chi.NewRouter()
	r.Use(p.secure, p.recoverPanics, http.NewCrossOriginProtection().Handler)
	if err := mountStatic(r); err != nil {
		return nil, err
	}
	r.Group(func(r chi.Router) {
		r.Use(p.bound, p.sessions.LoadAndSave, p.visit)
		p.mount(r)
		r.NotFound(p.page(p.notFound))
		r.MethodNotAllowed(p.page(p.notAllowed))
	})
	return r, nil
}
