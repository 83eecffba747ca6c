package safefetch

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// dial connects to host:port as the URL wrote it. Only that very pair decides whether the guard is off, so that a host
// on the allow list opens neither another port of its own nor another name for the same address.
func (f *Fetcher) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: f.cfg.ConnectTimeout, Resolver: f.resolver}
	var refused atomic.Bool
	if !f.allow[hostPort] {
		dialer.Control = func(network, address string, c syscall.RawConn) error {
			err := f.guard.Safe(network, address, c)
			if err != nil {
				refused.Store(true)
			}
			return err
		}
	}
	conn, err := dialer.DialContext(ctx, network, hostPort)
	if err != nil {
		// A name with several addresses fails with the error of whichever was tried first: one refusal decides.
		if refused.Load() {
			return nil, &Error{Forbidden, reasonPrivate, err}
		}
		return nil, err
	}
	return &idleConn{Conn: conn, idle: f.cfg.IdleTimeout}, nil
}

// idleConn ends a read that gets no byte for the idle time. The clock runs during the read alone, so that a caller who
// takes long between two of them is not punished for it. Writes need no clock of their own: the transport reads from the
// moment it connects, and so ends a connection whose peer takes in nothing and says nothing.
type idleConn struct {
	net.Conn
	idle time.Duration
}

// Read is net.Conn's, under a deadline of its own.
func (c *idleConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}
