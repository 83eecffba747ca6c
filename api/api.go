// Package api is the edge /api/v1: it authenticates, decodes, calls one business act and encodes. The error table
// from codes to statuses lives here. No SQL and no business rule belongs here.
package api

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veracity/account"
	"veracity/media"
	"veracity/platform/fault"
	"veracity/usage"
)

// Prefix is where the API is mounted.
const Prefix = "/api/v1"

// MaxBody is the largest request body in bytes: 4 MiB of image in base64, with room for escapes and other fields.
const MaxBody = 6 << 20

// bodyTime bounds how long a client may take to send a body.
const bodyTime = 60 * time.Second

// API serves the public API.
type API struct {
	accounts *account.Accounts
	media    *media.Service
	twins    *twins
	requests Recorder
	metrics  *Metrics
	log      *slog.Logger
	document document
}

// Recorder takes note of every answered request of an account. It must not make a request wait.
type Recorder interface {
	Note(e usage.Entry)
}

// Parts are what the API works with. All are needed.
type Parts struct {
	DB       *pgxpool.Pool
	Accounts *account.Accounts
	Media    *media.Service
	Requests Recorder
	Metrics  *Metrics
	Log      *slog.Logger
	// BaseURL is where clients reach the service; the API's description names it.
	BaseURL string
}

// New makes the API.
func New(p Parts) *API {
	return &API{
		accounts: p.Accounts, media: p.Media, twins: &twins{db: p.DB, log: p.Log}, requests: p.Requests, metrics: p.Metrics, log: p.Log,
		document: documentAt(p.BaseURL),
	}
}

// Mount is a path below [Prefix] whose POST another edge answers, behind the same key, limits and log.
type Mount struct {
	Path    string
	Handler http.Handler
}

// Handler routes what lies below [Prefix], where it is to be mounted. Its middleware runs in the order request id, body cap, key, plan and payment, rate.
func (a *API) Handler(more ...Mount) http.Handler {
	r := chi.NewRouter()
	r.Use(a.observe, recoverPanics, capBody)
	r.NotFound(handle(unknownPath))
	r.MethodNotAllowed(handle(unknownMethod(r)))
	// The links to finished files need no key.
	for _, name := range []string{"file", "image"} {
		r.Get("/optimize/{id}/"+name, handle(a.download))
		r.Head("/optimize/{id}/"+name, handle(a.download))
	}
	r.Get("/openapi.json", handle(a.describe))
	r.Head("/openapi.json", handle(a.describe))
	r.Group(func(r chi.Router) {
		r.Use(a.authenticate)
		r.Post("/audit", a.once(a.audit))
		r.Get("/audit/{id}", handle(a.readCheck))
		r.Post("/optimize", a.once(a.optimize))
		r.Get("/optimize/{id}", handle(a.readOptimization))
		r.Post("/uploads", a.once(a.createUpload))
		for _, m := range more {
			r.Method(http.MethodPost, m.Path, m.Handler)
		}
	})
	return r
}

// endpoint answers a request or returns why it is refused.
type endpoint func(w http.ResponseWriter, r *http.Request) error

func handle(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := e(w, r); err != nil {
			writeError(w, r, err)
		}
	}
}

func unknownPath(_ http.ResponseWriter, r *http.Request) error {
	return fault.New(fault.NotFound, "There is nothing at %.200s. The docs list the paths of the API.", r.URL.Path)
}

// unknownMethod answers a known path, and says in Allow which methods it takes (RFC 9110, section 10.2.1).
func unknownMethod(routes chi.Routes) endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		path := strings.TrimPrefix(r.URL.Path, Prefix)
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			if routes.Match(chi.NewRouteContext(), method, path) {
				w.Header().Add("Allow", method)
			}
		}
		if w.Header().Get("Allow") == "" {
			return unknownPath(w, r) // the router asks here about every method that it does not know
		}
		return fault.New(fault.MethodNotAllowed, "%s is not answered here. Allow says what is.", r.Method)
	}
}
