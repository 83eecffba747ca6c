package probe

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// Blocks reads pieces of a large file, which may lie in remote storage, through few and bounded reads: each read takes a
// block, and pieces within the block last read cost none. It is used by one goroutine at a time.
type Blocks struct {
	r     io.ReaderAt
	size  int64
	block int64
	// left is how many bytes may still be read.
	left   int64
	window []byte
	at     int64
	err    error
}

// NewBlocks reads r, size bytes long, in blocks of block bytes, and takes no more than allowance bytes from it.
func NewBlocks(r io.ReaderAt, size int64, block int, allowance int64) *Blocks {
	return &Blocks{r: r, size: size, block: int64(block), left: allowance}
}

// Size is the length of the file in bytes.
func (b *Blocks) Size() int64 { return b.size }

// Bytes gives the n bytes at offset at; they hold until the next call. Beyond the end of the file the error wraps
// [ErrMalformed], beyond the allowance [ErrExcessive]; else it is the reader's, and every later call answers it again.
func (b *Blocks) Bytes(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > b.size || n > b.size-at {
		return nil, malformed("%d bytes at %d run past the end at %d", n, at, b.size)
	}
	if at >= b.at && at+n <= b.at+int64(len(b.window)) {
		return b.window[at-b.at:][:n], nil
	}
	if b.err != nil {
		return nil, b.err
	}
	if n > b.left {
		return nil, excessive("more to read than is allowed for")
	}
	if err := b.fill(at, min(max(n, b.block), b.size-at, b.left)); err != nil {
		return nil, err
	}
	if n > int64(len(b.window)) {
		return nil, malformed("the file ends before %d", at+n)
	}
	return b.window[:n], nil
}

// fill makes the window the n bytes at offset at, fewer when the file is shorter than it was said to be.
func (b *Blocks) fill(at, n int64) error {
	b.left -= n
	window := make([]byte, n)
	got, err := b.r.ReadAt(window, at)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = fmt.Errorf("read %d bytes at %d: %w", n, at, err)
		return b.err
	}
	b.window, b.at = window[:got], at
	return nil
}

// Box is a box of an ISO base media file by its place: the body lies from Body up to End.
type Box struct {
	Kind      string
	Body, End int64
}

// Len is the length of the body in bytes.
func (x Box) Len() int64 { return x.End - x.Body }

// Boxes walks the boxes between two offsets (ISO/IEC 14496-12, section 4.2), at most limit of them, without reading
// their bodies. What cannot be read or cannot be a box ends the walk with an error as [Blocks.Bytes] gives it; the few
// zero bytes that QuickTime leaves at the end of a container are none.
func (b *Blocks) Boxes(at, end int64, limit int) iter.Seq2[Box, error] {
	return func(yield func(Box, error) bool) {
		for n := 0; end-at >= 8; n++ {
			x, err := b.box(at, end)
			if err == nil && n == limit {
				err = excessive("more than %d boxes side by side", limit)
			}
			if !yield(x, err) || err != nil {
				return
			}
			at = x.End
		}
	}
}

func (b *Blocks) box(at, end int64) (Box, error) {
	head, err := b.Bytes(at, min(16, end-at))
	if err != nil {
		return Box{}, err
	}
	c := cursor{data: head}
	size, kind, header := uint64(c.be32()), string(c.take(4)), uint64(8)
	switch size {
	case 0: // Up to the end of the file.
		size = uint64(end - at) //nolint:gosec // The end is never before the start.
	case 1:
		size, header = c.be64(), 16
	}
	if c.failed || size < header || size > uint64(end-at) { //nolint:gosec // As above.
		return Box{}, malformed("box %q of %d bytes at %d runs past its container", kind, size, at)
	}
	return Box{Kind: kind, Body: at + int64(header), End: at + int64(size)}, nil //nolint:gosec // Within the file.
}
