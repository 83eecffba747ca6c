// Package acttest runs the acts of package media on a database and a store of a test's own, with an engine that does what
// the test says. It is for tests alone.
package acttest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/media"
	"veracity/migrations/schematest"
	"veracity/platform/postgres"
	"veracity/platform/safefetch"
	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
	"veracity/quota"
	"veracity/webhook"
)

// Engine is an engine that does what the test says. It reads every file whole, as the real one does.
type Engine struct {
	mu     sync.Mutex
	Clip   func(ctx context.Context, req engine.ClipRequest) (engine.Report, error)
	Paint  func(ctx context.Context, req engine.RenderRequest) (engine.Rendered, error)
	Accept func(data []byte) error
	// Look checks an image; it starts out as GeneratedImage.
	Look  func(ctx context.Context, src engine.Source) (engine.Report, error)
	calls int
}

// CheckImage implements engine.Checker.
func (e *Engine) CheckImage(ctx context.Context, src engine.Source) (engine.Report, error) {
	e.mu.Lock()
	look := e.Look
	e.mu.Unlock()
	return look(ctx, src)
}

// GeneratedImage is a report on an image that says of itself that a model made it.
func GeneratedImage(ctx context.Context, src engine.Source) (engine.Report, error) {
	if err := Admit(ctx, src); err != nil {
		return engine.Report{}, err
	}
	issuer, score := "Stable Diffusion WebUI", 98
	return engine.Report{
		Media: engine.Image, Verdict: engine.AI, Score: &score, DecidedBy: engine.ByProvenance,
		Lanes: engine.Lanes{
			Pixels: engine.Lane{Verdict: engine.Unavailable, Score: 50}, Watermark: engine.Lane{Verdict: engine.Unavailable, Score: 50},
			Provenance: engine.ProvenanceLane{Verdict: engine.AI, Issuer: &issuer},
		},
		Detail: engine.Detail{Provenance: map[string]any{"statements": []map[string]any{{
			"kind": "generation_parameters", "where": "png:tEXt:parameters", "generator": issuer, "ai": "full", "value": "a \x00<b>cat</b>\u202e, Steps: 20",
		}}}},
	}, nil
}

// Ready implements engine.Checker.
func (e *Engine) Ready(context.Context) error { return nil }

// AcceptImage implements engine.Worker.
func (e *Engine) AcceptImage(_ context.Context, src engine.Source) (engine.File, error) {
	data, err := io.ReadAll(src.Body)
	if err == nil && e.Accept != nil {
		err = e.Accept(data)
	}
	return engine.File{}, err
}

// Admit reads the file as an engine does that has a place for it.
func Admit(ctx context.Context, src engine.Source) error {
	if src.Admitted != nil {
		if err := src.Admitted(ctx); err != nil {
			return err
		}
	}
	_, err := io.Copy(io.Discard, src.Body)
	return err
}

// CheckClip implements engine.Worker.
func (e *Engine) CheckClip(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
	e.mu.Lock()
	e.calls++
	clip := e.Clip
	e.mu.Unlock()
	return clip(ctx, req)
}

// Render implements engine.Worker.
func (e *Engine) Render(ctx context.Context, req engine.RenderRequest) (engine.Rendered, error) {
	e.mu.Lock()
	e.calls++
	render := e.Paint
	e.mu.Unlock()
	return render(ctx, req)
}

// SetClip changes what the engine does while it may be at work.
func (e *Engine) SetClip(clip func(ctx context.Context, req engine.ClipRequest) (engine.Report, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Clip = clip
}

// Begun is how many clips and renderings were asked for.
func (e *Engine) Begun() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls
}

// OfVideo is a report on a clip of that many seconds.
func OfVideo(seconds float64) func(context.Context, engine.ClipRequest) (engine.Report, error) {
	return func(ctx context.Context, req engine.ClipRequest) (engine.Report, error) {
		if err := Admit(ctx, req.Source); err != nil {
			return engine.Report{}, err
		}
		return engine.Report{
			Media: engine.Video, Verdict: engine.Unavailable, DecidedBy: engine.ByWeighed, Video: &engine.VideoInfo{Seconds: seconds},
		}, nil
	}
}

