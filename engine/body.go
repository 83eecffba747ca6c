package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// What a request reads that comes too early or outlived its check.
var (
	errNotAdmitted = errors.New("the engine has not admitted the file")
	errSealed      = errors.New("the call is over")
)

// gatedBody is a Source on its way into one request. It stays shut until the engine's 100 Continue; its first Read then
// calls Admitted. It hands over exactly the promised bytes, and remembers a failure that is the source's own, so that the
// caller gets it back as it is.
type gatedBody struct {
	ctx context.Context //nolint:containedctx // A request's body is read by the transport, which passes no context.
	src Source

	mu       sync.Mutex
	left     int64
	opened   bool
	admitted bool
	sealed   bool
	failure  error
}

func newGatedBody(ctx context.Context, src Source) *gatedBody {
	return &gatedBody{ctx: ctx, src: src, left: src.Size}
}

// Read implements io.Reader.
func (b *gatedBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.sealed:
		return 0, errSealed
	case !b.opened:
		return 0, errNotAdmitted
	case b.failure != nil:
		return 0, b.failure
	case b.left == 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	if !b.admitted {
		b.admitted = true
		if b.src.Admitted != nil {
			if b.failure = b.src.Admitted(b.ctx); b.failure != nil {
				return 0, b.failure
			}
		}
	}
	return b.next(p)
}

// next reads on. The last bytes are held back until the source has shown its end, so that a source longer than its Size
// never looks whole to the engine.
func (b *gatedBody) next(p []byte) (int, error) {
	n, err := b.src.Body.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if errors.Is(err, io.EOF) {
		if b.left > 0 {
			b.failure = fmt.Errorf("send file: %d bytes are missing: %w", b.left, io.ErrUnexpectedEOF)
		}
		return n, b.failure
	}
	if err == nil && b.left == 0 {
		err = expectEnd(b.src.Body)
	}
	if err != nil {
		b.failure = err
		return 0, err
	}
	return n, nil
}

// expectEnd answers nil where r holds nothing more.
func expectEnd(r io.Reader) error {
	var extra [1]byte
	n, err := io.ReadFull(r, extra[:])
	switch {
	case n > 0:
		return errors.New("send file: the source is longer than its size")
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// Close implements io.Closer. The source belongs to the caller and stays open.
func (b *gatedBody) Close() error { return nil }

// open lets the source be read from now on.
func (b *gatedBody) open() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened = true
}

// seal ends the use of the source: it waits for a Read under way and lets none follow. It answers the failure that is the
// source's own.
func (b *gatedBody) seal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sealed = true
	return b.failure
}
