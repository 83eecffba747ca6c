package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"veracity/account"
	"veracity/account/signin"
	"veracity/api"
	"veracity/api/mcp"
	"veracity/billing"
	"veracity/jobs"
	"veracity/letter"
	"veracity/media"
	"veracity/migrations"
	"veracity/platform/mail"
	"veracity/platform/postgres"
	"veracity/platform/safefetch"
	"veracity/platform/storage"
	"veracity/playground"
	"veracity/usage"
	"veracity/web"
	"veracity/webhook"
)

// App is the whole service wired up. Commands and end-to-end tests make it alike.
type App struct {
	Settings *Settings
	Log      *slog.Logger
	DB       *pgxpool.Pool
	Store    storage.Store
	Engine   media.Engine
	Accounts *account.Accounts
	People   *signin.People
	Media    *media.Service
	Webhooks *webhook.Deliveries
	// Playground is the checks that people make by hand.
	Playground *playground.Playground
	Portal     *web.Portal
	// Billing takes payments; nil where nothing is sold.
	Billing  *billing.Service
	Mail     mail.Sender
	Letters  *letter.Post
	Requests *usage.Log
	Metrics  *prometheus.Registry

	handler     http.Handler
	awaitEngine func(context.Context) error
	address     string
	// private is where /metrics is served, or "".
	private string
	closers []closer
	// stopWorker lets running jobs end and takes no more; nil without a worker in this process.
	stopWorker func() error
}

// closer ends one part; parts end in the reverse order of their start.
type closer struct {
	what string
	end  func(context.Context) error
}

// newApp connects the parts that s names. An older schema is refused. The caller closes the App.
func newApp(ctx context.Context, s *Settings, log *slog.Logger) (*App, error) {
	a := &App{Settings: s, Log: log, Metrics: prometheus.NewRegistry()}
	if err := a.wire(ctx); err != nil {
		return nil, errors.Join(err, a.Close(context.WithoutCancel(ctx)))
	}
	return a, nil
}

func (a *App) wire(ctx context.Context) error {
	if err := a.openDatabase(ctx); err != nil {
		return err
	}
	if err := migrations.Check(ctx, a.DB); err != nil {
		return err
	}
	queue, err := jobs.NewQueue(a.DB)
	if err != nil {
		return err
	}
	if err := a.makePeople(queue); err != nil {
		return err
	}
	a.Settings.Storage.TicketSecret = []byte(a.Settings.SecretKey)
	if a.Store, err = storage.Open(ctx, a.Settings.Storage, a.Log); err != nil {
		return usageError{err}
	}
	a.onClose("storage", func(context.Context) error { return a.Store.Close() })
	fetch, err := safefetch.New(a.Settings.Fetch)
	if err != nil {
		return usageError{err}
	}
	if err := a.openEngine(ctx); err != nil {
		return err
	}
	if err := a.makeActs(fetch, queue); err != nil {
		return err
	}
	if err := a.makeBilling(queue); err != nil {
		return err
	}
	if err := a.openMail(ctx); err != nil {
		return err
	}
	a.openRequestLog() //nolint:contextcheck // the log outlives the start and ends by its Close
	a.Metrics.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &depthCollector{a}, trustCollector{a.Settings.Trust.Dir})
	a.handler, err = a.routes(ctx)
	return err
}

// makeActs makes the domains whose acts need a queue.
func (a *App) makeActs(fetch *safefetch.Fetcher, queue *jobs.Queue) (err error) {
	a.Webhooks, err = webhook.New(a.Settings.Webhooks, webhook.Parts{
		DB: a.DB, Fetch: fetch, Secrets: a.Accounts, Queue: queue, Metrics: webhook.NewMetrics(a.Metrics), Log: a.Log,
	})
	if err != nil {
		return err
	}
	signer, err := a.Settings.signer()
	if err != nil {
		return err
	}
	a.Media, err = media.New(a.Settings.Media, media.Parts{
		Signer: signer,
		DB:     a.DB, Store: a.Store, Fetch: fetch, Engine: a.Engine, Queue: queue, Webhooks: a.Webhooks,
		Metrics: media.NewMetrics(a.Metrics), Log: a.Log,
	})
	if err != nil {
		return err
	}
	a.Accounts.Forget = a.Media.ForgetAccount
	a.Playground = playground.New(playground.Parts{DB: a.DB, Media: a.Media})
	return nil
}

