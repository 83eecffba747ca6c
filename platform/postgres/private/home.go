package private

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// locationFile says in Dir where the data are when they are not in Dir.
	locationFile = "location"
	// originFile says beside such data which Dir they belong to.
	originFile = "origin"
)

// home is where the parts of one server lie. The folder at path belongs to whoever starts the server; only data and
// socket folder belong to the server's user, so that a root that writes here follows nobody else's links.
type home struct {
	// dir is Config.Dir, absolute and without symbolic links: log, lock and location.
	dir string
	// path holds everything else: dir itself, or a folder of StateDir.
	path string
	user osUser
}

func (h home) data() string { return filepath.Join(h.path, "data") }

// hold makes dir, takes its lock and says where its server lives, after settle had its say. The caller gives the locks
// back, those that come with an error too.
func hold(cfg Config, settle func(home, Config) (home, error)) (home, locks, error) {
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return home{}, nil, fmt.Errorf("make folder: %w", err)
	}
	dir, err := resolve(cfg.Dir)
	if err != nil {
		return home{}, nil, err
	}
	var held locks
	if err := held.take(dir); err != nil {
		return home{}, nil, err
	}
	h, err := locate(cfg, dir)
	if err != nil {
		return home{}, held, err
	}
	if h, err = settle(h, cfg); err != nil {
		return home{}, held, err
	}
	// A copied Dir names the same data as the original, which has another lock.
	if h.path != dir {
		err = held.take(h.path)
	}
	return h, held, err
}

// resolve gives the absolute path of folder without symbolic links.
func resolve(folder string) (string, error) {
	path, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", folder, err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", fmt.Errorf("find %s: %w", folder, err)
	}
	return path, nil
}

// locate finds the server that dir, a resolved path, has or would have in dir itself. It makes nothing.
func locate(cfg Config, dir string) (home, error) {
	h := home{dir: dir, path: dir}
	elsewhere, err := os.ReadFile(filepath.Join(dir, locationFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return home{}, fmt.Errorf("read where the data are: %w", err)
	default:
		h.path = filepath.Clean(strings.TrimSpace(string(elsewhere)))
		if err := h.checkElsewhere(cfg.StateDir); err != nil {
			return home{}, err
		}
	}
	h.user, err = serverUser(h.data())
	return h, err
}

// checkElsewhere refuses a location that has gone, which would otherwise begin an empty database in silence, and one
// outside StateDir, where a root that trusts somebody else's Dir must not write.
func (h home) checkElsewhere(stateDir string) error {
	note := filepath.Join(h.dir, locationFile)
	if filepath.Dir(h.path) != filepath.Clean(stateDir) {
		return fmt.Errorf("%s names %q: want a folder in %s", note, h.path, stateDir)
	}
	if _, err := os.Stat(h.path); err != nil {
		return fmt.Errorf("the database of %s has gone: %w (bring it back, or remove %s to begin anew)", h.dir, err, note)
	}
	return nil
}

// settle makes h's folder enterable for the server's user, and where that cannot be done moves h to StateDir. It is
// called with dir's lock held.
func (h home) settle(cfg Config) (home, error) {
	if !h.user.foreign() {
		return h, nil
	}
	if err := letPass(h.path); err != nil {
		return home{}, err
	}
	blocked, err := unreachable(h.path, h.user)
	if err != nil || blocked == "" {
		return h, err
	}
	if _, made, err := ownerOf(h.data()); made || err != nil || h.path != h.dir {
		return home{}, fmt.Errorf("user %s cannot reach %s: allow it to pass with \"chmod o+x %s\"", h.user.name, h.path, blocked)
	}
	return h.moveOut(cfg)
}

// moveOut gives h a fresh folder in StateDir. Its name is never used twice, so that a Dir that was removed and made
// again begins with an empty database rather than with one whose secrets are lost.
func (h home) moveOut(cfg Config) (home, error) {
	if err := os.MkdirAll(cfg.StateDir, 0o711); err != nil { //nolint:gosec // the server's user must pass through
		return home{}, fmt.Errorf("make folder: %w", err)
	}
	sum := sha256.Sum256([]byte(h.dir))
	prefix := hex.EncodeToString(sum[:6]) + "-"
	earlier, err := filepath.Glob(filepath.Join(cfg.StateDir, prefix+"*"))
	if err != nil {
		return home{}, fmt.Errorf("look for earlier databases: %w", err)
	}
	for _, path := range earlier {
		cfg.Logger.Warn("an earlier database of this folder is left; remove it when nobody needs it",
			slog.String("dir", h.dir), slog.String("data", path))
	}
	if h.path, err = os.MkdirTemp(cfg.StateDir, prefix); err != nil {
		return home{}, fmt.Errorf("make folder for data: %w", err)
	}
	if err := letPass(h.path); err != nil {
		return home{}, err
	}
	if blocked, err := unreachable(h.path, h.user); err != nil || blocked != "" {
		return home{}, errors.Join(fmt.Errorf("user %s can reach neither %s nor %s", h.user.name, h.dir, h.path), err)
	}
	if err := writeFile(filepath.Join(h.path, originFile), h.dir+"\n", 0o600); err != nil {
		return home{}, err
	}
	return h, writeFile(filepath.Join(h.dir, locationFile), h.path+"\n", 0o600)
}

// letPass lets others walk through a folder of root's without listing it.
func letPass(path string) error {
	owner, _, err := ownerOf(path)
	if err != nil || owner != 0 {
		return err
	}
	if err := os.Chmod(path, 0o711); err != nil { //nolint:gosec // the server's user must pass through
		return fmt.Errorf("let the server's user pass: %w", err)
	}
	return nil
}

// unreachable gives the first folder on the way down to path that u may not enter, or "".
func unreachable(path string, u osUser) (string, error) {
	var blocked string
	for folder := path; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if err != nil {
			return "", fmt.Errorf("look at %s: %w", folder, err)
		}
		if !mayEnter(info, u) {
			blocked = folder
		}
		if folder == filepath.Dir(folder) {
			return blocked, nil
		}
	}
}

func mayEnter(info fs.FileInfo, u osUser) bool {
	stat := info.Sys().(*syscall.Stat_t)
	switch {
	case stat.Uid == u.uid:
		return info.Mode()&0o100 != 0
	case stat.Gid == u.gid:
		return info.Mode()&0o010 != 0
	default:
		return info.Mode()&0o001 != 0
	}
}

// writeFile replaces path in one step, so that a power cut leaves the old text or the new one.
func writeFile(path, text string, mode fs.FileMode) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, []byte(text), mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Chmod(fresh, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
