package mcp

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"time"

	"github.com/google/uuid"

	"veracity/api"
	"veracity/media"
	"veracity/platform/fault"
)

const (
	// maxWait is how long a read may wait for the end of a job: well within the minute after which clients give up.
	maxWait = 25
	// A wait looks after the first pause, and then ever more seldom.
	firstLook = 250 * time.Millisecond
	maxLook   = time.Second
	// waitsAtOnce is how many waits of one account are under way in this process; a read beyond them answers at once.
	waitsAtOnce = 20
)

// wait reads wait_seconds, 0 when it is left out.
func (a arguments) wait() (time.Duration, error) {
	raw, ok := a[argWait]
	if !ok {
		return 0, nil
	}
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || seconds < 0 || seconds > maxWait || seconds != math.Trunc(seconds) {
		return 0, fault.New(fault.InvalidParameter, "wait_seconds must be a whole number from 0 to %d.", maxWait)
	}
	return time.Duration(seconds) * time.Second, nil
}

// await reads a job until it has ended, for as long as wait says. It gives what it read last; a caller who hangs up ends
// the wait and not the job.
func (s *Server) await(ctx context.Context, p *progress, wait time.Duration, read func(context.Context) ([]byte, error)) ([]byte, media.Status, error) {
	end := time.Now().Add(wait)
	body, status, err := look(ctx, read)
	if err != nil || ended(status) || wait == 0 {
		return body, status, err
	}
	account := api.AccountOf(ctx)
	if !s.waits.enter(account) {
		return body, status, nil
	}
	defer s.waits.leave(account)
	defer p.run(ctx, "The job is "+string(status)+".", wait)()
	for pause := firstLook; ; pause = min(pause*3/2, maxLook) {
		left := time.Until(end)
		if left <= 0 {
			return body, status, nil
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-s.stop:
			return body, status, nil
		case <-time.After(min(pause, left)):
		}
		if body, status, err = look(ctx, read); err != nil || ended(status) {
			return body, status, err
		}
		p.say("The job is " + string(status) + ".")
	}
}

// look reads a job and its status.
func look(ctx context.Context, read func(context.Context) ([]byte, error)) ([]byte, media.Status, error) {
	body, err := read(ctx)
	if err != nil {
		return nil, "", err
	}
	var job struct {
		Status media.Status `json:"status"`
	}
	err = json.Unmarshal(body, &job)
	return body, job.Status, err
}

func ended(s media.Status) bool { return s == media.Succeeded || s == media.Failed }

// waits counts the waits of each account.
type waits struct {
	mu sync.Mutex
	of map[uuid.UUID]int
}

func newWaits() *waits { return &waits{of: map[uuid.UUID]int{}} }

func (w *waits) enter(account uuid.UUID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[account] >= waitsAtOnce {
		return false
	}
	w.of[account]++
	return true
}

func (w *waits) leave(account uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[account]--; w.of[account] == 0 {
		delete(w.of, account)
	}
}
