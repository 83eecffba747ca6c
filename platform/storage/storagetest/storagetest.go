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

// Disk configures a disk store in a folder of tb's own, whose tickets point at publicURL. For tests that need no
// tickets any http address will do.
func Disk(tb testing.TB, publicURL string) storage.Config {
	tb.Helper()
	cfg := storage.DefaultConfig()
	cfg.URL = "disk:" + tb.TempDir()
	cfg.PublicURL = publicURL
	cfg.TicketSecret = []byte(rand.Text() + rand.Text())
	return cfg
}

// OpenDisk opens a disk store whose tickets work: a server takes them until tb ends.
func OpenDisk(tb testing.TB) storage.Store {
	tb.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	store := Open(tb, Disk(tb, server.URL))
	uploads, ok := storage.Handler(store)
	require.True(tb, ok, "the disk store takes its tickets itself")
	mux.Handle(storage.UploadPath, uploads)
	return store
}

// OpenS3 opens a store in a fresh bucket of the shared S3 server.
func OpenS3(tb testing.TB) storage.Store {
	tb.Helper()
	return Open(tb, S3(tb))
}

// Open opens the store of cfg and closes it when tb ends.
func Open(tb testing.TB, cfg storage.Config) storage.Store {
	tb.Helper()
	store, err := storage.Open(tb.Context(), cfg, slog.New(slog.DiscardHandler))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, store.Close()) })
	return store
}
