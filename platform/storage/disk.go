package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// The folder of a disk store:
//
//	objects/KEY.blob    a head of 512 bytes (see blobHead), then the bytes; the dot keeps files and folders of keys apart
//	staging/lock        held while a process enters
//	staging/ID/         the unfinished files of one process, swept by the next one that enters once ID/lock is free
const (
	objectsDir = "objects"
	blobSuffix = ".blob"
)

// disk is the store of a single machine. Every call opens the folder anew, so that a folder that went away, as a
// volume does, is seen, and one that came back is used again. All paths go through os.Root and cannot leave it.
type disk struct {
	dir     string
	cfg     Config
	signer  ticketSigner
	staging *staging
	log     *slog.Logger
}

func openDisk(cfg Config, dir string, log *slog.Logger) (*disk, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find storage folder: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, objectsDir), 0o700); err != nil {
		return nil, unavailable("make storage folder", err)
	}
	signer, err := newTicketSigner(cfg.TicketSecret, cfg.PublicURL)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unavailable("open storage folder", err)
	}
	defer root.Close() //nolint:errcheck // read-only handle of a folder
	staging, err := enterStaging(root)
	if err != nil {
		return nil, unavailable("enter storage folder", err)
	}
	return &disk{dir: dir, cfg: cfg, signer: signer, staging: staging, log: log}, nil
}

// within runs act in the store's folder.
func (d *disk) within(act func(root *os.Root) error) error {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return unavailable("open storage folder", err)
	}
	defer root.Close() //nolint:errcheck // read-only handle of a folder
	return act(root)
}

// Put implements Store.
func (d *disk) Put(ctx context.Context, key string, body io.Reader, size int64, contentType string) error {
	if err := checkBlob(key, size, contentType); err != nil {
		return err
	}
	return d.within(func(root *os.Root) error {
		return d.write(ctx, root, key, contentType, newExactReader(body, size), root.Rename)
	})
}

// Open implements Store.
func (d *disk) Open(ctx context.Context, key string) (io.ReadCloser, Info, error) {
	var (
		blob *blobReader
		info Info
	)
	err := d.locate(ctx, key, func(root *os.Root, name string) (err error) {
		blob, info, err = openBlob(ctx, root, name)
		return err
	})
	if err != nil {
		return nil, Info{}, fmt.Errorf("open %s: %w", key, err)
	}
	info.Key = key
	return blob, info, nil
}

// OpenRange implements Store.
func (d *disk) OpenRange(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := checkRange(offset, length); err != nil {
		return nil, err
	}
	var blob *blobReader
	err := d.locate(ctx, key, func(root *os.Root, name string) (err error) {
		blob, _, err = openBlob(ctx, root, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, err)
	}
	if _, err := blob.file.Seek(headSize+offset, io.SeekStart); err != nil {
		return nil, errors.Join(unavailable("seek in blob", err), blob.Close())
	}
	return limited{io.LimitReader(blob, length), blob}, nil
}

// limited is a reader of a part that closes the whole.
type limited struct {
	io.Reader
	io.Closer
}

// Stat implements Store.
func (d *disk) Stat(ctx context.Context, key string) (Info, error) {
	blob, info, err := d.Open(ctx, key)
	if err != nil {
		return Info{}, err
	}
	return info, blob.Close()
}

// Delete implements Store.
func (d *disk) Delete(ctx context.Context, key string) error {
	err := d.locate(ctx, key, func(root *os.Root, name string) error {
		if err := root.Remove(name); err != nil {
			return err
		}
		pruneDirs(root, name)
		return nil
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// locate runs act on the file of key and translates its error. A missing file is ErrNotFound only where the folder of
// all blobs is there: the mount point of a lost volume knows nothing about any key.
func (d *disk) locate(ctx context.Context, key string, act func(root *os.Root, name string) error) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.within(func(root *os.Root) error {
		err := act(root, blobName(key))
		if err == nil || errors.Is(err, errDamaged) {
			return err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return unavailable("use blob file", err)
		}
		if _, err := root.Stat(objectsDir); err != nil {
			return unavailable("look into storage folder", err)
		}
		return ErrNotFound
	})
}

// Ready implements Store: it makes and removes a file where blobs are written.
func (d *disk) Ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.within(func(root *os.Root) error {
		if _, err := root.Stat(objectsDir); err != nil {
			return unavailable("look into storage folder", err)
		}
		f, err := d.staging.create(root)
		if err != nil {
			return unavailable("write into storage folder", err)
		}
		if err := errors.Join(f.Close(), root.Remove(f.name)); err != nil {
			return unavailable("write into storage folder", err)
		}
		return nil
	})
}

// Ticket implements Store.
func (d *disk) Ticket(ctx context.Context, req TicketRequest) (Ticket, error) {
	if err := req.check(time.Now()); err != nil {
		return Ticket{}, err
	}
	if err := d.Ready(ctx); err != nil {
		return Ticket{}, fmt.Errorf("ticket for %s: %w", req.Key, err)
	}
	return d.signer.ticket(req), nil
}

// Close implements Store.
func (d *disk) Close() error {
	return errors.Join(d.within(d.staging.remove), d.staging.lock.Close())
}
