package storage_test

import (
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

func TestRangesGiveThePartAskedFor(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			content := randomBytes(t, 100_000)
			put(t, store, "whole", content)
			for _, part := range [][2]int64{{0, 1}, {0, 100_000}, {99_999, 1}, {512, 4096}} {
				body, err := store.OpenRange(t.Context(), "whole", part[0], part[1])
				require.NoError(t, err)
				got, err := io.ReadAll(body)
				require.NoError(t, err)
				require.NoError(t, body.Close())
				require.Equal(t, content[part[0]:part[0]+part[1]], got)
			}
			body, err := store.OpenRange(t.Context(), "whole", 99_990, 100)
			require.NoError(t, err)
			got, err := io.ReadAll(body)
			require.NoError(t, err)
			require.NoError(t, body.Close())
			require.Equal(t, content[99_990:], got, "a part that runs past the end ends with it")
			_, err = store.OpenRange(t.Context(), "missing", 0, 10)
			require.ErrorIs(t, err, storage.ErrNotFound)
			for _, bad := range [][2]int64{{-1, 5}, {0, 0}, {3, -1}} {
				_, err := store.OpenRange(t.Context(), "whole", bad[0], bad[1])
				require.ErrorContains(t, err, "range of")
			}
		})
	}
}

func TestReaderReadsAndSeeksLikeAFile(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			content := randomBytes(t, 300)
			put(t, store, "file", content)
			r, err := storage.NewReader(t.Context(), store, "file")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, r.Close()) })
			require.Equal(t, int64(300), r.Info().Size)
			require.NoError(t, iotest.TestReader(r, content))
			_, err = r.Seek(-1, io.SeekStart)
			require.Error(t, err)
			n, err := r.ReadAt(nil, 5)
			require.NoError(t, err)
			require.Zero(t, n)

			_, err = storage.NewReader(t.Context(), store, "none")
			require.ErrorIs(t, err, storage.ErrNotFound)
		})
	}
}

func TestReaderNoticesABlobThatVanished(t *testing.T) {
	t.Parallel()
	store := stores["disk"](t)
	put(t, store, "gone", randomBytes(t, 10))
	r, err := storage.NewReader(t.Context(), store, "gone")
	require.NoError(t, err)
	require.NoError(t, store.Delete(t.Context(), "gone"))
	_, err = io.ReadAll(r)
	require.ErrorIs(t, err, storage.ErrNotFound)
}
