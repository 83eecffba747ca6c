package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"veracity/platform/fault"
)

// errNoRoom says that jobs at work have reserved what the scratch budget holds, errDiskFull that the disk has no more.
var (
	errNoRoom   = errors.New("its scratch space is in use")
	errDiskFull = errors.New("its disk is full")
)

// leastRender is what a rendering reserves at least: the samples and output of a short clip, or the PNG of a small JPEG,
// are far larger than their source.
const leastRender = 128 << 20

// renderRoom is what the rendering of a file of the given length reserves, in bytes.
func renderRoom(size int64) int64 { return max(2*size, leastRender) }

// checkRoom is what the check of a clip reserves.
func checkRoom(size int64) int64 { return size }

// rooms hands out folders of their own below the scratch folder, as long as its budget of bytes lasts.
type rooms struct {
	dir string
	log *slog.Logger

	mu    sync.Mutex
	free  int64
	taken int
	empty chan struct{}
}

func newRooms(dir string, budget int64, log *slog.Logger) *rooms {
	r := &rooms{dir: dir, free: budget, log: log, empty: make(chan struct{})}
	close(r.empty)
	return r
}

// take makes a folder and reserves need bytes for it. remove gives both back.
func (r *rooms) take(need int64) (dir string, remove func(), err error) {
	if err := r.reserve(need); err != nil {
		return "", nil, err
	}
	dir, err = r.make(need)
	if err != nil {
		r.release(need)
		return "", nil, err
	}
	return dir, sync.OnceFunc(func() {
		if err := os.RemoveAll(dir); err != nil {
			r.log.Error("files of a job are left behind", "error", err)
		}
		r.release(need)
	}), nil
}

// make makes the folder where the disk has the room.
func (r *rooms) make(need int64) (string, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(r.dir, &disk); err != nil {
		return "", fmt.Errorf("look at the scratch folder's disk: %w", err)
	}
	//nolint:gosec,unconvert // Sizes of blocks are small and positive; their type differs between systems.
	if uint64(disk.Bavail)*uint64(disk.Bsize) < uint64(need) {
		return "", errDiskFull
	}
	dir, err := os.MkdirTemp(r.dir, "job-")
	if err != nil {
		return "", fmt.Errorf("make a job's folder: %w", orFull(err))
	}
	return dir, nil
}

func (r *rooms) reserve(need int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if need > r.free {
		return errNoRoom
	}
	if r.taken == 0 {
		r.empty = make(chan struct{})
	}
	r.taken++
	r.free -= need
	return nil
}

func (r *rooms) release(need int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += need
	if r.taken--; r.taken == 0 {
		close(r.empty)
	}
}

// left is how many bytes nobody has reserved.
func (r *rooms) left() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.free
}

// awaitEmpty waits until every room has been given back, at most for limit.
func (r *rooms) awaitEmpty(limit time.Duration) {
	r.mu.Lock()
	empty := r.empty
	r.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-empty:
	case <-timer.C:
	}
}

// orFull is errDiskFull where err says that no more can be written, and else err.
func orFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", errDiskFull, err)
	}
	return err
}

// unavailableRoom is the fault of a job that finds no room, and else err.
func unavailableRoom(err error) error {
	for _, known := range []error{errNoRoom, errDiskFull} {
		if errors.Is(err, known) {
			return fault.Wrap(err, fault.EngineUnavailable, "%s", refuseJob(known).Message).WithRetryAfter(jobRetryAfter)
		}
	}
	return err
}
