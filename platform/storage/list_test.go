package storage_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

func keysOf(t *testing.T, store storage.Store, prefix string, olderThan time.Time) []string {
	t.Helper()
	var keys []string
	for entry, err := range store.List(t.Context(), prefix, olderThan) {
		require.NoError(t, err)
		keys = append(keys, entry.Key)
	}
	return keys
}

func TestListFindsBlobsByPrefixAndAge(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			future, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
			require.Empty(t, keysOf(t, store, "", future))
			for _, key := range []string{"uploads/a1", "uploads/a2", "uploads/b/c", "uploads-x", "jobs/a1"} {
				put(t, store, key, []byte(key))
			}
			for prefix, want := range map[string][]string{
				"":           {"uploads/a1", "uploads/a2", "uploads/b/c", "uploads-x", "jobs/a1"},
				"uploads":    {"uploads/a1", "uploads/a2", "uploads/b/c", "uploads-x"},
				"uploads/":   {"uploads/a1", "uploads/a2", "uploads/b/c"},
				"uploads/a":  {"uploads/a1", "uploads/a2"},
				"uploads/b/": {"uploads/b/c"},
				"uploads/b":  {"uploads/b/c"},
				"nothing/":   nil,
				"j":          {"jobs/a1"},
			} {
				require.ElementsMatch(t, want, keysOf(t, store, prefix, future), "prefix %q", prefix)
				require.Empty(t, keysOf(t, store, prefix, past), "prefix %q", prefix)
			}
		})
	}
}

func TestListTellsSizeAndTime(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			put(t, store, "listed/one", make([]byte, 1234))
			for entry, err := range store.List(t.Context(), "listed/", time.Now().Add(time.Hour)) {
				require.NoError(t, err)
				require.Equal(t, int64(1234), entry.Size)
				require.WithinDuration(t, time.Now(), entry.Modified, time.Minute)
			}
		})
	}
}

func TestOrphansCanBeSweptWhileTheyAreListed(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			for i := range 20 {
				ticket := newTicket(t, store, fmt.Sprintf("uploads/%d/file", i), 1)
				require.Equal(t, 200, upload(t, ticket, []byte("x")).status)
			}
			put(t, store, "jobs/kept", []byte("y"))
			swept := 0
			for entry, err := range store.List(t.Context(), "uploads/", time.Now().Add(time.Hour)) {
				require.NoError(t, err)
				require.NoError(t, store.Delete(t.Context(), entry.Key))
				swept++
			}
			require.Equal(t, 20, swept)
			require.Equal(t, []string{"jobs/kept"}, keysOf(t, store, "", time.Now().Add(time.Hour)))
		})
	}
}

func TestListEndsWhenItsReaderDoes(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			for _, key := range []string{"a", "b", "c"} {
				put(t, store, key, []byte(key))
			}
			seen := 0
			for _, err := range store.List(t.Context(), "", time.Now().Add(time.Hour)) {
				require.NoError(t, err)
				seen++
				break
			}
			require.Equal(t, 1, seen)
		})
	}
}

func TestListReportsACancelledContextAndABadPrefix(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			put(t, store, "a", []byte("a"))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.ErrorIs(t, firstError(ctx, store, ""), context.Canceled)
			for _, prefix := range []string{"../", "/", "a//", "A"} {
				require.ErrorContains(t, firstError(t.Context(), store, prefix), "prefix", prefix)
			}
		})
	}
}

// firstError is the error that a list ends with, or nil.
func firstError(ctx context.Context, store storage.Store, prefix string) error {
	for _, err := range store.List(ctx, prefix, time.Now().Add(time.Hour)) {
		if err != nil {
			return err
		}
	}
	return nil
}
