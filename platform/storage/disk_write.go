package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

const (
	copyBuffer = 256 << 10
	// placeTries bounds how often a folder that a Delete prunes at the same moment is made again.
	placeTries = 16
)

// write stores body under key: into a file of its own, synced, then moved to its place by place. That is root.Rename
// to replace what lies there, or root.Link, which fails with fs.ErrExist when something does. A crash at any point
// leaves a whole blob or none.
func (d *disk) write(
	ctx context.Context, root *os.Root, key, contentType string, body io.Reader, place func(from, to string) error,
) (err error) {
	staged, err := d.staging.create(root)
	if err != nil {
		return unavailable("write "+key, err)
	}
	defer func() {
		// After a Rename the name is gone already; after a Link it is the second name of the blob.
		if rmErr := root.Remove(staged.name); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) && err == nil {
			err = unavailable("write "+key, rmErr)
		}
	}()
	err = fill(ctx, staged.File, contentType, body)
	if closeErr := staged.Close(); err == nil && closeErr != nil {
		err = unavailable("close", closeErr)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	if err := placeBlob(root, staged.name, blobName(key), place); err != nil {
		return unavailable("write "+key, err)
	}
	return nil
}

// fill writes head and body to file and sees them to the disk.
func fill(ctx context.Context, file *os.File, contentType string, body io.Reader) error {
	if _, err := file.Write(blobHead(contentType)); err != nil {
		return unavailable("write", err)
	}
	if err := copyBody(ctx, file, body); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return unavailable("sync", err)
	}
	return nil
}

// copyBody tells errors of the source, returned as they are, from those of the store.
func copyBody(ctx context.Context, file io.Writer, body io.Reader) error {
	buf := make([]byte, copyBuffer)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := body.Read(buf)
		if n > 0 {
			if _, err := file.Write(buf[:n]); err != nil {
				return unavailable("write", err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// placeBlob moves a staged file to its name, making the folders above it, and syncs what changed.
func placeBlob(root *os.Root, staged, name string, place func(from, to string) error) error {
	dir := path.Dir(name)
	err := place(staged, name)
	for tries := 1; errors.Is(err, fs.ErrNotExist) && tries < placeTries; tries++ {
		if err := makeDirs(root, dir); err != nil {
			return err
		}
		if err = place(staged, name); err == nil {
			return syncUpTo(root, dir, objectsDir)
		}
	}
	if err != nil {
		return err
	}
	return syncUpTo(root, dir, dir)
}

// makeDirs leaves errors of a folder that is pruned meanwhile to the next try.
func makeDirs(root *os.Root, dir string) error {
	err := root.MkdirAll(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// syncUpTo syncs the entries of dir and of the folders above it up to top.
func syncUpTo(root *os.Root, dir, top string) error {
	for {
		if err := syncDir(root, dir); err != nil {
			return err
		}
		if dir == top {
			return nil
		}
		dir = path.Dir(dir)
	}
}

func syncDir(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		// Pruned after a Delete of the blob just placed: nothing is left to keep.
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
