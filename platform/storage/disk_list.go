package storage

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"
)

// List implements Store.
func (d *disk) List(ctx context.Context, prefix string, olderThan time.Time) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Entry{}, err)
			return
		}
		stopped := false
		visit := func(e Entry) bool {
			if strings.HasPrefix(e.Key, prefix) && e.Modified.Before(olderThan) {
				stopped = !yield(e, nil)
			}
			return !stopped
		}
		err := d.within(func(root *os.Root) error { return walkBlobs(ctx, root, prefix, visit) })
		if err != nil && !stopped {
			yield(Entry{}, err)
		}
	}
}

// walkBlobs visits the blobs in the folder part of prefix until visit is false. Files and folders that vanish on the
// way were deleted meanwhile.
func walkBlobs(ctx context.Context, root *os.Root, prefix string, visit func(Entry) bool) error {
	if _, err := root.Stat(objectsDir); err != nil {
		return unavailable("list storage folder", err)
	}
	return fs.WalkDir(root.FS(), path.Join(objectsDir, path.Dir(prefix+"x")), func(name string, e fs.DirEntry, err error) error {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unavailable("list storage folder", err)
		}
		key, ok := blobKey(name)
		if !ok || e.IsDir() {
			return nil
		}
		stat, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unavailable("list storage folder", err)
		}
		entry := fileEntry(stat)
		entry.Key = key
		if !visit(entry) {
			return fs.SkipAll
		}
		return nil
	})
}
