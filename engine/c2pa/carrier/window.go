package carrier

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// errEnd says that the file ends before the bytes that were asked for.
var errEnd = errors.New("the file ends early")

// window reads a file through one buffer, so that walks forward cost each byte once.
type window struct {
	f     File
	block int64
	held  []byte
	at    int64
}

func newWindow(f File, block int64) *window { return &window{f: f, block: block} }

// peek gives the bytes from an offset on: n at least, and what else is at hand. They hold until the next call. The error is
// errEnd when the file has fewer, or the reader's.
func (w *window) peek(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > w.f.Size-n {
		return nil, errEnd
	}
	if at < w.at || at+n > w.at+int64(len(w.held)) {
		if err := w.fill(at, min(max(n, w.block), w.f.Size-at)); err != nil {
			return nil, err
		}
	}
	if at+n > w.at+int64(len(w.held)) {
		return nil, errEnd
	}
	return w.held[at-w.at:], nil
}

func (w *window) fill(at, n int64) error {
	w.held = slices.Grow(w.held[:0], int(n))[:n]
	got, err := w.f.R.ReadAt(w.held, at)
	w.held, w.at = w.held[:got], at
	if err != nil && !errors.Is(err, io.EOF) {
		w.held = nil
		return fmt.Errorf("read %d bytes at %d: %w", n, at, err)
	}
	return nil
}

// whole drops the end of a file that is cut short from the errors of a walk: what lies before it counts.
func whole(err error) error {
	if errors.Is(err, errEnd) {
		return nil
	}
	return err
}

// gather puts a store together from where its bytes lie.
func (f File) gather(parts []Range) ([]byte, error) {
	var size int64
	for _, p := range parts {
		size += p.Len()
	}
	if size > MaxStore {
		return nil, fmt.Errorf("%w: it has %d bytes, %d at most are read", ErrBroken, size, MaxStore)
	}
	store := make([]byte, 0, size)
	for _, p := range parts {
		end := len(store) + int(p.Len())
		if _, err := io.ReadFull(io.NewSectionReader(f.R, p.Start, p.Len()), store[len(store):end]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, fmt.Errorf("%w: the file ends inside it", ErrBroken)
			}
			return nil, fmt.Errorf("read the manifest store at %d: %w", p.Start, err)
		}
		store = store[:end]
	}
	return store, nil
}

// only makes Found of a store that lies in one piece, the content of a box that is there for nothing else.
func (f File) only(where string, framed, content Range) (*Found, error) {
	store, err := f.gather([]Range{content})
	if err != nil {
		return nil, err
	}
	if !isStore(store) {
		return nil, fmt.Errorf("%w: %s holds something else", ErrBroken, where)
	}
	return &Found{Store: store, Where: where, Ranges: []Range{framed}}, nil
}
