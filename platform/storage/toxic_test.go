package storage_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

// toxicAfter is how many bytes of a server reach its client before a poisoned connection fails.
const toxicAfter = 300_000

// poison makes a connection fail.
type poison func(client *net.TCPConn)

// toxic forwards connections to an S3 server. As many of them as it is given poisons fail in the middle.
type toxic struct {
	target  string
	mu      sync.Mutex
	poisons []poison
}

// throughToxic puts a toxic in front of cfg's server.
func throughToxic(t *testing.T, cfg *storage.Config, poisons ...poison) *toxic {
	t.Helper()
	u, err := url.Parse(cfg.URL)
	require.NoError(t, err)
	q := u.Query()
	endpoint, err := url.Parse(q.Get("endpoint"))
	require.NoError(t, err)
	var binding net.ListenConfig
	listener, err := binding.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	x := &toxic{target: endpoint.Host, poisons: poisons}
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go x.forward(client.(*net.TCPConn))
		}
	}()
	endpoint.Host = listener.Addr().String()
	q.Set("endpoint", endpoint.String())
	u.RawQuery = q.Encode()
	cfg.URL = u.String()
	return x
}

func (x *toxic) forward(client *net.TCPConn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", x.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(server, client) }()
	if _, err := io.CopyN(client, server, toxicAfter); err != nil {
		return
	}
	if fail := x.next(); fail != nil {
		fail(client)
		return
	}
	_, _ = io.Copy(client, server)
}

func (x *toxic) next() poison {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.poisons) == 0 {
		return nil
	}
	next := x.poisons[0]
	x.poisons = x.poisons[1:]
	return next
}

// reset ends a connection with a TCP reset.
func reset(client *net.TCPConn) { _ = client.SetLinger(0) }

func TestReadFromABucketOutlivesResetsAndStalls(t *testing.T) {
	t.Parallel()
	cfg := storagetest.S3(t)
	content := randomBytes(t, 2<<20)
	put(t, storagetest.Open(t, cfg), "blob", content)
	gone := make(chan struct{})
	t.Cleanup(func() { close(gone) })
	stall := func(*net.TCPConn) { <-gone }
	x := throughToxic(t, &cfg, []poison{stall, reset, stall}...)
	cfg.StallTimeout = 300 * time.Millisecond
	store := storagetest.Open(t, cfg)

	body, _, err := store.Open(t.Context(), "blob")
	require.NoError(t, err)
	_, err = io.ReadAll(body)
	require.ErrorIs(t, err, storage.ErrUnavailable, "one connection breaks in the middle")
	require.NoError(t, body.Close())

	r, err := storage.NewReader(t.Context(), store, "blob")
	require.NoError(t, err)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, content, got)
	require.Nil(t, x.next(), "every poison was taken")
}
