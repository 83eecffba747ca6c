package safefetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGetStreamsTheFile(t *testing.T) {
	t.Parallel()
	host, base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		write(w, "pixels")
	})
	resp, err := newFetcher(t, zone{}, host).Get(t.Context(), base+"/a.png?b=c", roomy)
	require.NoError(t, err)
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, "pixels", string(got))
	require.Equal(t, int64(6), resp.Size)
	require.Equal(t, "image/png", resp.ContentType)
	require.Equal(t, base+"/a.png?b=c", resp.FinalURL)
}

func TestGetWithoutDeclaredLength(t *testing.T) {
	t.Parallel()
	host, base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		write(w, "first ")
		w.(http.Flusher).Flush()
		write(w, "second")
	})
	f := newFetcher(t, zone{}, host)
	resp, err := f.Get(t.Context(), base, roomy)
	require.NoError(t, err)
	require.Equal(t, int64(-1), resp.Size)
	require.NoError(t, resp.Body.Close())
	got, err := fetch(t, f, base, roomy)
	require.NoError(t, err)
	require.Equal(t, "first second", string(got))
}

func TestGetSendsNothingThatIdentifiesACaller(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	host, base := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header })
	_, err := fetch(t, newFetcher(t, zone{}, host), base, roomy)
	require.NoError(t, err)
	require.Equal(t, http.Header{
		"Accept":          {"*/*"},
		"Accept-Encoding": {"identity"},
		"Connection":      {"close"},
		"User-Agent":      {"Veracity/1.0"},
	}, <-seen)
}

func TestOnlyStatus200IsASource(t *testing.T) {
	t.Parallel()
	host, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil {
			status = http.StatusTeapot
		}
		w.WriteHeader(status)
	})
	f := newFetcher(t, zone{}, host)
	for _, status := range []string{"201", "204", "206", "300", "304", "400", "401", "403", "404", "410", "429", "500", "503"} {
		_, err := fetch(t, f, base+"/"+status, roomy)
		requireReason(t, Unreachable, "The URL answered with status "+status+".", err)
	}
}

func TestCompressedBodyIsRefused(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, err := z.Write(make([]byte, 8<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	host, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if encoding := r.URL.Query().Get("encoding"); encoding != "" {
			w.Header().Set("Content-Encoding", encoding)
		}
		_, _ = w.Write(bomb.Bytes())
	})
	f := newFetcher(t, zone{}, host)
	for _, encoding := range []string{"gzip", "GZIP", "br", "zstd", "deflate", "identity,%20gzip", "x-gzip"} {
		_, err := fetch(t, f, base+"/?encoding="+encoding, roomy)
		requireKind(t, Unreachable, err)
	}
	for _, plain := range []string{"", "identity", "Identity"} {
		got, err := fetch(t, f, base+"/?encoding="+plain, roomy)
		require.NoError(t, err)
		require.True(t, bytes.Equal(bomb.Bytes(), got), "a gzip file comes as it is, never expanded")
	}
}

func TestMalformedAnswersAreUnreachable(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"no HTTP":                 "220 smtp ready\r\n",
		"nothing but line breaks": "\r\n\r\n\r\n",
		"compressed transfer":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"two lengths":             "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"negative length":         "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab",
		"broken chunk":            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
		"switched protocol":       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
		"huge header":             "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<17) + "\r\nContent-Length: 0\r\n\r\n",
		"many headers":            "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1<<15) + "Content-Length: 0\r\n\r\n",
		"many early hints":        strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", 1<<12) + ok + "Content-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, base := serveRaw(t, func(conn net.Conn) { write(conn, answer) })
			f := newFetcherWith(t, func(cfg *Config) {
				cfg.Allow = []string{host}
				cfg.IdleTimeout = time.Second
			})
			_, err := fetch(t, f, base, roomy)
			requireKind(t, Unreachable, err)
		})
	}
}

func TestUnknownAndClosedHostsAreUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := listener.Addr().String()
	require.NoError(t, listener.Close())
	f := newFetcher(t, zone{"empty.test": {""}}, closed)
	for _, raw := range []string{"http://unknown.test/", "http://empty.test/", "http://" + closed + "/"} {
		_, err := f.Get(t.Context(), raw, roomy)
		requireKind(t, Unreachable, err)
	}
}

func TestLimitsMustBeSet(t *testing.T) {
	t.Parallel()
	f := newFetcher(t, zone{})
	for _, limits := range []Limits{{}, {MaxBytes: 1}, {Total: 1}, {MaxBytes: -1, Total: 1}} {
		_, err := f.Get(t.Context(), "https://example.com/", limits)
		require.ErrorContains(t, err, "must be above 0")
	}
}

func TestAllowedNameOpensNoOtherWayToItsAddress(t *testing.T) {
	t.Parallel()
	host, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "inside") })
	_, port, err := net.SplitHostPort(host)
	require.NoError(t, err)
	f := newFetcher(t, zone{"media.test": {"127.0.0.1"}, "evil.test": {"127.0.0.1"}}, "media.test:"+port)

	got, err := fetch(t, f, "http://Media.test.:"+port+"/", roomy)
	require.NoError(t, err)
	require.Equal(t, "inside", string(got))
	for raw, want := range map[string]Kind{
		"http://media.test/":        Forbidden,
		"https://media.test/":       Forbidden,
		"http://evil.test/":         Forbidden,
		"http://evil.test:" + port:  InvalidURL,
		"http://127.0.0.1:" + port:  InvalidURL,
		"http://media.test:1" + "/": InvalidURL,
	} {
		_, err := fetch(t, f, raw, roomy)
		requireKind(t, want, err)
	}
}

// TestProxySettingsAreIgnored is serial: it sets the environment that net/http reads for its proxies.
func TestProxySettingsAreIgnored(t *testing.T) {
	proxy, proxyURL := serve(t, func(w http.ResponseWriter, _ *http.Request) { write(w, "by proxy") })
	t.Setenv("HTTP_PROXY", proxyURL)
	t.Setenv("ALL_PROXY", proxyURL)
	f := newFetcher(t, zone{"private.test": {"10.0.0.1"}}, proxy)
	_, err := fetch(t, f, "http://private.test/", roomy)
	requireKind(t, Forbidden, err)
}

func TestCancelledCallerGetsTheContextError(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 1)
	host, base := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		<-r.Context().Done()
	})
	f := newFetcher(t, zone{}, host)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	_, err := f.Get(ctx, base, roomy)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, KindOf(err))

	_, err = f.Get(ctx, base, roomy)
	require.ErrorIs(t, err, context.Canceled, "also when cancelled before")

	late, cancelLate := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancelLate()
	_, err = f.Get(late, base, roomy)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Empty(t, KindOf(err))
}
