package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"veracity/platform/postgres/private"
)

const (
	// folderPrefix begins the name of every server's folder.
	folderPrefix = "veracity-test-"
	// memoryFolder is kept in memory on Linux.
	memoryFolder = "/dev/shm"
	// memoryNeeded is the free space in bytes from which memoryFolder is used. Containers often have but 64 MB.
	memoryNeeded = 1 << 30
	// newborn is how long after its making a folder may be without a lock, and is left alone.
	newborn = time.Minute
)

// current is the server of this test binary.
var current shared

// shared is a server that the first test which needs it starts.
type shared struct {
	// admitted is set while Main runs, which alone can stop the server at the end.
	admitted atomic.Bool
	once     sync.Once
	cfg      private.Config
	server   *private.Server
	err      error
}

func (s *shared) get(ctx context.Context) (*private.Server, error) {
	if !s.admitted.Load() {
		return nil, errors.New("this package's TestMain does not call pgtest.Main")
	}
	s.once.Do(func() { s.err = s.start(ctx) })
	return s.server, s.err
}

func (s *shared) start(ctx context.Context) error {
	base := os.TempDir()
	if roomy(memoryFolder, memoryNeeded) {
		base = memoryFolder
	}
	if err := sweep(ctx, base); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(base, folderPrefix)
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	s.cfg = private.DefaultConfig(dir)
	s.cfg.FastUnsafe = true
	s.cfg.Settings = map[string]string{
		// Every parallel test has a pool.
		"max_connections": "300",
		// The log of writes lies in memory too, and nobody ever reads it.
		"wal_level":       "minimal",
		"max_wal_senders": "0",
		"min_wal_size":    "32MB",
		"max_wal_size":    "128MB",
	}
	s.server, err = private.Start(ctx, s.cfg)
	return err
}

// close stops the server and removes its folder. It does nothing when no test needed one.
func (s *shared) close(ctx context.Context) error {
	var err error
	if s.server != nil {
		err = s.server.Stop(ctx)
	}
	if s.cfg.Dir != "" {
		err = errors.Join(err, private.Remove(ctx, s.cfg))
	}
	return err
}

// sweep removes what test binaries that were killed have left in base: folders of ours whose lock nobody holds.
func sweep(ctx context.Context, base string) error {
	folders, err := filepath.Glob(filepath.Join(base, folderPrefix+"*"))
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < newborn {
			continue
		}
		// Others may have put anything into theirs.
		if int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
			continue
		}
		if err := private.Remove(ctx, private.DefaultConfig(folder)); err != nil && !errors.Is(err, private.ErrInUse) {
			return fmt.Errorf("remove leftover: %w", err)
		}
	}
	return nil
}

// roomy tells whether folder exists and has need bytes free.
func roomy(folder string, need uint64) bool {
	var stat unix.Statfs_t
	return unix.Statfs(folder, &stat) == nil && stat.Bavail*uint64(stat.Bsize) >= need //nolint:gosec // a block size is positive
}
