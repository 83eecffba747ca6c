package webhook_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"veracity/migrations/schematest"
	"veracity/platform/postgres"
	"veracity/platform/safefetch"
	"veracity/webhook"
)

func TestMain(m *testing.M) { os.Exit(schematest.Main(m)) }

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

// queue counts what is put on it.
type queue struct {
	mu   sync.Mutex
	jobs []webhook.Job
}

func (q *queue) Insert(_ context.Context, _ pgx.Tx, job interface{ Kind() string }) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job.(webhook.Job))
	return nil
}

// secrets has one secret for every key.
type secrets struct{ err error }

func (s secrets) SigningSecret(context.Context, uuid.UUID, uuid.UUID) (string, error) {
	return secret, s.err
}

// received is one request as the receiver saw it.
type received struct {
	header http.Header
	body   []byte
}

// rig is deliveries with a receiver that answers what the test sets.
type rig struct {
	*webhook.Deliveries
	t       *testing.T
	db      *pgxpool.Pool
	queue   *queue
	account uuid.UUID
	url     string
	cfg     webhook.Config
	parts   webhook.Parts

	mu     sync.Mutex
	got    []received
	answer http.HandlerFunc
}

func setup(t *testing.T, changes ...func(*webhook.Config, *webhook.Parts)) *rig {
	t.Helper()
	r := &rig{t: t, db: schematest.New(t), queue: &queue{}, account: uuid.New()}
	r.enrol(r.account)
	r.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	srv := httptest.NewServer(http.HandlerFunc(r.receive))
	t.Cleanup(srv.Close)
	r.url = srv.URL + "/hook"
	fetch := safefetch.DefaultConfig()
	fetch.Allow = []string{srv.Listener.Addr().String()}
	fetcher, err := safefetch.New(fetch)
	require.NoError(t, err)
	r.cfg = webhook.DefaultConfig()
	r.cfg.Timeout = time.Second
	r.cfg.Retries = []time.Duration{10 * time.Millisecond, 20 * time.Millisecond}
	r.parts = webhook.Parts{
		DB: r.db, Fetch: fetcher, Secrets: secrets{}, Queue: r.queue, Log: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&r.cfg, &r.parts)
	}
	r.Deliveries = r.open()
	return r
}

// open is another process on the same database.
func (r *rig) open() *webhook.Deliveries {
	r.t.Helper()
	r.parts.Metrics = webhook.NewMetrics(prometheus.NewRegistry())
	d, err := webhook.New(r.cfg, r.parts)
	require.NoError(r.t, err)
	return d
}

func (r *rig) enrol(account uuid.UUID) {
	r.t.Helper()
	_, err := r.db.Exec(r.t.Context(), `
		INSERT INTO account (id, email, plan, state, billed_by, plan_credits, plan_rpm, plan_jobs, plan_keys)
		VALUES ($1, $2, 'pro', 'active', 'operator', 10, 60, 1, 1)`, account, account.String()+"@example.com")
	require.NoError(r.t, err)
}

func (r *rig) receive(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.got = append(r.got, received{req.Header.Clone(), body})
	answer := r.answer
	r.mu.Unlock()
	req.Body = io.NopCloser(bytes.NewReader(body))
	answer(w, req)
}

func (r *rig) answers(h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = h
}

func (r *rig) arrived() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

// create orders a delivery of payload and gives its id.
func (r *rig) create(payload string) uuid.UUID {
	r.t.Helper()
	return r.createFor(r.account, payload)
}

func (r *rig) createFor(account uuid.UUID, payload string) uuid.UUID {
	r.t.Helper()
	o := webhook.Order{Account: account, Job: uuid.New(), Key: uuid.New(), URL: r.url, Payload: []byte(payload)}
	require.NoError(r.t, postgres.Tx(r.t.Context(), r.db, func(tx pgx.Tx) error { return r.Create(r.t.Context(), tx, o) }))
	return r.queue.jobs[len(r.queue.jobs)-1].Delivery
}

// drain makes every attempt that the schedule asks for.
func (r *rig) drain(id uuid.UUID) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		wait, err := r.Attempt(r.t.Context(), id)
		require.NoError(r.t, err)
		return wait == 0
	}, 20*time.Second, 5*time.Millisecond)
}

func (r *rig) read(id uuid.UUID) (webhook.Delivery, []webhook.Attempted) {
	r.t.Helper()
	d, attempts, err := r.Get(r.t.Context(), r.account, id)
	require.NoError(r.t, err)
	return d, attempts
}