// Output is what RendersPNG makes of every image.
const Output = "\x89PNG optimized"

// RendersPNG is an engine that makes Output of every image.
func RendersPNG(ctx context.Context, req engine.RenderRequest) (engine.Rendered, error) {
	if err := Admit(ctx, req.Source); err != nil {
		return engine.Rendered{}, err
	}
	out := engine.Rendered{ContentType: "image/png", Bytes: int64(len(Output)), Score: engine.OptimizationScore{Score: 81, Zone: engine.Excellent}}
	return out, req.Save(ctx, out, bytes.NewReader([]byte(Output)))
}

// Queue keeps what is put on it, in order.
type Queue struct {
	mu   sync.Mutex
	jobs []any
}

// Insert implements media.Inserter.
func (q *Queue) Insert(_ context.Context, _ pgx.Tx, job interface{ Kind() string }) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job)
	return nil
}

// Len is how many jobs were put on it.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

type noSecrets struct{}

// SigningSecret implements webhook.Secrets.
func (noSecrets) SigningSecret(context.Context, uuid.UUID, uuid.UUID) (string, error) { return "", nil }

// Rig is the acts on a database and a store of the test's own, with an account of 1,000 credits and 3 jobs at once.
type Rig struct {
	*media.Service
	t      *testing.T
	DB     *pgxpool.Pool
	Store  storage.Store
	Engine *Engine
	Queue  *Queue
	Caller media.Caller
	Config media.Config
	// Allow are further host:port pairs that may be fetched from. It counts from the next Open on.
	Allow []string
}

// Setup makes a Rig. Each change may alter the settings first.
func Setup(t *testing.T, changes ...func(*media.Config)) *Rig {
	t.Helper()
	r := &Rig{
		t: t, DB: schematest.New(t), Store: storagetest.OpenDisk(t), Queue: &Queue{},
		Engine: &Engine{Clip: OfVideo(12), Paint: RendersPNG, Look: GeneratedImage}, Caller: media.Caller{Account: uuid.New(), Key: uuid.New()},
		Config: media.DefaultConfig(),
	}
	_, err := r.DB.Exec(t.Context(), `
		INSERT INTO account (id, email, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys)
		VALUES ($1, $2, 'pro', 'active', 'operator', 1000, 60, 3, 1)`, r.Caller.Account, r.Caller.Account.String()+"@example.com")
	require.NoError(t, err)
	require.NoError(t, postgres.Tx(t.Context(), r.DB, func(tx pgx.Tx) error { return quota.Prepare(t.Context(), tx, r.Caller.Account) }))
	require.NoError(t, quota.RenewOne(t.Context(), r.DB, r.Caller.Account))
	r.Config.BaseURL, r.Config.SpoolDir = "https://api.example.com", t.TempDir()
	r.Config.Lease, r.Config.RetryWait = time.Second, 10*time.Millisecond
	for _, change := range changes {
		change(&r.Config)
	}
	r.Service = r.Open(r.Queue)
	return r
}

// Outage is a store that does not answer, but for listing.
type Outage struct {
	storage.Store
	refused atomic.Int64
	over    atomic.Bool
}

// Down takes the storage away from the acts until Up is called on what it returns.
func (r *Rig) Down() *Outage {
	r.t.Helper()
	outage := &Outage{Store: r.Store}
	r.Store = outage
	r.Service = r.Open(r.Queue)
	return outage
}

// Up ends the outage.
func (o *Outage) Up() { o.over.Store(true) }

// Refused is how often the storage was asked in vain.
func (o *Outage) Refused() int64 { return o.refused.Load() }

// Stat implements storage.Store; every read of a job begins with it.
func (o *Outage) Stat(ctx context.Context, key string) (storage.Info, error) {
	if o.over.Load() {
		return o.Store.Stat(ctx, key)
	}
	o.refused.Add(1)
	return storage.Info{}, storage.ErrUnavailable
}

// Open makes another process's acts on the same database and store, with a queue of its own.
func (r *Rig) Open(queue media.Inserter) *media.Service {
	r.t.Helper()
	service, _ := r.OpenWithWebhooks(queue)
	return service
}

