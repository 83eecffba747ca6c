package serve

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/platform/fault"
)

func TestRoomsLastAsLongAsTheBudget(t *testing.T) {
	t.Parallel()
	r := newRooms(t.TempDir(), 10, quiet())
	dir, remove, err := r.take(6)
	require.NoError(t, err)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	_, _, err = r.take(5)
	require.ErrorIs(t, err, errNoRoom)
	_, second, err := r.take(4)
	require.NoError(t, err)
	require.Zero(t, r.left())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "source"), []byte("x"), 0o600))
	remove()
	remove()
	require.NoDirExists(t, dir)
	require.Equal(t, int64(6), r.left())
	second()
	require.Equal(t, int64(10), r.left())
}

func TestARoomIsOnlyHandedOutWhereTheDiskHasIt(t *testing.T) {
	t.Parallel()
	r := newRooms(t.TempDir(), math.MaxInt64, quiet())
	_, _, err := r.take(math.MaxInt64)
	require.ErrorIs(t, err, errDiskFull)
	require.Equal(t, int64(math.MaxInt64), r.left())

	r = newRooms(filepath.Join(t.TempDir(), "gone"), 10, quiet())
	_, _, err = r.take(1)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, int64(10), r.left())
}

func TestAFullDiskIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := unavailableRoom(fmt.Errorf("write: %w", orFull(&fs.PathError{Op: "write", Path: "source", Err: full})))
		requireUnavailable(t, err)
		require.NotContains(t, fault.From(err).Message, "source")
	}
	other := unavailableRoom(orFull(syscall.EIO))
	require.Equal(t, fault.InternalError, fault.CodeOf(other))
}

func TestTheEndWaitsForRoomsButNotForEver(t *testing.T) {
	t.Parallel()
	r := newRooms(t.TempDir(), 10, quiet())
	r.awaitEmpty(time.Hour)
	_, remove, err := r.take(1)
	require.NoError(t, err)
	r.awaitEmpty(time.Millisecond)
	over := make(chan struct{})
	go func() { r.awaitEmpty(time.Hour); close(over) }()
	remove()
	<-over
}

func TestARenderingReservesTwiceItsSource(t *testing.T) {
	t.Parallel()
	require.Equal(t, int64(2*engine.MaxClipBytes), renderRoom(engine.MaxClipBytes))
	require.Equal(t, int64(leastRender), renderRoom(1))
	require.Equal(t, int64(7), checkRoom(7))
}
