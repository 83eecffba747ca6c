package storage

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	stagingDir = "staging"
	lockName   = "lock"
)

// staging is the folder in which one process writes the files that are not blobs yet. Its lock lives as long as the
// process, so what a crash leaves behind is told from what another process is writing right now.
type staging struct {
	dir  string
	lock *os.File
}

// enterStaging sweeps what dead processes left and makes a folder for this one. Processes enter one at a time, so that
// nobody's folder is seen before its lock is held.
func enterStaging(root *os.Root) (*staging, error) {
	if err := root.MkdirAll(stagingDir, 0o700); err != nil {
		return nil, err
	}
	gate, err := lockFile(root, path.Join(stagingDir, lockName), unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer gate.Close() //nolint:errcheck // closing gives the lock up; nothing was written
	if err := sweepStaging(root); err != nil {
		return nil, fmt.Errorf("sweep unfinished files: %w", err)
	}
	dir := path.Join(stagingDir, newName())
	if err := root.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFile(root, path.Join(dir, lockName), unix.LOCK_EX|unix.LOCK_NB)
	if err != nil {
		return nil, err
	}
	return &staging{dir: dir, lock: lock}, nil
}

func sweepStaging(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), stagingDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dir := path.Join(stagingDir, e.Name())
		lock, err := lockFile(root, path.Join(dir, lockName), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			continue
		}
		if err != nil {
			return err
		}
		if err := errors.Join(root.RemoveAll(dir), lock.Close()); err != nil {
			return err
		}
	}
	return nil
}

// stagedFile is an unfinished file and its path in the store's folder.
type stagedFile struct {
	*os.File
	name string
}

// create makes an empty file under a fresh name.
func (s *staging) create(root *os.Root) (stagedFile, error) {
	name := path.Join(s.dir, newName())
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return stagedFile{File: f, name: name}, err
}

// remove takes the folder of this process away; its lock has to be closed too.
func (s *staging) remove(root *os.Root) error {
	if err := root.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("leave storage folder: %w", err)
	}
	return nil
}

// lockFile opens name, making it if need be, and takes its lock. The lock goes with the returned file.
func lockFile(root *os.Root, name string, how int) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
	}
	return f, nil
}

func newName() string { return strings.ToLower(rand.Text()) }
