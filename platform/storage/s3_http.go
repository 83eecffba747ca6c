package storage

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	idleConns     = 32
	idleTimeout   = 90 * time.Second
	continueAfter = time.Second
)

// newHTTPClient bounds every step in which a server can leave us waiting. The SDK's own read timeout is not used: it
// runs while a long body is being sent, when no answer can be expected.
func newHTTPClient(cfg Config) *http.Client {
	dialer := &net.Dialer{Timeout: cfg.ConnectTimeout}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := dialer.DialContext(ctx, network, addr)
				if err != nil {
					return nil, err
				}
				return &sendingConn{Conn: conn, stall: cfg.StallTimeout}, nil
			},
			TLSHandshakeTimeout:   cfg.ConnectTimeout,
			ResponseHeaderTimeout: cfg.StallTimeout,
			ExpectContinueTimeout: continueAfter,
			MaxIdleConnsPerHost:   idleConns,
			IdleConnTimeout:       idleTimeout,
			ForceAttemptHTTP2:     true,
		},
		// A redirect of S3 means another region; a signature made for this one would not hold there.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// sendingConn ends a connection whose peer has stopped taking bytes.
type sendingConn struct {
	net.Conn
	stall time.Duration
}

// Write implements net.Conn.
func (c *sendingConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// watchedBody ends a download whose peer has stopped sending. Time in which nobody reads does not count.
type watchedBody struct {
	body   io.ReadCloser
	watch  *time.Timer
	stall  time.Duration
	cancel context.CancelFunc
	report func(error) error
	closed sync.Once
}

// newWatchedBody takes over body and the cancel function of its request; report translates its errors.
func newWatchedBody(body io.ReadCloser, stall time.Duration, cancel context.CancelFunc, report func(error) error) *watchedBody {
	watch := time.AfterFunc(stall, cancel)
	watch.Stop()
	return &watchedBody{body: body, watch: watch, stall: stall, cancel: cancel, report: report}
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.watch.Reset(b.stall)
	n, err := b.body.Read(p)
	b.watch.Stop()
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	return n, b.report(err)
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	var err error
	b.closed.Do(func() {
		b.watch.Stop()
		b.cancel()
		err = b.body.Close()
	})
	return err
}
