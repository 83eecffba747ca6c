// Package trust keeps the lists of whom to trust: a folder of files that operators and `veracity trust update` keep fresh,
// and that running engines read anew when it changes. What the lists mean is told by engine/c2pa/certs.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"veracity/engine/c2pa/certs"
)

// lookEvery is how often a folder is looked at for changes.
const lookEvery = 30 * time.Second

// Folder is a folder of trust lists as an engine uses it. It may be used by many at once.
type Folder struct {
	dir string
	log *slog.Logger

	mu     sync.Mutex
	looked time.Time
	print  string
	lists  *certs.Lists
}

// Open reads the folder. One that is not there, or none at all (""), trusts nobody until it appears; a list that cannot be
// read is an error that names it.
func Open(dir string, log *slog.Logger) (*Folder, error) {
	f := &Folder{dir: dir, log: log, lists: &certs.Lists{}}
	if dir == "" {
		return f, nil
	}
	print, err := fingerprint(dir)
	if err != nil {
		return nil, fmt.Errorf("read trust lists: %w", err)
	}
	lists, err := certs.Load(dir)
	if err != nil {
		return nil, fmt.Errorf("read trust lists: %w", err)
	}
	f.lists, f.print, f.looked = lists, print, time.Now()
	return f, nil
}

// Lists are the lists as they are now. Ones that have become unreadable leave those before them in force, and are logged.
func (f *Folder) Lists() *certs.Lists {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" || time.Since(f.looked) < lookEvery {
		return f.lists
	}
	f.looked = time.Now()
	print, err := fingerprint(f.dir)
	if err != nil {
		f.log.Error("trust lists cannot be looked at", "error", err)
		return f.lists
	}
	if print == f.print {
		return f.lists
	}
	lists, err := certs.Load(f.dir)
	if err != nil {
		f.log.Error("trust lists cannot be read: those from before stay in force", "error", err)
		return f.lists
	}
	f.lists, f.print = lists, print
	f.log.Info("trust lists read", "anchors", lists.Anchors, "time_stamp_anchors", lists.StampAnchors, "allowed", lists.Allowed)
	return f.lists
}

// fingerprint changes when a file of the folder does.
func fingerprint(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return b.String(), nil
}
