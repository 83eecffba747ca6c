package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Reader reads a blob from anywhere in it: one ranged read for a run of bytes, begun anew after each Seek. A read that
// breaks off is resumed a few times in a row before its error is told; an error at its start and ErrNotFound are told at
// once. It is for one goroutine, but for ReadAt, which stands by itself.
type Reader struct {
	run stretch
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
	return &Reader{stretch{ctx: ctx, store: store, info: info, end: info.Size}}, nil
}

// Info describes the blob.
func (r *Reader) Info() Info { return r.run.info }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) { return r.run.Read(p) }

// Seek implements io.Seeker.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.run.at
	case io.SeekEnd:
		offset += r.run.info.Size
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek in blob: position %d", offset)
	}
	if offset != r.run.at {
		if err := r.Close(); err != nil {
			return 0, err
		}
		r.run = r.part(offset, r.run.info.Size)
	}
	return offset, nil
}

// part is an unbegun read of the bytes from at to end.
func (r *Reader) part(at, end int64) stretch {
	return stretch{ctx: r.run.ctx, store: r.run.store, info: r.run.info, at: at, end: end, broke: at}
}

// ReadAt implements io.ReaderAt, with a request of its own each time: read in large pieces.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read blob: position %d", off)
	}
	if off >= r.run.info.Size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), r.run.info.Size-off)
	part := r.part(off, off+want)
	n, err := io.ReadFull(&part, p[:want])
	if err = errors.Join(err, part.Close()); err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Close ends the read under way. The Reader may be read again after it.
func (r *Reader) Close() error { return r.run.Close() }
