// Package storagetest gives tests real blob stores: a disk store behind an HTTP server that takes its tickets, and an
// S3 store on a versitygw of its own on loopback. It holds no fakes.
package storagetest

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

// Disk configures a disk store in a folder of t's own, whose tickets point at publicURL. For tests that need no
// tickets any http address will do.
func Disk(t testing.TB, publicURL string) storage.Config {
	t.Helper()
	cfg := storage.DefaultConfig()
	cfg.URL = "disk:" + t.TempDir()
	cfg.PublicURL = publicURL
	cfg.TicketSecret = []byte(rand.Text() + rand.Text())
	return cfg
}

// OpenDisk opens a disk store whose tickets work: a server takes them until t ends.
func OpenDisk(t testing.TB) storage.Store {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	store := Open(t, Disk(t, server.URL))
	uploads, ok := storage.Handler(store)
	require.True(t, ok, "the disk store takes its tickets itself")
	mux.Handle(storage.UploadPath, uploads)
	return store
}

// OpenS3 opens a store in a fresh bucket of the shared S3 server.
func OpenS3(t testing.TB) storage.Store {
	t.Helper()
	return Open(t, S3(t))
}

// Open opens the store of cfg and closes it when t ends.
func Open(t testing.TB, cfg storage.Config) storage.Store {
	t.Helper()
	store, err := storage.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}
