package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/api/openapi/openapitest"
	"veracity/billing"
	"veracity/engine"
	"veracity/media"
	"veracity/media/acttest"
	"veracity/platform/fault"
	"veracity/platform/seal"
	"veracity/usage"
)

// noted keeps what a log is told.
type noted struct {
	mu      sync.Mutex
	entries []usage.Entry
}

// Note implements Recorder.
func (n *noted) Note(e usage.Entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.entries = append(n.entries, e)
}

// eye is an engine that calls every image made by AI, or fails.
type eye struct {
	*acttest.Engine
	err error
}

// CheckImage implements engine.Checker.
func (e *eye) CheckImage(ctx context.Context, src engine.Source) (engine.Report, error) {
	if e.err != nil {
		return engine.Report{}, e.err
	}
	return acttest.GeneratedImage(ctx, src)
}

// front is the API with a customer's key, and what it noted.
type front struct {
	*noted
	*acttest.Rig
	t       *testing.T
	handler http.Handler
	eye     *eye
	account account.Account
	key     account.NewKey
}

func newFront(t *testing.T, plan account.Overrides) *front {
	t.Helper()
	rig := acttest.Setup(t)
	f := &front{t: t, Rig: rig, noted: &noted{}, eye: &eye{Engine: rig.Engine}}
	ring, err := seal.Parse(seal.NewKey("test"))
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	accounts := &account.Accounts{DB: rig.DB, Seal: ring, Plans: billing.Plans(), Log: log}
	f.account, err = accounts.Create(t.Context(), uuid.NewString()+"@example.com", "pro", plan)
	require.NoError(t, err)
	f.key, err = accounts.CreateKey(t.Context(), access.CLI(f.account.ID), "web")
	require.NoError(t, err)
	service, err := media.New(rig.Config, media.Parts{
		DB: rig.DB, Store: rig.Store, Engine: f.eye, Queue: rig.Queue, Metrics: media.NewMetrics(prometheus.NewRegistry()), Log: log,
	})
	require.NoError(t, err)
	routes := chi.NewRouter()
	routes.Mount(Prefix, New(Parts{
		DB: rig.DB, Accounts: accounts, Media: service, Requests: f.noted, Metrics: NewMetrics(prometheus.NewRegistry()), Log: log,
	}).Handler())
	f.handler = openapitest.Watch(t, routes)
	return f
}

// call sends a request and gives the answer and what was noted of it.
func (f *front) call(method, path, body string, header ...string) (*httptest.ResponseRecorder, []usage.Entry) {
	f.t.Helper()
	f.entries = nil
	r := httptest.NewRequestWithContext(f.t.Context(), method, Prefix+path, strings.NewReader(body))
	r.Header.Set("X-API-Key", f.key.Key)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return w, f.entries
}

const picture = `{"image_base64": "iVBORw0KGgo="}`

func TestImageCheckIsNotedUnderItsRequestID(t *testing.T) {
	t.Parallel()
	f := newFront(t, account.Overrides{})
	before := time.Now()
	w, entries := f.call(http.MethodPost, "/audit?detail=full", picture)
	require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
	require.Len(t, entries, 1)
	e := entries[0]
	require.Equal(t, w.Header().Get("Request-Id"), e.ID.String())
	require.WithinRange(t, e.At, before, time.Now())
	require.Positive(t, e.Took)
	e.ID, e.At, e.Took = uuid.Nil, time.Time{}, 0
	require.Equal(t, usage.Entry{
		Account: f.account.ID, Key: f.key.ID, Method: "POST", Route: "/audit", Status: 200, Code: "ok", Verdict: "ai", Credits: 1,
	}, e)
}

func TestNotedRequestReachesTheLogOfItsAccount(t *testing.T) {
	t.Parallel()
	f := newFront(t, account.Overrides{})
	w, entries := f.call(http.MethodPost, "/audit", picture)
	log := usage.NewLog(usage.DefaultConfig(), f.DB, usage.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	log.Note(entries[0])
	require.NoError(t, log.Close(t.Context()))
	found, err := usage.Requests(t.Context(), f.DB, f.account.ID, usage.RequestFilter{ID: w.Header().Get("Request-Id")})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, []any{"POST /audit", 200, "ok", int64(1), "ai", "web"},
		[]any{found[0].Call(), found[0].Status, found[0].Code, found[0].Credits, found[0].Verdict, found[0].KeyName})
}

func TestRefusalsAreNotedWhereTheAccountIsKnown(t *testing.T) {
	t.Parallel()
	one, none := 1, int64(0)
	slow := newFront(t, account.Overrides{RPM: &one, Credits: &none})
	for _, want := range []usage.Entry{
		{Status: 402, Code: "quota_exceeded"},
		{Status: 429, Code: "rate_limited"},
	} {
		w, entries := slow.call(http.MethodPost, "/audit", picture)
		require.Len(t, entries, 1)
		e := entries[0]
		require.Equal(t, []any{want.Status, want.Code}, []any{e.Status, e.Code})
		require.Equal(t, []any{w.Code, w.Header().Get("Request-Id")}, []any{e.Status, e.ID.String()})
		require.Equal(t, []any{slow.account.ID, slow.key.ID, "", int64(0)}, []any{e.Account, e.Key, e.Verdict, e.Credits})
	}
	w, entries := slow.call(http.MethodPost, "/audit", picture, "X-API-Key", "svc_live_unknown")
	require.Equal(t, http.StatusUnauthorized, w.Code)
	require.Empty(t, entries)
}

func TestFailureIsNotedWithoutVerdictAndCredits(t *testing.T) {
	t.Parallel()
	f := newFront(t, account.Overrides{})
	f.eye.err = fault.New(fault.EngineUnavailable, "The engine is gone.")
	_, entries := f.call(http.MethodPost, "/audit", picture)
	require.Len(t, entries, 1)
	require.Equal(t, []any{503, "engine_unavailable", "", int64(0)},
		[]any{entries[0].Status, entries[0].Code, entries[0].Verdict, entries[0].Credits})
}

func TestStartAndReadOfAJobAreNotedByRouteAndNotByPath(t *testing.T) {
	t.Parallel()
	f := newFront(t, account.Overrides{})
	w, entries := f.call(http.MethodPost, "/optimize", picture)
	require.Equal(t, http.StatusAccepted, w.Code, "%s", w.Body)
	require.Equal(t, []any{"POST /optimize", 202, int64(0)}, []any{entries[0].Call(), entries[0].Status, entries[0].Credits})
	var job struct {
		ID string `json:"id"`
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &job))
	_, entries = f.call(http.MethodGet, "/optimize/"+job.ID, "")
	require.Equal(t, []any{"GET /optimize/{id}", 200}, []any{entries[0].Call(), entries[0].Status})
}

func TestReplayedAnswerIsNotedWithoutASecondCheck(t *testing.T) {
	t.Parallel()
	f := newFront(t, account.Overrides{})
	_, entries := f.call(http.MethodPost, "/audit", picture, "Idempotency-Key", "one")
	require.Equal(t, []any{"ai", int64(1)}, []any{entries[0].Verdict, entries[0].Credits})
	w, entries := f.call(http.MethodPost, "/audit", picture, "Idempotency-Key", "one")
	require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	require.Equal(t, []any{200, "ok", "", int64(0)},
		[]any{entries[0].Status, entries[0].Code, entries[0].Verdict, entries[0].Credits})
}
