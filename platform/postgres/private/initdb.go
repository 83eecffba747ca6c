package private

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// initdbGrace is how long an interrupted initdb may take to clear up.
const initdbGrace = 5 * time.Second

// makeData makes the data folder when it is missing. initdb works in a folder of another name, which becomes data only
// when complete, so that an interrupted one is thrown away and done again.
func (h home) makeData(ctx context.Context, install Install, out *output, unsafe bool) error {
	if _, made, err := ownerOf(h.data()); made || err != nil {
		return err
	}
	fresh := h.data() + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("remove half-made data: %w", err)
	}
	if err := h.giveFolder(fresh); err != nil {
		return err
	}
	// The server's own hba_file, which is in force only when somebody starts it without ours, admits its user alone.
	args := []string{
		"--pgdata=" + fresh, "--username=" + Superuser, "--encoding=UTF8", "--locale=" + locale(),
		"--auth-local=peer", "--auth-host=reject",
	}
	if unsafe {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(install.Dir, "initdb"), args...) //nolint:gosec // an installed program
	h.prepare(cmd, out, syscall.SIGTERM)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = initdbGrace
	initdb, err := launch(cmd)
	if err == nil {
		<-initdb.gone
		err = initdb.err
	}
	if err != nil {
		return fmt.Errorf("make database with initdb: %w%s", err, out.quote())
	}
	if err := os.Rename(fresh, h.data()); err != nil {
		return fmt.Errorf("put data in place: %w", err)
	}
	return syncFolder(h.path)
}

// giveFolder makes an empty folder that only the server's user (and root) can enter.
func (h home) giveFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if !h.user.foreign() {
		return nil
	}
	if err := os.Lchown(path, int(h.user.uid), int(h.user.gid)); err != nil {
		return fmt.Errorf("give folder to user %s: %w", h.user.name, err)
	}
	return nil
}

// locale sorts by code point everywhere. macOS has no C.UTF-8 before version 15.
func locale() string {
	if runtime.GOOS == "darwin" {
		return "C"
	}
	return "C.UTF-8"
}

// syncFolder makes a rename within path survive a power cut.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	defer func() { _ = folder.Close() }()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}
