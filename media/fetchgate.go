package media

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"veracity/platform/fault"
)

const (
	// fetchShare is the part of all fetches at once that one account may have: a quarter.
	fetchShare = 4
	// fetchWait is how long a fetch waits for its turn.
	fetchWait = 10 * time.Second
	// fetchRetry is how long a caller without a turn is asked to wait.
	fetchRetry = 2 * time.Second
)

// fetchGate bounds the fetches under way, in all and for each account, so that one customer's slow servers do not keep
// everybody else waiting.
type fetchGate struct {
	all   *semaphore.Weighted
	share int64
	wait  time.Duration

	mu       sync.Mutex
	accounts map[uuid.UUID]*turns
}

// turns are one account's places; users counts who holds or awaits one, so that an idle account leaves nothing behind.
type turns struct {
	places *semaphore.Weighted
	users  int
}

func newFetchGate(atOnce int64, wait time.Duration) *fetchGate {
	return &fetchGate{
		all: semaphore.NewWeighted(atOnce), share: max(1, atOnce/fetchShare), wait: wait, accounts: map[uuid.UUID]*turns{},
	}
}

// enter waits for a turn. The refusal is engine_unavailable; the end of ctx is ctx's own error.
func (g *fetchGate) enter(ctx context.Context, account uuid.UUID) (leave func(), err error) {
	limited, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	own := g.join(account)
	err = own.places.Acquire(limited, 1)
	if err == nil {
		if err = g.all.Acquire(limited, 1); err != nil {
			own.places.Release(1)
		}
	}
	if err == nil {
		return func() { g.all.Release(1); own.places.Release(1); g.part(account) }, nil
	}
	g.part(account)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("wait to fetch: %w", ctx.Err())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fault.New(fault.EngineUnavailable, "Too many files are on their way here right now. Try again in a moment.").
			WithRetryAfter(fetchRetry)
	}
	return nil, fmt.Errorf("wait to fetch: %w", err)
}

func (g *fetchGate) join(account uuid.UUID) *turns {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.accounts[account]
	if t == nil {
		t = &turns{places: semaphore.NewWeighted(g.share)}
		g.accounts[account] = t
	}
	t.users++
	return t
}

func (g *fetchGate) part(account uuid.UUID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.accounts[account]
	if t.users--; t.users == 0 {
		delete(g.accounts, account)
	}
}
