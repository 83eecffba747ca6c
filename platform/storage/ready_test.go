package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
	"veracity/platform/storage/storagetest"
)

func TestReadyWhileTheStoreAnswers(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store storage.Store) {
		require.NoError(t, store.Ready(t.Context()))
		require.Empty(t, keysOf(t, store, "", time.Now().Add(time.Hour)), "asking leaves nothing behind")
	})
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
	_, _, openErr := store.Open(ctx, "before")
	_, statErr := store.Stat(ctx, "before")
	_, ticketErr := store.Ticket(ctx, storage.TicketRequest{
		Key: "after", ContentType: pictureType, Size: 1, Expires: time.Now().Add(time.Hour),
	})
	for act, err := range map[string]error{
		"ready":  store.Ready(ctx),
		"open":   openErr,
		"stat":   statErr,
		"put":    store.Put(ctx, "after", strings.NewReader("x"), 1, pictureType),
		"delete": store.Delete(ctx, "before"),
		"ticket": ticketErr,
		"list":   onlyError(t, store, ctx, ""),
	} {
		require.ErrorIs(t, err, storage.ErrUnavailable, act)
		require.NotErrorIs(t, err, storage.ErrNotFound, act)
	}
}
