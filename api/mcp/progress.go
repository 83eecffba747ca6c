package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// beatEvery is how often a call in progress says so: often enough for clients and proxies that take silence for the end.
const beatEvery = 3 * time.Second

// progress tells a caller who asked for it how long the call has gone on, in seconds. A nil progress tells nobody.
type progress struct {
	session *sdk.ServerSession
	token   any
	every   time.Duration
	start   time.Time

	mu      sync.Mutex
	message string
}

// newProgress is nil when the request has no progress token.
func newProgress(req *sdk.CallToolRequest, every time.Duration) *progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return &progress{session: req.Session, token: token, every: every, start: time.Now()}
}

// say changes the message of the notifications to come.
func (p *progress) say(message string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.message = message
}

// run notifies at once and then now and then, until the returned stop is called; nothing is sent after that. of is how
// long the call may take, 0 when nobody knows.
func (p *progress) run(ctx context.Context, message string, of time.Duration) (stop func()) {
	if p == nil {
		return func() {}
	}
	p.say(message)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(p.every)
		defer tick.Stop()
		for ctx.Err() == nil {
			p.notify(ctx, of)
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (p *progress) notify(ctx context.Context, of time.Duration) {
	p.mu.Lock()
	message := p.message
	p.mu.Unlock()
	// A caller who has gone is noticed by the end of ctx; who takes no notice of progress misses none of the answer.
	_ = p.session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
		ProgressToken: p.token, Message: message, Progress: time.Since(p.start).Seconds(), Total: of.Seconds(),
	})
}
