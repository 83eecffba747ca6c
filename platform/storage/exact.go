package storage

import (
	"fmt"
	"io"
)

// maxEmptyReads is how often a source may return neither bytes nor an error in a row, as in package bufio.
const maxEmptyReads = 100

// exactReader passes on a source only when it is exactly as long as declared. The last bytes are held back until the
// source has ended, so whoever counts bytes never sees a complete body of a source that is too long.
type exactReader struct {
	src  io.Reader
	size int64
	left int64
	// err is sticky: io.EOF after exactly the declared bytes, ErrSize, or the source's own error.
	err error
}

func newExactReader(src io.Reader, size int64) *exactReader {
	return &exactReader{src: src, size: size, left: size}
}

// Read implements io.Reader.
func (r *exactReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n := 0
	if r.left > 0 {
		n, r.err = r.src.Read(p[:min(int64(len(p)), r.left)])
		r.left -= int64(n)
	}
	if r.left == 0 && r.err == nil {
		r.err = r.atEnd()
	}
	switch {
	case r.err == nil:
		return n, nil
	case r.err != io.EOF: //nolint:errorlint // io.Reader promises io.EOF itself, and a wrapped one is a failure
		return 0, r.err
	case r.left > 0:
		r.err = fmt.Errorf("%w: %d of %d bytes came", ErrSize, r.size-r.left, r.size)
		return 0, r.err
	}
	return n, io.EOF
}

// atEnd is io.EOF when the source has nothing more to give.
func (r *exactReader) atEnd() error {
	var more [1]byte
	for range maxEmptyReads {
		n, err := r.src.Read(more[:])
		if n > 0 {
			return fmt.Errorf("%w: more than %d bytes came", ErrSize, r.size)
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}
