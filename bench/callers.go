package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

const (
	callers = 200
	// callsEach times callers is twice what the account may spend.
	callsEach = 4
	granted   = callers * callsEach / 2
)

// measureCallers has many callers spend one account's credits at once, and then one caller what is left: what is spent
// must be what was granted, and every refusal one of the contract's.
func measureCallers(ctx context.Context, r *rig, t *table) error {
	c, err := r.program.customer(ctx, "crowd", granted)
	if err != nil {
		return err
	}
	p, err := r.draw(320, 240)
	if err != nil {
		return err
	}
	body, err := p.byBase64()
	if err != nil {
		return err
	}
	client := newClient(callers)
	defer client.CloseIdleConnections()
	crowd, err := r.storm(ctx, client, c, body)
	if err != nil {
		return err
	}
	afterCrowd, err := r.program.books(ctx, c)
	if err != nil {
		return err
	}
	rest, err := r.spendRest(ctx, client, c, body)
	if err != nil {
		return err
	}
	end, err := r.program.books(ctx, c)
	if err != nil {
		return err
	}
	t.note("%d callers, %d calls each, %d credits: %s", callers, callsEach, granted, crowd)
	t.note("then one caller until the credits are gone: %s", rest)
	t.add(row{
		what:    fmt.Sprintf("credits spent by %d concurrent callers, then by one", callers),
		figure:  fmt.Sprintf("%d + %d", afterCrowd.Credits.Spent, end.Credits.Spent-afterCrowd.Credits.Spent),
		against: fmt.Sprintf("granted %d", granted), ratio: fmt.Sprintf("%.2f", float64(end.Credits.Spent)/granted),
		aim: "exactly 1", met: end.Credits.Spent == granted,
	})
	broken := slices.Concat(crowd.broken(), rest.broken(), afterStorm(afterCrowd, crowd), afterAll(end, crowd, rest))
	t.add(row{
		what: "answers beside the contract, false books", figure: strconv.Itoa(len(broken)), against: "none", aim: "none",
		met: len(broken) == 0,
	})
	if len(broken) > 0 {
		return errors.New("a guarantee broke: " + strings.Join(broken, "; "))
	}
	return nil
}

// storm lets all callers go at once, each its next call when the last is answered.
func (r *rig) storm(ctx context.Context, client *http.Client, c customer, body []byte) (tally, error) {
	tallies := make([]tally, callers)
	begin := make(chan struct{})
	group, ctx := errgroup.WithContext(ctx)
	for i := range tallies {
		tallies[i] = tally{}
		group.Go(func() error {
			<-begin
			for range callsEach {
				o, err := r.check(ctx, client, c.key, body)
				if err != nil {
					return err
				}
				tallies[i].count(o)
			}
			return nil
		})
	}
	close(begin)
	err := group.Wait()
	all := tally{}
	for _, one := range tallies {
		for a, n := range one {
			all[a] += n
		}
	}
	return all, err
}

// spendRest calls until the account has nothing left, and never more often than the account has credits.
func (r *rig) spendRest(ctx context.Context, client *http.Client, c customer, body []byte) (tally, error) {
	all := tally{}
	for range granted + 1 {
		o, err := r.check(ctx, client, c.key, body)
		if err != nil {
			return all, err
		}
		all.count(o)
		if o.status != http.StatusOK {
			break
		}
	}
	return all, nil
}

// answer is a kind of answer: its status, its code and whether it says when to try again.
type answer struct {
	status     int
	code       string
	retryAfter bool
}

// tally counts answers by kind.
type tally map[answer]int

func (t tally) count(o outcome) { t[answer{o.status, o.Code, o.retryAfter != ""}]++ }

func (t tally) succeeded() int { return t[answer{status: http.StatusOK}] }

// allowed are the answers that the API's contract has for an account's last credits and a full engine.
var allowed = []answer{
	{status: http.StatusOK},
	{status: http.StatusPaymentRequired, code: "quota_exceeded"},
	{status: http.StatusServiceUnavailable, code: "engine_unavailable", retryAfter: true},
}

// broken lists the answers that are not allowed.
func (t tally) broken() []string {
	var found []string
	for a, n := range t {
		if !slices.Contains(allowed, a) {
			found = append(found, fmt.Sprintf("%d answers %s", n, a))
		}
	}
	return found
}

func (t tally) String() string {
	kinds := slices.SortedFunc(maps.Keys(t), func(a, b answer) int { return a.status - b.status })
	lines := make([]string, len(kinds))
	for i, a := range kinds {
		lines[i] = fmt.Sprintf("%d × %s", t[a], a)
	}
	return strings.Join(lines, ", ")
}

func (a answer) String() string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", a.status, a.code))
	if a.retryAfter {
		text += " with Retry-After"
	}
	return text
}

// afterStorm lists what is wrong with the books when all calls of the storm have been answered.
func afterStorm(b books, crowd tally) []string {
	var found []string
	if b.Credits.Spent != crowd.succeeded() {
		found = append(found, fmt.Sprintf("%d credits were spent on %d successful checks", b.Credits.Spent, crowd.succeeded()))
	}
	if b.Credits.Held != 0 {
		found = append(found, fmt.Sprintf("%d credits are still held after the last answer", b.Credits.Held))
	}
	return found
}

// afterAll lists what is wrong with the books once nothing is left.
func afterAll(b books, crowd, rest tally) []string {
	var found []string
	if b.Credits.Granted != granted || b.Credits.Spent != granted {
		found = append(found, fmt.Sprintf("%d of %d credits are spent, not all %d", b.Credits.Spent, b.Credits.Granted, granted))
	}
	if n := crowd.succeeded() + rest.succeeded(); n != granted {
		found = append(found, fmt.Sprintf("%d checks succeeded on %d credits", n, granted))
	}
	return found
}
