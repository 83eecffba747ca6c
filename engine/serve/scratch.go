package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// scratchMarker tells a scratch folder from one that holds a person's files.
const scratchMarker = ".veracity-scratch"

// prepareScratch makes the folder, or empties it when it is one already. A folder with other files in it is refused: the
// setting may be a slip, and emptying cannot be undone.
func prepareScratch(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the scratch folder: %w", err)
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
