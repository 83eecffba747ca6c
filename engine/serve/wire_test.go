package serve

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/platform/fault"
)

// speak sends raw bytes to the engine and reads one answer.
func speak(t *testing.T, cfg Config, request string) *http.Response {
	t.Helper()
	conn := connect(t, cfg)
	_, err := io.WriteString(conn, request)
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func connect(t *testing.T, cfg Config) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", cfg.Socket)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

const post = "POST " + engine.PathCheckImage + " HTTP/1.1\r\nHost: e\r\n"

func never(context.Context, []byte) (engine.Report, error) { panic("inspected what must not be") }

func TestBodiesWithoutAnExactLengthAreRefusedUnread(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	serveInspector(t, cfg, never)
	expect := "Expect: 100-continue\r\n"
	cases := map[string]struct {
		head string
		want int
	}{
		"empty":    {expect + "Content-Length: 0\r\n", http.StatusBadRequest},
		"too long": {expect + "Content-Length: 26214401\r\n", http.StatusRequestEntityTooLarge},
		"chunked":  {expect + "Transfer-Encoding: chunked\r\n", http.StatusBadRequest},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := speak(t, cfg, post+c.head+"\r\n")
			// Any 100 Continue would come first.
			require.Equal(t, c.want, resp.StatusCode)
		})
	}
}

func TestTheLargestLengthIsAdmitted(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	serveInspector(t, cfg, never)
	resp := speak(t, cfg, post+"Expect: 100-continue\r\nContent-Length: 26214400\r\n\r\n")
	require.Equal(t, http.StatusContinue, resp.StatusCode)
}

func TestASlowBodyLosesItsPlace(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.ReceiveTimeout = 50 * time.Millisecond
	r := serveInspector(t, cfg, never)
	resp := speak(t, cfg, post+"Content-Length: 100\r\n\r\ndrop by drop")
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Equal(t, "2", resp.Header.Get("Retry-After"))
	require.Eventually(t, func() bool { return r.server.gate.running() == 0 }, 10*time.Second, time.Millisecond)
}

func TestTheDeadlineOfTheBodyDoesNotEndTheCheck(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.ReceiveTimeout = 50 * time.Millisecond
	r := serveInspector(t, cfg, func(ctx context.Context, _ []byte) (engine.Report, error) {
		select {
		case <-time.After(200 * time.Millisecond):
			return verdict(), nil
		case <-ctx.Done():
			return engine.Report{}, ctx.Err()
		}
	})
	_, err := r.CheckImage(t.Context(), image("x"))
	require.NoError(t, err)
}

func TestABodyCutShortLosesItsPlace(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	r := serveInspector(t, cfg, never)
	conn := connect(t, cfg)
	_, err := io.WriteString(conn, post+"Content-Length: 100\r\n\r\nhalf")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return r.server.gate.running() == 1 }, 10*time.Second, time.Millisecond)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return r.server.gate.running() == 0 }, 10*time.Second, time.Millisecond)
}

func TestAnOverlongBodyIsCutAtItsLength(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	seen := make(chan string, 1)
	serveInspector(t, cfg, func(_ context.Context, data []byte) (engine.Report, error) {
		seen <- string(data)
		return verdict(), nil
	})
	resp := speak(t, cfg, post+"Content-Length: 4\r\nConnection: close\r\n\r\nfour and more")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "four", <-seen)
}

func TestUnknownPathsAndMethodsAreRefused(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	serveInspector(t, cfg, never)
	require.Equal(t, http.StatusNotFound, speak(t, cfg, "GET / HTTP/1.1\r\nHost: e\r\n\r\n").StatusCode)
	wrongMethod := strings.Replace(post, "POST", "GET", 1) + "\r\n"
	require.Equal(t, http.StatusMethodNotAllowed, speak(t, cfg, wrongMethod).StatusCode)
}

func TestOverTCPOnlyTheTokenAndTheRegionOpen(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Socket, cfg.Listen, cfg.Token, cfg.Region = "", "127.0.0.1:0", "secret", "eu"
	r := serveInspector(t, cfg, func(context.Context, []byte) (engine.Report, error) { return verdict(), nil })
	_, err := r.CheckImage(t.Context(), image("x"))
	require.NoError(t, err)
	require.NoError(t, r.Alive(t.Context()))
	for name, c := range map[string]struct {
		head http.Header
		want fault.Code
	}{
		"no token":     {http.Header{engine.HeaderRegion: {"eu"}}, fault.EngineCredentialsMissing},
		"wrong token":  {http.Header{"Authorization": {"Bearer guess"}}, fault.EngineCredentialsMissing},
		"wrong scheme": {http.Header{"Authorization": {"Basic secret"}}, fault.EngineCredentialsMissing},
		"no region":    {http.Header{"Authorization": {"Bearer secret"}}, fault.EngineRegionMissing},
		"other region": {
			http.Header{"Authorization": {"Bearer secret"}, engine.HeaderRegion: {"us"}}, fault.EngineRegionMissing,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{engine.PathReady, engine.PathCheckImage} {
				answer := &recorder{header: http.Header{}}
				method := http.MethodGet
				if path == engine.PathCheckImage {
					method = http.MethodPost
				}
				req, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader("x"))
				require.NoError(t, err)
				req.Header = c.head
				r.server.handler().ServeHTTP(answer, req)
				require.Contains(t, answer.body.String(), `"`+string(c.want)+`"`)
			}
		})
	}
}

// recorder is a ResponseWriter that takes deadlines, which httptest's does not.
type recorder struct {
	header http.Header
	body   strings.Builder
}

func (r *recorder) Header() http.Header              { return r.header }
func (r *recorder) Write(p []byte) (int, error)      { return r.body.Write(p) }
func (r *recorder) WriteHeader(int)                  {}
func (r *recorder) SetWriteDeadline(time.Time) error { return nil }
