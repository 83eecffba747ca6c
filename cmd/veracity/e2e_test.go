package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/account/access"
	"veracity/api/openapi/openapitest"
	"veracity/engine/mediatest"
	"veracity/migrations"
	"veracity/platform/postgres/pgtest"
	"veracity/platform/seal"
	"veracity/quota"
)

// service is the whole product, wired as `veracity serve` wires it, on a database and a store of the test's own.
type service struct {
	*App
	t   *testing.T
	url string
	// log is everything that was logged.
	log *lockedBuffer
}

// start brings a service up. Each change may alter the settings first. Every answer of its API, to whomever, is held against
// the API's description.
func start(t *testing.T, changes ...func(*Settings)) *service {
	t.Helper()
	s := defaultSettings(func(string) string { return "" })
	db := pgtest.Database(t, pgtest.Schema{Name: "veracity", Up: migrations.Up})
	s.Database.URL = db.Config().ConnString()
	s.Database.MaxConns = 8
	s.Data = t.TempDir()
	s.Storage.URL = "disk:" + t.TempDir()
	s.SecretKey = seal.NewKey("test")
	srv := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	require.NoError(t, err)
	s.BaseURL = "http://localhost:" + port // by name, since passkeys work at no bare address
	for _, change := range changes {
		change(s)
	}
	if s.Engine.Socket == "" && s.Engine.URL == "" {
		child, err := sharedEngine()
		require.NoError(t, err)
		require.NoError(t, child.WaitReady(t.Context()))
		s.Engine.Socket = child.Socket()
	}
	require.NoError(t, s.derive())

	svc := &service{t: t, url: s.BaseURL, log: &lockedBuffer{}}
	app, err := newApp(t.Context(), s, slog.New(slog.NewJSONHandler(svc.log, nil)))
	require.NoError(t, err)
	svc.App = app
	srv.Config.Handler = openapitest.Watch(t, app.handler)
	srv.Start()
	t.Cleanup(func() {
		srv.Close()
		require.NoError(t, app.Close(context.WithoutCancel(t.Context())))
	})
	return svc
}

// customer is an account with a key.
type customer struct {
	*service
	account uuid.UUID
	keyID   uuid.UUID
	key     string
}

func (s *service) customer(o account.Overrides) customer {
	s.t.Helper()
	acc, err := s.Accounts.Create(s.t.Context(), uuid.NewString()+"@example.com", "pro", o)
	require.NoError(s.t, err)
	made, err := s.Accounts.CreateKey(s.t.Context(), access.CLI(acc.ID), "test")
	require.NoError(s.t, err)
	return customer{service: s, account: acc.ID, keyID: made.ID, key: made.Key}
}

// in puts the account in a state. A suspension stands beside what payments say, so it is lifted for the others.
func (c customer) in(state account.State) {
	c.t.Helper()
	by := access.CLI(c.account)
	if state == account.Suspended {
		require.NoError(c.t, c.Accounts.Suspend(c.t.Context(), by))
		return
	}
	require.NoError(c.t, c.Accounts.Resume(c.t.Context(), by))
	require.NoError(c.t, c.Accounts.SetState(c.t.Context(), c.account, state))
}

// reply is an answer, read whole.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// call sends a request with the customer's key. Headers come in pairs.
func (c customer) call(method, path, body string, headers ...string) reply {
	c.t.Helper()
	return c.send(method, path, body, append([]string{"X-API-Key", c.key}, headers...)...)
}

func (s *service) send(method, path, body string, headers ...string) reply {
	s.t.Helper()
	target := path
	if strings.HasPrefix(path, "/") {
		target = s.url + path
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, target, strings.NewReader(body))
	require.NoError(s.t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(s.t, err)
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return reply{s.t, resp.StatusCode, resp.Header, answer}
}

func (c customer) audit(body string, headers ...string) reply {
	c.t.Helper()
	return c.call(http.MethodPost, "/api/v1/audit", body, headers...)
}

// object reads an answer's JSON object.
func (r reply) object() map[string]any {
	r.t.Helper()
	var m map[string]any
	require.NoError(r.t, json.Unmarshal(r.body, &m), "%s", r.body)
	return m
}

// refused demands a status and a code in the contract's error shape, and gives the whole object.
func (r reply) refused(status int, code string) map[string]any {
	r.t.Helper()
	require.Equal(r.t, status, r.status, "%s", r.body)
	require.Equal(r.t, "application/json", r.header.Get("Content-Type"))
	require.NotEmpty(r.t, r.header.Get("Request-Id"))
	m := r.object()
	require.Equal(r.t, code, m["code"], "%s", r.body)
	require.NotEmpty(r.t, m["message"])
	for member := range m {
		require.Contains(r.t, []string{"code", "message", "detail"}, member)
	}
	return m
}

// ok demands a 200.
func (r reply) ok() map[string]any {
	r.t.Helper()
	require.Equal(r.t, http.StatusOK, r.status, "%s", r.body)
	return r.object()
}

// spent demands what the customer has spent, with nothing left held and the journal bearing it out.
func (c customer) spent(credits int64) {
	c.t.Helper()
	b, err := quota.Read(c.t.Context(), c.DB, c.account)
	require.NoError(c.t, err)
	require.Equal(c.t, []int64{credits, 0}, []int64{b.Spent, b.Held})
	found, err := quota.Audit(c.t.Context(), c.DB, &c.account)
	require.NoError(c.t, err)
	require.Empty(c.t, found)
}

// inBase64 is a body that sends a file in the request.
func inBase64(file []byte) string {
	return object("image_base64", base64.StdEncoding.EncodeToString(file))
}

// object is a JSON object of pairs.
func object(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// labelled is a picture whose metadata has the parameters of Stable Diffusion WebUI.
func labelledPNG(t *testing.T) []byte {
	t.Helper()
	return mediatest.PNG(t, 96, 64, mediatest.PNGText("parameters",
		"a lighthouse at dusk\nNegative prompt: blurry\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1234567, Size: 96x64, Model hash: 6ce0161689, Model: v1-5"))
}

// serveFiles answers each path with its bytes, on an address that the service's settings let sources reach.
func serveFiles(t *testing.T, handlers map[string]http.HandlerFunc) (base string, allow func(*Settings)) {
	t.Helper()
	mux := http.NewServeMux()
	for path, h := range handlers {
		mux.HandleFunc(path, h)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL, func(s *Settings) { s.Fetch.Allow = append(s.Fetch.Allow, srv.Listener.Addr().String()) }
}

func file(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, bytes.NewReader(data)) }
}
