package media

import (
	"sync"

	"github.com/google/uuid"
)

// clipGate bounds the clips that this process fetches for an account to the job slots that the account has free: each
// of them is about to take one, and a fetch holds connections, disk and bandwidth for minutes.
type clipGate struct {
	mu       sync.Mutex
	fetching map[uuid.UUID]int
}

func newClipGate() *clipGate { return &clipGate{fetching: map[uuid.UUID]int{}} }

// enter tells whether one more fetch may begin; leave ends it.
func (g *clipGate) enter(account uuid.UUID, free int) (leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fetching[account] >= free {
		return nil, false
	}
	g.fetching[account]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.fetching[account]--; g.fetching[account] == 0 {
			delete(g.fetching, account)
		}
	}, true
}
