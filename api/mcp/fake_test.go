package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/api"
	"veracity/media"
)

// script are acts that a test makes up. Those that are nil answer an empty object.
type script struct {
	check func(ctx context.Context, c api.Call) (api.Reply, error)
	read  func(ctx context.Context, id string) ([]byte, error)
}

func (s script) Check(ctx context.Context, c api.Call) (api.Reply, error) {
	if s.check == nil {
		return api.Reply{Body: []byte("{}\n")}, nil
	}
	return s.check(ctx, c)
}

func (s script) ReadCheck(ctx context.Context, id string, _ bool) ([]byte, error) {
	if s.read == nil {
		return []byte("{}\n"), nil
	}
	return s.read(ctx, id)
}

func (s script) Optimize(ctx context.Context, c api.Call) (api.Reply, error) {
	return s.Check(ctx, c)
}

func (s script) CreateUpload(ctx context.Context, c api.Call) (api.Reply, error) {
	return s.Check(ctx, c)
}

func (s script) ReadOptimization(ctx context.Context, id string) ([]byte, error) {
	return s.ReadCheck(ctx, id, false)
}

func (script) ReadUsage(context.Context) ([]byte, error) {
	return []byte("{}\n"), nil
}

// newServer is a server of scripted acts, without the API's checks in front of it.
func newServer(tb testing.TB, acts script, stop <-chan struct{}) *Server {
	tb.Helper()
	s, err := New(Parts{Acts: acts, Prices: media.DefaultPrices(), BaseURL: "https://api.example.com", Stop: stop})
	require.NoError(tb, err)
	return s
}

// post sends a message and gives the status and the answer.
func post(tb testing.TB, s *Server, body string, headers ...string) (int, string) {
	tb.Helper()
	srv := httptest.NewServer(s)
	defer srv.Close()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, srv.URL, strings.NewReader(body))
	require.NoError(tb, err)
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(tb, err)
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(tb, err)
	return resp.StatusCode, string(answer)
}

func toolCall(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

const queued = `{"id":"x","status":"queued","media":"video"}`

func TestPanicOfAnActIsAnErrorOfTheTool(t *testing.T) {
	t.Parallel()
	s := newServer(t, script{check: func(context.Context, api.Call) (api.Reply, error) { panic("deep inside") }}, nil)
	status, answer := post(t, s, toolCall("check_media", `{"image_url":"https://example.com"}`))
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, answer, `"isError":true`)
	require.NotContains(t, answer, "deep inside")
}

func TestWaitEndsWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := newServer(t, script{read: func(context.Context, string) ([]byte, error) { return []byte(queued), nil }}, stop)
	time.AfterFunc(300*time.Millisecond, func() { close(stop) })
	begin := time.Now()
	_, answer := post(t, s, toolCall("get_check", `{"id":"x","wait_seconds":25}`))
	require.Less(t, time.Since(begin), 10*time.Second)
	require.Contains(t, answer, `"structuredContent":`+queued)
}

func TestWaitsOfOneAccountAreBounded(t *testing.T) {
	t.Parallel()
	reads := make(chan struct{}, 1000)
	s := newServer(t, script{read: func(context.Context, string) ([]byte, error) {
		reads <- struct{}{}
		return []byte(queued), nil
	}}, nil)
	account := api.AccountOf(t.Context())
	for range waitsAtOnce {
		require.True(t, s.waits.enter(account))
	}
	begin := time.Now()
	_, answer := post(t, s, toolCall("get_check", `{"id":"x","wait_seconds":25}`))
	require.Less(t, time.Since(begin), 10*time.Second, "one more answers at once")
	require.Contains(t, answer, "queued")
	require.Len(t, reads, 1)
	for range waitsAtOnce {
		s.waits.leave(account)
	}
	require.Empty(t, s.waits.of, "nothing is kept of accounts that do not wait")
}

func TestArgumentsArriveAsTheFieldsOfThePost(t *testing.T) {
	t.Parallel()
	var got api.Call
	s := newServer(t, script{check: func(_ context.Context, c api.Call) (api.Reply, error) {
		got = c
		return api.Reply{Body: []byte(`{"verdict":"ai"}`), Replayed: true}, nil
	}}, nil)
	_, answer := post(t, s, toolCall("check_media", `{"seconds": 1.5, "detail":"full","image_url":"https://example.com/?a=1&b=<2>","idempotency_key":"k","video_url":null}`))
	var fields map[string]any
	require.NoError(t, json.Unmarshal(got.Body, &fields))
	require.Equal(t, map[string]any{"seconds": 1.5, "image_url": "https://example.com/?a=1&b=<2>"}, fields)
	require.Equal(t, []any{true, "k"}, []any{got.Full, got.Key})
	require.Contains(t, answer, `"_meta":{"veracity/replayed":true}`)
}

func TestSlowCallSaysThatItGoesOn(t *testing.T) {
	t.Parallel()
	s := newServer(t, script{check: func(ctx context.Context, _ api.Call) (api.Reply, error) {
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
		return api.Reply{Body: []byte(queued)}, nil
	}}, nil)
	s.beat = 100 * time.Millisecond
	_, answer := post(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_media","arguments":{},"_meta":{"progressToken":5}}}`)
	require.GreaterOrEqual(t, strings.Count(answer, `"progressToken":5`), 3, answer)
	require.Greater(t, strings.LastIndex(answer, `"structuredContent"`), strings.LastIndex(answer, "progressToken"), "the answer comes last")
}
