package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// scratchMarker tells a scratch folder from one that holds a person's files.
const scratchMarker = ".veracity-scratch"

// prepareScratch makes the folder, or empties it when it is one already. A folder with other files in it is refused: the
// setting may be a slip, and emptying cannot be undone.
func prepareScratch(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the scratch folder: %w", err)
	}
	if err := requireOwn(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the scratch folder: %w", err)
	}
	marker := filepath.Join(dir, scratchMarker)
	if _, err := os.Lstat(marker); errors.Is(err, fs.ErrNotExist) && len(entries) > 0 {
		return fmt.Errorf("engine: Scratch is %q, which holds other files: an empty folder or a new one is needed", dir)
	}
	for _, entry := range entries {
		if entry.Name() == scratchMarker {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return fmt.Errorf("empty the scratch folder: %w", err)
		}
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		return fmt.Errorf("mark the scratch folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // A folder needs its x bit.
		return fmt.Errorf("close the scratch folder: %w", err)
	}
	return nil
}

// requireOwn refuses a link and a folder of another user's: in a shared place like /tmp both are traps for the media that
// pass through.
func requireOwn(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the scratch folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("engine: Scratch is %q: a folder that this user owns is needed, and no link to one", dir)
	}
	return nil
}
