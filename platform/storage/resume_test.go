package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/platform/storage"
)

var errCut = fmt.Errorf("connection reset: %w", storage.ErrUnavailable)

// breaking is a store whose ranged reads go as scripted.
type breaking struct {
	storage.Store
	// script is given each read that is opened, counted from 0.
	script func(opened int, body io.ReadCloser) (io.ReadCloser, error)
	// from are the offsets of all reads so far.
	from []int64
}

func (b *breaking) OpenRange(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	b.from = append(b.from, offset)
	body, err := b.Store.OpenRange(ctx, key, offset, length)
	if err != nil {
		return nil, err
	}
	return b.script(len(b.from)-1, body)
}

// cutBody is a body that ends with err after n bytes.
type cutBody struct {
	io.Reader
	io.Closer
}

func cut(body io.ReadCloser, n int64, err error) io.ReadCloser {
	return cutBody{io.MultiReader(io.LimitReader(body, n), iotest.ErrReader(err)), body}
}

// newBreaking makes a breaking store with a blob of size bytes.
func newBreaking(
	t *testing.T, size int, script func(opened int, body io.ReadCloser) (io.ReadCloser, error),
) (store *breaking, content []byte) {
	t.Helper()
	store = &breaking{Store: stores["disk"](t), script: script}
	content = randomBytes(t, size)
	put(t, store, "blob", content)
	return store, content
}

func TestReadThatBreaksOffGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"reset": errCut, "short": io.EOF, "cut": io.ErrUnexpectedEOF,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := func(opened int, body io.ReadCloser) (io.ReadCloser, error) {
				if opened < 3 {
					return cut(body, int64(opened)*1000, err), nil
				}
				return body, nil
			}
			store, content := newBreaking(t, 10_000, script)
			synctest.Test(t, func(t *testing.T) {
				r, err := storage.NewReader(t.Context(), store, "blob")
				require.NoError(t, err)
				got, err := io.ReadAll(r)
				require.NoError(t, err)
				require.NoError(t, r.Close())
				require.True(t, bytes.Equal(content, got))
				require.Equal(t, []int64{0, 0, 1000, 3000}, store.from)
			})
		})
	}
}

func TestReadThatKeepsBreakingOffIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, bytesEach := range map[string]int64{"with nothing": 0, "with a few bytes each": 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := func(_ int, body io.ReadCloser) (io.ReadCloser, error) { return cut(body, bytesEach, errCut), nil }
			store, content := newBreaking(t, 10_000, script)
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				r, err := storage.NewReader(t.Context(), store, "blob")
				require.NoError(t, err)
				got, err := io.ReadAll(r)
				require.ErrorIs(t, err, storage.ErrUnavailable)
				require.True(t, bytes.HasPrefix(content, got))
				require.Len(t, got, int(4*bytesEach))
				require.Len(t, store.from, 4)
				require.Equal(t, 2600*time.Millisecond, time.Since(begun))
			})
		})
	}
}

func TestReadThatGoesForwardIsResumedAsOftenAsItTakes(t *testing.T) {
	t.Parallel()
	script := func(_ int, body io.ReadCloser) (io.ReadCloser, error) { return cut(body, 1<<20, errCut), nil }
	store, content := newBreaking(t, 9<<20, script)
	synctest.Test(t, func(t *testing.T) {
		r, err := storage.NewReader(t.Context(), store, "blob")
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.True(t, bytes.Equal(content, got))
		require.Len(t, store.from, 9)
	})
}

func TestStoreThatIsAwayForAMomentDoesNotEndARead(t *testing.T) {
	t.Parallel()
	script := func(opened int, body io.ReadCloser) (io.ReadCloser, error) {
		switch opened {
		case 0:
			return cut(body, 1, errCut), nil
		case 1, 2:
			return nil, errors.Join(errCut, body.Close())
		}
		return body, nil
	}
	store, content := newBreaking(t, 100, script)
	synctest.Test(t, func(t *testing.T) {
		r, err := storage.NewReader(t.Context(), store, "blob")
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, content, got)
	})
}

func TestReadThatCannotBeginIsToldAtOnce(t *testing.T) {
	t.Parallel()
	script := func(_ int, body io.ReadCloser) (io.ReadCloser, error) { return nil, errors.Join(errCut, body.Close()) }
	store, _ := newBreaking(t, 100, script)
	synctest.Test(t, func(t *testing.T) {
		r, err := storage.NewReader(t.Context(), store, "blob")
		require.NoError(t, err)
		_, err = io.ReadAll(r)
		require.ErrorIs(t, err, storage.ErrUnavailable)
		require.Len(t, store.from, 1)
	})
}

func TestReadOfAVanishedBlobIsNotResumed(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"gone":            storage.ErrNotFound,
		"another failure": errors.New("400 of the server"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := func(_ int, body io.ReadCloser) (io.ReadCloser, error) { return cut(body, 5, err), nil }
			store, _ := newBreaking(t, 100, script)
			synctest.Test(t, func(t *testing.T) {
				r, readErr := storage.NewReader(t.Context(), store, "blob")
				require.NoError(t, readErr)
				_, readErr = io.ReadAll(r)
				require.ErrorIs(t, readErr, err)
				require.Len(t, store.from, 1)
			})
		})
	}
}

func TestResumedReadNeverJoinsTwoBlobs(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"of one length": 100, "of another": 120} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := func(_ int, body io.ReadCloser) (io.ReadCloser, error) { return cut(body, 5, errCut), nil }
			store, _ := newBreaking(t, 100, script)
			synctest.Test(t, func(t *testing.T) {
				r, err := storage.NewReader(t.Context(), store, "blob")
				require.NoError(t, err)
				_, err = io.ReadFull(r, make([]byte, 4))
				require.NoError(t, err)
				// A file system's clock ticks in milliseconds.
				for then := r.Info().Modified; then.Equal(r.Info().Modified); {
					put(t, store, "blob", randomBytes(t, size))
					now, err := store.Stat(t.Context(), "blob")
					require.NoError(t, err)
					then = now.Modified
				}
				_, err = io.ReadAll(r)
				require.ErrorContains(t, err, "replaced")
				require.Len(t, store.from, 2)
			})
		})
	}
}

func TestCancelledReadStopsWaiting(t *testing.T) {
	t.Parallel()
	script := func(_ int, body io.ReadCloser) (io.ReadCloser, error) { return cut(body, 5, errCut), nil }
	store, _ := newBreaking(t, 100, script)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := storage.NewReader(ctx, store, "blob")
		require.NoError(t, err)
		defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
		_, err = io.ReadAll(r)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, storage.ErrUnavailable)
		require.Len(t, store.from, 1)
	})
}

func TestPartsReadAtAPlaceAreResumedToo(t *testing.T) {
	t.Parallel()
	script := func(opened int, body io.ReadCloser) (io.ReadCloser, error) {
		if opened == 0 {
			return cut(body, 3, errCut), nil
		}
		return body, nil
	}
	store, content := newBreaking(t, 100, script)
	synctest.Test(t, func(t *testing.T) {
		r, err := storage.NewReader(t.Context(), store, "blob")
		require.NoError(t, err)
		got := make([]byte, 20)
		_, err = r.ReadAt(got, 40)
		require.NoError(t, err)
		require.Equal(t, content[40:60], got)
		require.Equal(t, []int64{40, 43}, store.from)
	})
}
