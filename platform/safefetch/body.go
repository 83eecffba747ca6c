package safefetch

import (
	"context"
	"errors"
	"io"
)

// cappedBody is a response body that ends at a number of bytes and whose errors are this package's.
type cappedBody struct {
	source  io.ReadCloser
	max     int64
	left    int64
	explain func(error) error
	release context.CancelFunc
	// ended is the error that every read after the first failed one repeats.
	ended error
}

// Read delivers at most max bytes in all, then io.EOF or an [*Error].
func (b *cappedBody) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	// One byte past the cap is asked for, since only its arrival tells a body of exactly max bytes from a longer one.
	if int64(len(p))-1 > b.left {
		p = p[:b.left+1]
	}
	n, err := b.source.Read(p)
	switch {
	case int64(n) > b.left:
		n, b.ended = int(b.left), tooLarge(b.max)
	case errors.Is(err, io.EOF):
		b.ended = io.EOF
	case err != nil:
		b.ended = b.explain(err)
	}
	b.left -= int64(n)
	return n, b.ended
}

// Close drops the connection, whether or not the body was read to its end.
func (b *cappedBody) Close() error {
	b.release()
	return b.source.Close()
}
