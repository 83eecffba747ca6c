package safefetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

const ok = "HTTP/1.1 200 OK\r\n"

// quick fails a fetch after 400 ms of silence: short for a test, long for a busy machine.
func quick(t *testing.T, host string) *Fetcher {
	t.Helper()
	return newFetcherWith(t, func(cfg *Config) {
		cfg.Allow = []string{host}
		cfg.IdleTimeout = 400 * time.Millisecond
	})
}

func TestDeclaredLengthOverTheCapIsRefusedUnread(t *testing.T) {
	t.Parallel()
	host, base := serveRaw(t, func(conn net.Conn) { write(conn, ok+"Content-Length: 1001\r\n\r\n") })
	_, err := newFetcher(t, zone{}, host).Get(t.Context(), base, Limits{MaxBytes: 1000, Total: roomy.Total})
	requireReason(t, TooLarge, "The file is larger than 1000 bytes.", err)
}

func TestBodyOfExactlyTheCapPasses(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x", 1000)
	host, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		write(w, body)
	})
	f := newFetcher(t, zone{}, host)
	for _, path := range []string{"/declared", "/chunked"} {
		got, err := fetch(t, f, base+path, Limits{MaxBytes: 1000, Total: roomy.Total})
		require.NoError(t, err)
		require.Equal(t, body, string(got))
		_, err = fetch(t, f, base+path, Limits{MaxBytes: 999, Total: roomy.Total})
		requireKind(t, TooLarge, err)
	}
}

func TestEndlessBodyEndsAtTheCap(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"HTTP/1.0": "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1": ok + "Connection: close\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, base := serveRaw(t, func(conn net.Conn) {
				write(conn, header)
				for block := strings.Repeat("x", 32<<10); ; {
					if _, err := io.WriteString(conn, block); err != nil {
						return
					}
				}
			})
			got, err := fetch(t, newFetcher(t, zone{}, host), base, Limits{MaxBytes: 100_000, Total: roomy.Total})
			requireKind(t, TooLarge, err)
			require.Len(t, got, 100_000)
		})
	}
}

func TestReadsAfterTheCapRepeatTheError(t *testing.T) {
	t.Parallel()
	body := &cappedBody{source: io.NopCloser(iotest.OneByteReader(strings.NewReader("abcd"))), max: 3, left: 3}
	got, err := io.ReadAll(body)
	require.Equal(t, "abc", string(got))
	requireKind(t, TooLarge, err)
	n, err := body.Read(make([]byte, 10))
	require.Zero(t, n)
	requireKind(t, TooLarge, err)
}

func TestShortBodyIsUnreachable(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"declared": ok + "Content-Length: 10\r\n\r\n",
		"chunked":  ok + "Transfer-Encoding: chunked\r\n\r\na\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, base := serveRaw(t, func(conn net.Conn) {
				write(conn, head+"12345")
				_ = conn.Close()
			})
			got, err := fetch(t, newFetcher(t, zone{}, host), base, roomy)
			requireReason(t, Unreachable, "The server broke off its answer.", err)
			require.Equal(t, "12345", string(got))
		})
	}
}

// TestShortBodyOnAnOpenConnectionDoesNotHang keeps the connection open below the declared length.
func TestShortBodyOnAnOpenConnectionDoesNotHang(t *testing.T) {
	t.Parallel()
	host, base := serveRaw(t, func(conn net.Conn) { write(conn, ok+"Content-Length: 10\r\n\r\n12345") })
	_, err := fetch(t, quick(t, host), base, roomy)
	requireReason(t, Unreachable, "The server was silent for too long.", err)
}

// TestBytesPastTheDeclaredLengthAreNotRead keeps the connection open past the declared length.
func TestBytesPastTheDeclaredLengthAreNotRead(t *testing.T) {
	t.Parallel()
	host, base := serveRaw(t, func(conn net.Conn) { write(conn, ok+"Content-Length: 5\r\n\r\n12345HTTP/1.1 200 OK\r\n\r\nmore") })
	got, err := fetch(t, newFetcher(t, zone{}, host), base, roomy)
	require.NoError(t, err)
	require.Equal(t, "12345", string(got))
}

