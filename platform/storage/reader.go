package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Reader reads a blob from anywhere in it: one ranged read for a run of bytes, begun anew after each Seek. It is for one
// goroutine, but for ReadAt, which stands by itself.
type Reader struct {
	ctx   context.Context //nolint:containedctx // io.Reader and io.ReaderAt pass none.
	store Store
	info  Info
	at    int64
	body  io.ReadCloser
}

var (
	_ io.ReadSeekCloser = (*Reader)(nil)
	_ io.ReaderAt       = (*Reader)(nil)
)

// NewReader looks the blob under key up and reads nothing of it yet. ctx governs the reading too. ErrNotFound when there
// is none.
func NewReader(ctx context.Context, store Store, key string) (*Reader, error) {
	info, err := store.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	return &Reader{ctx: ctx, store: store, info: info}, nil
}

// Info describes the blob.
func (r *Reader) Info() Info { return r.info }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if r.at >= r.info.Size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if r.body == nil {
		body, err := r.store.OpenRange(r.ctx, r.info.Key, r.at, r.info.Size-r.at)
		if err != nil {
			return 0, err
		}
		r.body = body
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	if errors.Is(err, io.EOF) && r.at < r.info.Size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Seek implements io.Seeker.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.info.Size
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek in blob: position %d", offset)
	}
	if offset != r.at {
		if err := r.Close(); err != nil {
			return 0, err
		}
		r.at = offset
	}
	return offset, nil
}

// ReadAt implements io.ReaderAt, with a request of its own each time: read in large pieces.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read blob: position %d", off)
	}
	if off >= r.info.Size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), r.info.Size-off)
	body, err := r.store.OpenRange(r.ctx, r.info.Key, off, want)
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(body, p[:want])
	if err = errors.Join(err, body.Close()); err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Close ends the read under way. The Reader may be read again after it.
func (r *Reader) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}
