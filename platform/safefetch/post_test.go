package safefetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPostDeliversBodyAndHeaders(t *testing.T) {
	t.Parallel()
	type delivery struct {
		method, body string
		header       http.Header
	}
	got := make(chan delivery, 1)
	server := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		got <- delivery{r.Method, string(body), r.Header}
		w.Header().Set("X-Answer", "yes")
		w.WriteHeader(http.StatusAccepted)
		write(w, "thanks")
	}, func(*httptest.Server) {})
	f := newFetcherWith(t, func(cfg *Config) {
		cfg.Allow = []string{server.Listener.Addr().String()}
		cfg.RootCAs = rootsOf(server)
	})
	header := http.Header{"Content-Type": {"application/json"}, "Service-Signature": {"sha256=00"}}
	result, err := f.Post(t.Context(), server.URL+"/hook", header, []byte(`{"id":1}`), roomy.Total)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, result.Status)
	require.Equal(t, "thanks", string(result.Excerpt))
	require.Equal(t, "yes", result.Header.Get("X-Answer"))
	require.Positive(t, result.Latency)

	sent := <-got
	require.Equal(t, http.MethodPost, sent.method)
	require.JSONEq(t, `{"id":1}`, sent.body)
	require.Equal(t, "sha256=00", sent.header.Get("Service-Signature"))
	require.Equal(t, "8", sent.header.Get("Content-Length"))
	require.Equal(t, "Veracity/1.0", sent.header.Get("User-Agent"))
	require.Equal(t, http.Header{"Content-Type": {"application/json"}, "Service-Signature": {"sha256=00"}}, header,
		"the caller's headers are not written to")
}

func TestPostReturnsEveryStatus(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	host, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		status, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil {
			status = http.StatusTeapot
		}
		w.Header().Set("Location", "/followed")
		w.WriteHeader(status)
	})
	f := newFetcher(t, zone{}, host)
	statuses := []int{200, 204, 301, 302, 307, 308, 404, 500}
	for _, status := range statuses {
		result, err := f.Post(t.Context(), base+"/"+strconv.Itoa(status), nil, []byte("{}"), roomy.Total)
		require.NoError(t, err)
		require.Equal(t, status, result.Status)
	}
	require.Len(t, asked, len(statuses), "no redirect is followed")
}

func TestPostKeepsTheFirstKibibyte(t *testing.T) {
	t.Parallel()
	host, base := serveRaw(t, func(conn net.Conn) {
		write(conn, ok+"\r\n")
		drip(conn, strings.Repeat("x", 1000))
	})
	result, err := newFetcher(t, zone{}, host).Post(t.Context(), base, nil, nil, roomy.Total)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 1024), string(result.Excerpt))
}

func TestPostCountsTheStatusOfABrokenAnswer(t *testing.T) {
	t.Parallel()
	host, base := serveRaw(t, func(conn net.Conn) { write(conn, ok+"Content-Length: 100\r\n\r\npart") })
	result, err := quick(t, host).Post(t.Context(), base, nil, nil, roomy.Total)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, result.Status)
	require.Equal(t, "part", string(result.Excerpt))
}

func TestPostRefusesWhatMayNotBeReached(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{"private.test": {"10.0.0.1"}}, "127.0.0.1:1")
	for raw, want := range map[string]Kind{
		"http://example.com/hook":   InvalidURL,
		"https://example.com:8443/": InvalidURL,
		"https://127.0.0.1/":        InvalidURL,
		"http://127.0.0.1:2/":       InvalidURL,
		"https://u:p@example.com/":  InvalidURL,
		"https://private.test/hook": Forbidden,
		"https://unknown.test/hook": Unreachable,
		"http://127.0.0.1:1/closed": Unreachable,
	} {
		_, err := f.Post(t.Context(), raw, nil, nil, roomy.Total)
		requireKind(t, want, err)
	}
	_, err := f.Post(t.Context(), "https://example.com/", nil, nil, 0)
	require.ErrorContains(t, err, "must be above 0")
}

func TestPostEndsInTime(t *testing.T) {
	t.Parallel()
	host, base := serveRaw(t, func(net.Conn) {})
	f := newFetcher(t, zone{}, host)
	_, err := f.Post(t.Context(), base, nil, nil, 100*time.Millisecond)
	requireReason(t, Unreachable, "The server did not finish its answer in time.", err)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = f.Post(ctx, base, nil, nil, roomy.Total)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestPostToAReceiverThatDoesNotReadEnds sends more than the sockets buffer.
func TestPostToAReceiverThatDoesNotReadEnds(t *testing.T) {
	t.Parallel()
	host := listenDeaf(t)
	_, err := quick(t, host).Post(t.Context(), "http://"+host+"/", nil, make([]byte, 32<<20), roomy.Total)
	requireKind(t, Unreachable, err)
}