func TestSlowPeersAreCutOff(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer func(net.Conn)
		total  time.Duration
		// reason is empty where the transport may see either the time-out or the broken header first.
		reason string
	}{
		"silent":                {func(net.Conn) {}, roomy.Total, "silent"},
		"half a header":         {func(c net.Conn) { write(c, ok+"Content-Ty") }, roomy.Total, ""},
		"dripping header":       {func(c net.Conn) { write(c, ok+"X: "); drip(c, "x") }, roomy.Total, "silent"},
		"silent body":           {func(c net.Conn) { write(c, ok+"Content-Length: 9\r\n\r\n") }, roomy.Total, "silent"},
		"dripping body":         {func(c net.Conn) { write(c, ok+"Content-Length: 99999\r\n\r\n"); drip(c, "x") }, 600 * time.Millisecond, "in time"},
		"dripping chunks":       {func(c net.Conn) { write(c, ok+"Transfer-Encoding: chunked\r\n\r\n"); drip(c, "1\r\nx\r\n") }, 600 * time.Millisecond, "in time"},
		"dripping early hints":  {func(c net.Conn) { drip(c, "HTTP/1.1 103 Early Hints\r\n\r\n") }, 600 * time.Millisecond, ""},
		"silent for whole time": {func(net.Conn) {}, 50 * time.Millisecond, "in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, base := serveRaw(t, tc.answer)
			start := time.Now()
			_, err := fetch(t, quick(t, host), base, Limits{MaxBytes: 1 << 20, Total: tc.total})
			requireReason(t, Unreachable, tc.reason, err)
			require.NotErrorIs(t, err, context.DeadlineExceeded, "the caller's own context has not ended")
			require.Less(t, time.Since(start), 5*time.Second)
		})
	}
}

func TestSilentTLSHandshakeIsCutOff(t *testing.T) {
	t.Parallel()
	host := listenDeaf(t)
	f := newFetcherWith(t, func(cfg *Config) {
		cfg.Allow = []string{host}
		cfg.ConnectTimeout = 150 * time.Millisecond
	})
	start := time.Now()
	_, err := f.Get(t.Context(), "https://"+host+"/", roomy)
	requireKind(t, Unreachable, err)
	require.Less(t, time.Since(start), 5*time.Second)
}

func TestSlowReaderIsNotTakenForASilentPeer(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x", 4<<20)
	host, base := serve(t, func(w http.ResponseWriter, _ *http.Request) { write(w, body) })
	resp, err := quick(t, host).Get(t.Context(), base, Limits{MaxBytes: 8 << 20, Total: roomy.Total})
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	head := make([]byte, 1)
	_, err = io.ReadFull(resp.Body, head)
	require.NoError(t, err)
	<-time.After(600 * time.Millisecond)
	rest, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Len(t, rest, len(body)-1)
}

func TestBodyEndsWithTheCallersContext(t *testing.T) {
	t.Parallel()
	host, base := serveRaw(t, func(conn net.Conn) { write(conn, ok+"Content-Length: 10\r\n\r\n12345") })
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := newFetcher(t, zone{}, host).Get(ctx, base, roomy)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	_, err = io.ReadFull(resp.Body, make([]byte, 5))
	require.NoError(t, err)
	cancel()
	_, err = io.ReadAll(resp.Body)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, KindOf(err))
}

func TestCloseDropsTheConnection(t *testing.T) {
	t.Parallel()
	dropped := make(chan error, 1)
	host, base := serveRaw(t, func(conn net.Conn) {
		write(conn, ok+"Content-Length: 10\r\n\r\n")
		_, err := conn.Read(make([]byte, 1))
		dropped <- err
	})
	resp, err := newFetcher(t, zone{}, host).Get(t.Context(), base, roomy)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	select {
	case err := <-dropped:
		require.Error(t, err)
	case <-time.After(5 * time.Second):
		require.Fail(t, "the connection outlived its body")
	}
}

func TestKindOfLooksThroughWrapping(t *testing.T) {
	t.Parallel()
	require.Equal(t, TooLarge, KindOf(fmt.Errorf("store source: %w", tooLarge(5))))
	require.Empty(t, KindOf(io.EOF))
	require.Empty(t, KindOf(nil))
}
