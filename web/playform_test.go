package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/fault"
)

func TestFormThatStopsComingIsGivenUp(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &steadyBody{Reader: r.Body, Closer: r.Body, control: http.NewResponseController(w), end: time.Now().Add(100 * time.Millisecond)}
		_, err := io.Copy(io.Discard, body)
		ended <- notWhole(err)
	}))
	t.Cleanup(srv.Close)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", srv.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome of it")
	require.NoError(t, err)
	select {
	case err := <-ended:
		require.Equal(t, fault.InvalidInput, fault.CodeOf(err))
	case <-time.After(10 * time.Second):
		require.Fail(t, "the server still waits")
	}
}

func TestURLIsShownWithoutWhatMayBeSecretInIt(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://user:pass@example.com/a%20b.png?sig=1#x": "https://example.com/a%20b.png",
		"https://example.com":                             "https://example.com",
		"no address":                                      "a URL",
		"https://[::1":                                    "a URL",
	} {
		require.Equal(t, want, (&playInput{url: given}).shown(), given)
	}
}
