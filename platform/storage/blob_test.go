package storage_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

func TestBlobsComeBackAsStored(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			for _, size := range []int{0, 1, 5 << 20, 8 << 20, 17 << 20} {
				key := "round/trip_" + strconv.Itoa(size)
				content := randomBytes(t, size)
				put(t, store, key, content)
				requireContent(t, store, key, content)

				info, err := store.Stat(t.Context(), key)
				require.NoError(t, err)
				require.Equal(t, key, info.Key)
				require.Equal(t, pictureType, info.ContentType)
				require.Equal(t, int64(size), info.Size)
				require.WithinDuration(t, time.Now(), info.Modified, time.Minute)
			}
		})
	}
}

func TestBodiesThatCannotSeekAreStored(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			content := randomBytes(t, 1<<20)
			body := iotest.DataErrReader(io.LimitReader(bytes.NewReader(content), 1<<20))
			require.NoError(t, store.Put(t.Context(), "streamed", body, 1<<20, pictureType))
			requireContent(t, store, "streamed", content)
		})
	}
}

func TestPutReplacesWhatWasThere(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			put(t, store, "twice", []byte("first"))
			put(t, store, "twice", []byte("second, and longer"))
			requireContent(t, store, "twice", []byte("second, and longer"))
		})
	}
}

func TestMissingBlobIsNotFound(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			put(t, store, "folder/blob", []byte("x"))
			for _, key := range []string{"missing", "folder", "folder/other", "folder/blob/below"} {
				_, _, err := store.Open(t.Context(), key)
				require.ErrorIs(t, err, storage.ErrNotFound, key)
				requireAbsent(t, store, key)
			}
		})
	}
}

func TestDeleteTakesABlobAwayAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			put(t, store, "a/b/gone", []byte("x"))
			put(t, store, "a/stays", []byte("y"))
			for range 2 {
				require.NoError(t, store.Delete(t.Context(), "a/b/gone"))
				requireAbsent(t, store, "a/b/gone")
			}
			requireContent(t, store, "a/stays", []byte("y"))
			put(t, store, "a/b/gone", []byte("again"))
			requireContent(t, store, "a/b/gone", []byte("again"))
		})
	}
}

func TestBodyOfAnotherLengthIsNeverStored(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			content := randomBytes(t, 9<<20)
			for name, size := range map[string]int64{
				"empty": 0, "one-less": 9<<20 - 1, "one-more": 9<<20 + 1, "much-less": 1000, "much-more": 20 << 20, "a-part": 8 << 20,
			} {
				for kind, body := range map[string]io.Reader{
					"plain": bytes.NewReader(content),
					"slow":  iotest.HalfReader(bytes.NewReader(content)),
				} {
					key := "length/" + name + "-" + kind
					err := store.Put(t.Context(), key, body, size, pictureType)
					require.ErrorIs(t, err, storage.ErrSize, key)
					requireAbsent(t, store, key)
				}
			}
		})
	}
}

func TestFailedBodyIsNotStoredAndItsErrorComesBack(t *testing.T) {
	t.Parallel()
	errSource := errors.New("the source went away")
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			for _, size := range []int64{2 << 20, 20 << 20} {
				body := io.MultiReader(bytes.NewReader(randomBytes(t, 1<<20)), iotest.ErrReader(errSource))
				err := store.Put(t.Context(), "failed", body, size, pictureType)
				require.ErrorIs(t, err, errSource)
				require.NotErrorIs(t, err, storage.ErrUnavailable)
				requireAbsent(t, store, "failed")
			}
		})
	}
}

func TestFailedPutLeavesTheOldBlob(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			put(t, store, "kept", []byte("old"))
			err := store.Put(t.Context(), "kept", strings.NewReader("new"), 4, pictureType)
			require.ErrorIs(t, err, storage.ErrSize)
			requireContent(t, store, "kept", []byte("old"))
		})
	}
}

func TestCancelledPutIsNotStored(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			ctx, cancel := context.WithCancel(t.Context())
			body := io.MultiReader(bytes.NewReader(randomBytes(t, 1<<20)), readerFunc(func(p []byte) (int, error) {
				cancel()
				clear(p)
				return len(p), nil
			}))
			err := store.Put(ctx, "cancelled", body, 64<<20, pictureType)
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, storage.ErrUnavailable)
			requireAbsent(t, store, "cancelled")
		})
	}
}

func TestKeysOutsideTheAlphabetAreRefused(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			for _, key := range []string{
				"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a.blob", "A", "ä", "a b", "a\x00", "a\n", `a\b`,
				"a%2fb", strings.Repeat("a", 129), strings.Repeat("aaaaaaa/", 80) + "a",
			} {
				_, _, openErr := store.Open(t.Context(), key)
				_, statErr := store.Stat(t.Context(), key)
				_, ticketErr := store.Ticket(t.Context(), storage.TicketRequest{
					Key: key, ContentType: pictureType, Size: 1, Expires: time.Now().Add(time.Hour),
				})
				for act, err := range map[string]error{
					"put":    store.Put(t.Context(), key, strings.NewReader("x"), 1, pictureType),
					"open":   openErr,
					"stat":   statErr,
					"delete": store.Delete(t.Context(), key),
					"ticket": ticketErr,
				} {
					require.ErrorContains(t, err, "want a-z", "%s %q", act, key)
				}
			}
		})
	}
}

func TestContentTypesThatNoHeaderCanCarryAreRefused(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			for _, contentType := range []string{
				"", "image/png\r\nX: y", " image/png", "image/png ", "bild/ä", "image/" + strings.Repeat("x", 200),
			} {
				err := store.Put(t.Context(), "typed", strings.NewReader("x"), 1, contentType)
				require.ErrorContains(t, err, "want a media type", "%q", contentType)
			}
			requireAbsent(t, store, "typed")
		})
	}
}

func TestReadersSeeAWholeBlobWhileItIsReplaced(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			versions := [][]byte{bytes.Repeat([]byte("a"), 1<<20), bytes.Repeat([]byte("b"), 1<<20)}
			put(t, store, "contended", versions[0])
			var writers sync.WaitGroup
			writers.Go(func() {
				for i := range 10 {
					content := versions[i%2]
					if err := store.Put(t.Context(), "contended", bytes.NewReader(content), 1<<20, pictureType); err != nil {
						t.Errorf("put version %d: %v", i, err)
					}
				}
			})
			for range 20 {
				body, _, err := store.Open(t.Context(), "contended")
				require.NoError(t, err)
				got, err := io.ReadAll(body)
				require.NoError(t, err)
				require.NoError(t, body.Close())
				require.True(t, bytes.Equal(got, versions[0]) || bytes.Equal(got, versions[1]), "a mixture was read")
			}
			writers.Wait()
		})
	}
}

// readerFunc is a reader made of one function.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
