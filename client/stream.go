package client

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// stallTime is how long no byte may move in an upload or a download.
const stallTime = time.Minute

// stall ends a transfer in which nothing moves.
type stall struct {
	timer *time.Timer
	end   func()
}

// guardStall gives a context that ends when moved has not been called for stallTime.
func guardStall(ctx context.Context) (context.Context, *stall) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(stallTime, func() { cancel(fmt.Errorf("nothing moved for %s", stallTime)) })
	return ctx, &stall{timer: timer, end: func() { timer.Stop(); cancel(nil) }}
}

func (s *stall) moved() { s.timer.Reset(stallTime) }

// outgoing is the body of an upload.
type outgoing struct {
	from  io.Reader
	total int64
	sent  func(sent, total int64)
	moved func()

	mu   sync.Mutex
	done int64
	err  error
}

// Read implements io.Reader. It runs beside the call that sends the body.
func (o *outgoing) Read(p []byte) (int, error) {
	n, err := o.from.Read(p)
	o.moved()
	o.mu.Lock()
	o.done += int64(n)
	done := o.done
	switch {
	case err == io.EOF && done < o.total: //nolint:errorlint // readers give io.EOF itself
		err = fmt.Errorf("it has %d bytes and had %d before", done, o.total)
		o.err = err
	case err != nil && err != io.EOF: //nolint:errorlint // as above
		o.err = err
	}
	o.mu.Unlock()
	if n > 0 {
		o.sent(done, o.total)
	}
	return n, err
}

// failure is why the file could not be read, nil when it could.
func (o *outgoing) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
