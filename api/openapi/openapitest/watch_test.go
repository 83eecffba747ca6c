package openapitest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// complaints is a test that notes what it fails of.
type complaints struct {
	testing.TB
	made int
}

func (c *complaints) Errorf(string, ...any) { c.made++ }

func TestWatchedServerFailsItsTestByWhatIsNotDescribed(t *testing.T) {
	t.Parallel()
	describe := func(w http.ResponseWriter) {
		for name, values := range plain() {
			w.Header()[name] = values
		}
	}
	for name, row := range map[string]struct {
		path       string
		answer     func(http.ResponseWriter, *http.Request)
		complaints int
	}{
		"a described refusal": {"/api/v1/nothing", func(w http.ResponseWriter, _ *http.Request) {
			describe(w)
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"not_found","message":"No."}`)
		}, 0},
		"an answer of its own": {"/api/v1/nothing", func(w http.ResponseWriter, _ *http.Request) {
			describe(w)
			_, _ = io.WriteString(w, `{}`)
		}, 1},
		"plain text":     {"/api/v1/audit/7f", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) }, 1},
		"silence":        {"/api/v1/audit/7f", func(http.ResponseWriter, *http.Request) {}, 1},
		"the API's root": {"/api/v1", func(http.ResponseWriter, *http.Request) {}, 1},
		"another page":   {"/api/v10", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) }, 0},
		"a large file": {"/api/v1/optimize/7f/file", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("x"), 3*bodyKept))
		}, 1},
	} {
		tb := &complaints{TB: t}
		w := httptest.NewRecorder()
		Watch(tb, http.HandlerFunc(row.answer)).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, row.path, nil))
		require.Equal(t, row.complaints, tb.made, name)
	}
}

func TestWatchedServerAnswersAsItWould(t *testing.T) {
	t.Parallel()
	tb := &complaints{TB: t}
	srv := httptest.NewServer(Watch(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range plain("X-Own", "kept") {
			w.Header()[name] = values
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "first")
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, " and second")
		w.Header().Set("X-Late", "unsent")
	})))
	t.Cleanup(srv.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/api/v1/x", nil)
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "first and second", string(body))
	require.Equal(t, http.StatusAccepted, resp.StatusCode)
	require.Equal(t, "kept", resp.Header.Get("X-Own"))
	require.Empty(t, resp.Header.Get("X-Late"))
}

func TestAnswerThatNobodyTookIsPassedOver(t *testing.T) {
	t.Parallel()
	tb := &complaints{TB: t}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	Watch(tb, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(499) })).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/audit/7f", nil))
	require.Zero(t, tb.made)
}
