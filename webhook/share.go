package webhook

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

// slowAfter is how long an attempt may take before its account counts as a slow one; slowFor is how long it then does.
const (
	slowAfter = 2 * time.Second
	slowFor   = 10 * time.Minute
)

// promptFor is how long an account whose receiver has answered in time is known for it.
const promptFor = time.Hour

// shares keeps receivers that hang from taking every worker of this process. One account has at most half of them, slow
// accounts together have half, and the last quarter is for those that are known to answer in time. What an account may
// have under way in all processes is the claim's to hold.
type shares struct {
	perAccount, slow, unproven int
	slowAfter                  time.Duration

	mu    sync.Mutex
	known map[uuid.UUID]standing
	under map[*visit]struct{}
	swept time.Time
}

// standing is what this process has seen of an account's receivers.
type standing struct{ slowUntil, promptUntil time.Time }

// visit is one attempt under way in this process.
type visit struct {
	account uuid.UUID
	began   time.Time
}

func newShares(cfg Config) *shares {
	half := max(1, cfg.AtOnce/2)
	return &shares{
		perAccount: min(cfg.PerAccount, half), slow: half, unproven: max(1, cfg.AtOnce*3/4),
		slowAfter: min(slowAfter, cfg.Timeout/2),
		known:     map[uuid.UUID]standing{}, under: map[*visit]struct{}{},
	}
}

// enter lets an attempt of the account begin, or returns nil when it has to wait for others. Who entered must leave.
func (s *shares) enter(account uuid.UUID) *visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	// An attempt need not end to be slow: the workers that it keeps are gone now.
	for v := range s.under {
		s.judge(v, now, false)
	}
	own, slow, unproven := 0, 0, 0
	for v := range s.under {
		if v.account == account {
			own++
		}
		switch known := s.known[v.account]; {
		case known.slowUntil.After(now):
			slow++
		case !known.promptUntil.After(now):
			unproven++
		}
	}
	known := s.known[account]
	isSlow, isPrompt := known.slowUntil.After(now), known.promptUntil.After(now)
	switch {
	case own >= s.perAccount, isSlow && slow >= s.slow, !isSlow && !isPrompt && slow+unproven >= s.unproven:
		return nil
	}
	v := &visit{account: account, began: now}
	s.under[v] = struct{}{}
	return v
}

// leave ends a visit. One that has not asked the receiver says nothing about it.
func (s *shares) leave(v *visit, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	delete(s.under, v)
	s.judge(v, now, asked)
	if now.Sub(s.swept) < time.Minute {
		return
	}
	s.swept = now
	for account, known := range s.known {
		if !known.slowUntil.After(now) && !known.promptUntil.After(now) {
			delete(s.known, account)
		}
	}
}

// judge notes what a visit tells about its account. Answers in time do not shorten the time of a slow one, or every
// fourth answer would buy three silences.
func (s *shares) judge(v *visit, now time.Time, ended bool) {
	known := s.known[v.account]
	switch slow := now.Sub(v.began) >= s.slowAfter; {
	case slow:
		known.slowUntil = now.Add(slowFor)
	case ended:
		known.promptUntil = now.Add(promptFor)
	default:
		return
	}
	s.known[v.account] = known
}
