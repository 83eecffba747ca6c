package supervise

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	folderPrefix = "veracity-engine-"
	socketName   = "engine.sock"
	scratchName  = "scratch"
	// maxFolder leaves room for the socket's name in a unix socket's 103 bytes of path.
	maxFolder = 103 - len("/"+socketName)
	shortBase = "/tmp"
)

// folders are the private ones of one supervisor: that of the socket, and that of the scratch folder, which may be the
// same.
type folders struct{ socket, scratch string }

// privateFolders makes the folders where the settings want them.
func privateFolders(cfg Config) (folders, error) {
	socket, err := privateFolder(cfg.Dir)
	if err != nil || cfg.ScratchDir == "" {
		return folders{socket: socket, scratch: socket}, err
	}
	if err := os.MkdirAll(cfg.ScratchDir, 0o700); err != nil {
		return folders{}, errors.Join(fmt.Errorf("make ScratchDir: %w", err), os.RemoveAll(socket))
	}
	scratch, err := makeFolder(cfg.ScratchDir)
	if err != nil {
		return folders{}, errors.Join(err, os.RemoveAll(socket))
	}
	return folders{socket: socket, scratch: scratch}, nil
}

func (f folders) remove() error {
	if err := errors.Join(os.RemoveAll(f.socket), os.RemoveAll(f.scratch)); err != nil {
		return fmt.Errorf("remove the engine's folders: %w", err)
	}
	return nil
}

// privateFolder makes a folder of mode 0700 whose name tells this process's id, and removes those that processes now
// gone have left.
func privateFolder(base string) (string, error) {
	if base == "" {
		base = os.TempDir()
	}
	for {
		dir, err := makeFolder(base)
		if err != nil || len(dir) <= maxFolder {
			return dir, err
		}
		if err := os.Remove(dir); err != nil {
			return "", fmt.Errorf("remove the engine's folder: %w", err)
		}
		if base == shortBase {
			return "", fmt.Errorf("engine supervisor: Dir %q is too long for a unix socket", dir)
		}
		base = shortBase
	}
}

func makeFolder(base string) (string, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return "", fmt.Errorf("make the engine's folder: %w", err)
	}
	if err := sweep(base); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(base, folderPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("make the engine's folder: %w", err)
	}
	return dir, nil
}

// sweep removes this user's folders whose process is gone: a supervisor that was killed cannot clean up.
func sweep(base string) error {
	found, err := filepath.Glob(filepath.Join(base, folderPrefix+"*"))
	if err != nil {
		return fmt.Errorf("look for folders of engines gone: %w", err)
	}
	for _, dir := range found {
		digits, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), folderPrefix), "-")
		pid, err := strconv.Atoi(digits)
		if err != nil || pid < 1 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || !ownFolder(dir) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove the folder of an engine gone: %w", err)
		}
	}
	return nil
}

func ownFolder(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
