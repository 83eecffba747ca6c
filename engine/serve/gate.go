package serve

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Why a file is not admitted.
var (
	errFull    = errors.New("the queue is full")
	errWaited  = errors.New("no place became free in time")
	errClosing = errors.New("the engine is closing")
)

// gate admits as many checks, or jobs, at once as it has places and lets a few wait, first come, first served.
type gate struct {
	places  chan struct{}
	queue   int64
	wait    time.Duration
	waiting atomic.Int64
	closed  chan struct{}
	close   func()
}

func newGate(places, queue int, wait time.Duration) *gate {
	g := &gate{places: make(chan struct{}, places), queue: int64(queue), wait: wait, closed: make(chan struct{})}
	g.close = sync.OnceFunc(func() { close(g.closed) })
	return g
}

// enter takes a place, waiting for one when there is room in the queue. leave gives it back; it may be called twice.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	leave = sync.OnceFunc(func() { <-g.places })
	select {
	case <-g.closed:
		return nil, errClosing
	default:
	}
	select {
	case g.places <- struct{}{}:
		return leave, nil
	default:
	}
	if g.waiting.Add(1) > g.queue {
		g.waiting.Add(-1)
		return nil, errFull
	}
	defer g.waiting.Add(-1)
	patience := time.NewTimer(g.wait)
	defer patience.Stop()
	select {
	case g.places <- struct{}{}:
		return leave, nil
	case <-g.closed:
		return nil, errClosing
	case <-patience.C:
		return nil, errWaited
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// running and queued are how many run and wait now.
func (g *gate) running() int { return len(g.places) }
func (g *gate) queued() int  { return int(g.waiting.Load()) }