func (a *App) openDatabase(ctx context.Context) error {
	if a.Settings.Database.URL == "" {
		return usageError{errors.New("VERACITY_DATABASE_URL is not set: name a database, or use `veracity dev` for a private one")}
	}
	if err := a.Settings.Database.Validate(); err != nil {
		return usageError{err}
	}
	db, err := postgres.Open(ctx, a.Settings.Database)
	if err != nil {
		return err
	}
	a.DB = db
	a.onClose("database", func(context.Context) error { db.Close(); return nil })
	return nil
}

// openEngine starts the engine as a child, or connects to the one that the settings name.
func (a *App) openEngine(ctx context.Context) error {
	if a.Settings.Engine.URL == "" {
		if err := a.Settings.makeTrustFolder(); err != nil {
			return err
		}
	}
	started, err := a.Settings.startEngine(ctx, a.Log)
	if err != nil {
		return err
	}
	a.Engine, a.awaitEngine = started, started.wait
	a.onClose("engine", started.stop)
	a.keepTrust(ctx)
	return nil
}

// requestLogTime bounds how long the end of the service waits for a database that does not take the last requests.
const requestLogTime = 10 * time.Second

// openRequestLog starts what writes requests down. It ends before the database does.
func (a *App) openRequestLog() {
	a.Requests = usage.NewLog(a.Settings.Usage, a.DB, usage.NewMetrics(a.Metrics), a.Log)
	a.onClose("request log", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, requestLogTime)
		defer cancel()
		return a.Requests.Close(ctx)
	})
}

func (a *App) routes(ctx context.Context) (http.Handler, error) {
	r := chi.NewRouter()
	r.Use(boundBodies)
	r.Get("/healthz", alive)
	r.Get("/readyz", a.ready)
	acts := api.New(api.Parts{
		DB: a.DB, Accounts: a.Accounts, Media: a.Media, Requests: a.Requests, Metrics: api.NewMetrics(a.Metrics), Log: a.Log,
		BaseURL: a.Settings.BaseURL,
	})
	tools, err := mcp.New(mcp.Parts{Acts: acts, Prices: a.Media.Prices(), BaseURL: a.Settings.BaseURL, Stop: ctx.Done()})
	if err != nil {
		return nil, err
	}
	rest := acts.Handler(api.Mount{Path: mcp.Path, Handler: tools})
	r.Mount(api.Prefix, rest)
	// A method that HTTP does not name never reaches the mounted router by itself.
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, api.Prefix+"/") {
			rest.ServeHTTP(w, r)
			return
		}
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
	})
	if uploads, ok := storage.Handler(a.Store); ok {
		r.Mount(storage.UploadPath, uploads)
	}
	if a.Billing != nil {
		r.Post(web.StripePath, web.StripeEvents(a.Billing, a.Log))
	}
	portal, err := a.portal(ctx)
	if err != nil {
		return nil, err
	}
	r.Mount("/", portal)
	return r, nil
}

// unaskedBody is how long anybody may take to send a body that no handler sets a time for.
const unaskedBody = 30 * time.Second

// boundBodies keeps a body that never comes from holding its connection open. Handlers that want bodies set times of
// their own.
func boundBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			// A server without deadlines (a test recorder) has nothing to bound.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(unaskedBody))
		}
		next.ServeHTTP(w, r)
	})
}

func plansShown() []web.Plan {
	plans := billing.Plans()
	shown := make([]web.Plan, len(plans))
	for i, p := range plans {
		shown[i] = web.Plan{Name: p.Name, Cents: p.Cents, Credits: p.Credits, RPM: p.RPM, Jobs: p.Jobs, Keys: p.Keys}
	}
	return shown
}

// startWorker begins to work the queues in this process.
func (a *App) startWorker(ctx context.Context) error {
	acts := jobs.Acts{Media: a.Media, Webhooks: a.Webhooks, Letters: a.Letters, Tasks: a.tasks()}
	if a.Billing != nil {
		acts.Billing = a.Billing
	}
	w, err := jobs.Start(ctx, a.Settings.Jobs, a.DB, acts, a.Log)
	if err != nil {
		return err
	}
	a.stopWorker = sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		return w.Stop(ctx)
	})
	a.onClose("worker", func(context.Context) error { return a.stopWorker() })
	return nil
}

func (a *App) onClose(what string, end func(context.Context) error) {
	a.closers = append(a.closers, closer{what, end})
}

// closeTimeout bounds the end of all parts together, beside the workers' own soft stop.
const closeTimeout = 60 * time.Second

// Close ends the parts, the last started first.
func (a *App) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	var errs []error
	for len(a.closers) > 0 {
		last := a.closers[len(a.closers)-1]
		a.closers = a.closers[:len(a.closers)-1]
		if err := last.end(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", last.what, err))
		}
	}
	return errors.Join(errs...)
}
