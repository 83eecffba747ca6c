package storage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

func TestReadyWhileTheStoreAnswers(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			require.NoError(t, store.Ready(t.Context()))
			require.Empty(t, keysOf(t, store, "", time.Now().Add(time.Hour)), "asking leaves nothing behind")
		})
	}
}

func TestEveryActOfAStoppedServerIsUnavailable(t *testing.T) {
	t.Parallel()
	server := storagetest.StartS3(t)
	store := storagetest.Open(t, server.Config(t))
	put(t, store, "before", []byte("x"))
	require.NoError(t, store.Ready(t.Context()))
	server.Stop()
	requireUnavailable(t, store)
}

func TestEveryActInAMissingBucketIsUnavailable(t *testing.T) {
	t.Parallel()
	cfg := storagetest.S3(t)
	cfg.URL = strings.Replace(cfg.URL, "s3://", "s3://no-such-", 1)
	requireUnavailable(t, storagetest.Open(t, cfg))
}

func TestEveryActWithRefusedCredentialsIsUnavailable(t *testing.T) {
	t.Parallel()
	cfg := storagetest.S3(t)
	cfg.SecretKey += "x"
	requireUnavailable(t, storagetest.Open(t, cfg))
}

func TestEveryActInARemovedFolderIsUnavailableUntilItIsBack(t *testing.T) {
	t.Parallel()
	cfg := storagetest.Disk(t, "http://127.0.0.1")
	dir := strings.TrimPrefix(cfg.URL, "disk:")
	store := storagetest.Open(t, cfg)
	put(t, store, "before", []byte("x"))
	require.NoError(t, os.Rename(dir, dir+"-away"))
	requireUnavailable(t, store)

	// An empty mount point is not the volume that belongs there.
	require.NoError(t, os.Mkdir(dir, 0o700))
	requireUnavailable(t, store)

	require.NoError(t, os.Remove(dir))
	require.NoError(t, os.Rename(dir+"-away", dir))
	require.NoError(t, store.Ready(t.Context()))
	requireContent(t, store, "before", []byte("x"))
}

func TestFolderThatTakesNoFilesIsNotReady(t *testing.T) {
	t.Parallel()
	cfg := storagetest.Disk(t, "http://127.0.0.1")
	dir := strings.TrimPrefix(cfg.URL, "disk:")
	store := storagetest.Open(t, cfg)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "staging")))
	require.ErrorIs(t, store.Ready(t.Context()), storage.ErrUnavailable)
	err := store.Put(t.Context(), "k", strings.NewReader("x"), 1, pictureType)
	require.ErrorIs(t, err, storage.ErrUnavailable)
}

// requireUnavailable holds every act against ErrUnavailable: a store that cannot look must not say "not found".
func requireUnavailable(t *testing.T, store storage.Store) {
	t.Helper()
	ctx := t.Context()
	acts := map[string]func() error{
		"ready":  func() error { return store.Ready(ctx) },
		"open":   func() error { _, _, err := store.Open(ctx, "before"); return err },
		"stat":   func() error { _, err := store.Stat(ctx, "before"); return err },
		"put":    func() error { return store.Put(ctx, "after", strings.NewReader("x"), 1, pictureType) },
		"delete": func() error { return store.Delete(ctx, "before") },
		"list":   func() error { return firstError(ctx, store, "") },
		"ticket": func() error {
			_, err := store.Ticket(ctx, storage.TicketRequest{
				Key: "after", ContentType: pictureType, Size: 1, Expires: time.Now().Add(time.Hour),
			})
			return err
		},
		"put parts": func() error {
			return store.Put(ctx, "after", bytes.NewReader(make([]byte, 9<<20)), 9<<20, pictureType)
		},
	}
	var running sync.WaitGroup
	for name, act := range acts {
		running.Go(func() {
			err := act()
			assert.ErrorIs(t, err, storage.ErrUnavailable, name)
			assert.NotErrorIs(t, err, storage.ErrNotFound, name)
		})
	}
	running.Wait()
}