// OpenWithWebhooks is Open that also gives the deliveries.
func (r *Rig) OpenWithWebhooks(queue media.Inserter) (*media.Service, *webhook.Deliveries) {
	r.t.Helper()
	fetch := safefetch.DefaultConfig()
	fetch.Allow = append([]string{"hooks.example.com:443"}, r.Allow...)
	fetcher, err := safefetch.New(fetch)
	require.NoError(r.t, err)
	log := slog.New(slog.DiscardHandler)
	registry := prometheus.NewRegistry()
	hooks, err := webhook.New(webhook.DefaultConfig(), webhook.Parts{
		DB: r.DB, Fetch: fetcher, Secrets: noSecrets{}, Queue: queue, Metrics: webhook.NewMetrics(registry), Log: log,
	})
	require.NoError(r.t, err)
	service, err := media.New(r.Config, media.Parts{
		DB: r.DB, Store: r.Store, Fetch: fetcher, Engine: r.Engine, Queue: queue, Webhooks: hooks,
		Metrics: media.NewMetrics(registry), Log: log,
	})
	require.NoError(r.t, err)
	return service, hooks
}

// Upload puts a file under a ticket, as a client does.
func (r *Rig) Upload(contentType string, data []byte) string {
	r.t.Helper()
	ticket, err := r.CreateUpload(r.t.Context(), r.Caller, int64(len(data)), contentType)
	require.NoError(r.t, err)
	require.NoError(r.t, r.Store.Put(r.t.Context(), "uploads/"+ticket.ID.String(), bytes.NewReader(data), int64(len(data)), contentType))
	return ticket.ID.String()
}

// Check begins the check of a video that was uploaded; seconds 0 promises nothing.
func (r *Rig) Check(seconds float64) uuid.UUID {
	r.t.Helper()
	src, err := media.FromUpload(engine.Video, r.Upload("video/mp4", mediatest.MP4Head()))
	require.NoError(r.t, err)
	if seconds > 0 {
		src, err = src.WithSeconds(seconds)
		require.NoError(r.t, err)
	}
	id, err := r.StartCheck(r.t.Context(), r.Caller, src, nil)
	require.NoError(r.t, err)
	return id
}

// Optimize begins the optimization of an image sent in the call.
func (r *Rig) Optimize(callback string) uuid.UUID {
	r.t.Helper()
	src, err := media.FromBase64("iVBORw0KGgo=")
	require.NoError(r.t, err)
	id, err := r.StartOptimize(r.t.Context(), r.Caller, src, callback, nil)
	require.NoError(r.t, err)
	return id
}

// Drive calls Work until nothing is left to do.
func (r *Rig) Drive(id uuid.UUID) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		again, err := r.Work(r.t.Context(), id)
		require.NoError(r.t, err)
		return again == 0
	}, 30*time.Second, 5*time.Millisecond)
}

// Balance is where the account stands.
func (r *Rig) Balance() quota.Balance {
	r.t.Helper()
	b, err := quota.Read(r.t.Context(), r.DB, r.Caller.Account)
	require.NoError(r.t, err)
	return b
}

// Sound demands that nothing is held, exactly credits are spent, and journal, slots, holds and jobs agree.
func (r *Rig) Sound(credits int64) {
	r.t.Helper()
	b := r.Balance()
	require.Equal(r.t, []int64{credits, 0}, []int64{b.Spent, b.Held})
	differences, err := quota.Audit(r.t.Context(), r.DB, &r.Caller.Account)
	require.NoError(r.t, err)
	require.Empty(r.t, differences)
	strays, err := media.Reconcile(r.t.Context(), r.DB)
	require.NoError(r.t, err)
	require.Empty(r.t, strays)
	free, err := quota.Look(r.t.Context(), r.DB, quota.Request{Account: r.Caller.Account, Amount: 1})
	require.NoError(r.t, err)
	require.Equal(r.t, 3, free)
}

// Blobs are the keys of everything in storage.
func (r *Rig) Blobs() []string {
	r.t.Helper()
	var keys []string
	for entry, err := range r.Store.List(r.t.Context(), "", time.Now().Add(time.Hour)) {
		require.NoError(r.t, err)
		keys = append(keys, entry.Key)
	}
	return keys
}
