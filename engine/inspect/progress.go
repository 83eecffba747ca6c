package inspect

import (
	"io"
	"sync"
)

// Shares of the parts of a clip's check in its progress, by the time that they take on a typical video.
const (
	openShare  = 0.1
	frameShare = 0.5
	laneShare  = 0.2
	soundShare = 0.2
)

// progress adds up parts that run side by side, and tells of it one at a time.
type progress struct {
	mu   sync.Mutex
	tell func(done float64)
	done float64
}

func newProgress(tell func(done float64)) *progress { return &progress{tell: tell} }

// part is how a part with the given share of the whole tells how much of it is done, 0 to 1. It never goes back.
func (p *progress) part(share float64) func(done float64) {
	var before float64
	return func(done float64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if done = min(done, 1); done <= before {
			return
		}
		p.done += (done - before) * share
		before = done
		p.tell(min(p.done, 1))
	}
}

// meter tells how much of the expected bytes has been read.
type meter struct {
	io.Reader
	expected int64
	read     int64
	tell     func(done float64)
}

// Read implements io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.read += int64(n)
	if m.expected > 0 {
		m.tell(float64(m.read) / float64(m.expected))
	}
	return n, err
}
