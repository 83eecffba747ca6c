package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// lockFile is held with flock while a server runs or is removed; the kernel lets go of it however the holder dies.
const lockFile = "lock"

// locks are the locks that one server holds: that of Dir, and that of its data when they lie elsewhere.
type locks []*os.File

func (l *locks) take(folder string) error {
	f, err := lock(folder)
	if err == nil {
		*l = append(*l, f)
	}
	return err
}

func (l locks) release() {
	for _, f := range l {
		// Closing alone does not unlock while a child that is being started still has its copy of the descriptor.
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
		_ = f.Close()
	}
}

// lock takes folder's lock, or fails with ErrInUse.
func lock(folder string) (*os.File, error) {
	path := filepath.Join(folder, lockFile)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open lock: %w", err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			holder := holderOf(f)
			_ = f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, fmt.Errorf("%s is %w%s", folder, ErrInUse, holder)
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		current, err := stillAt(f, path)
		if err != nil || !current {
			_ = f.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := signLock(f); err != nil {
			_ = f.Close()
			return nil, err
		}
		return f, nil
	}
}

// stillAt tells whether path is still the file f: a removal may have taken it away between open and flock.
func stillAt(f *os.File, path string) (bool, error) {
	held, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("look at lock: %w", err)
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at lock: %w", err)
	}
	return os.SameFile(held, named), nil
}

// signLock leaves our process id for the message of whoever is refused.
func signLock(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("sign lock: %w", err)
	}
	if _, err := fmt.Fprintf(f, "%d\n", os.Getpid()); err != nil {
		return fmt.Errorf("sign lock: %w", err)
	}
	return nil
}

// holderOf names the process that signed the lock, or "" when it has not yet done so.
func holderOf(f *os.File) string {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0)
	if pid := strings.TrimSpace(string(text[:n])); pid != "" {
		return " (process " + pid + "): stop that one first"
	}
	return ""
}
