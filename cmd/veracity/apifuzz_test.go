package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/account"
	"veracity/account/access"
	"veracity/api/openapi"
	"veracity/api/openapi/openapitest"
	"veracity/media"
	"veracity/platform/fault"
	"veracity/quota"
)

// fuzzTime is how long the API is fuzzed: a little in `make test`, long in `make fuzz`.
var fuzzTime = flag.Duration("apifuzz", 10*time.Second, "how long the API is fuzzed")

const (
	// fuzzers is how many clients send at the same time.
	fuzzers = 3
	// hang is how long an answer may take. It finds what hangs, so it lies far over what anything takes: a limit on speed
	// would fail on machines that do much else, as those do that run tests under the race detector.
	hang = 15 * time.Second
)

// fuzz is a service with its customers, and what they were answered.
type fuzz struct {
	*service
	// doc describes requests and is open to members that it does not name.
	doc     *openapi3.T
	sources fuzzSources
	callers []*fuzzCaller
	// assistant makes the calls of MCP that a key may make.
	assistant *fuzzCaller
	// inside is told when a request reached what no URL may lead to.
	inside *sync.Map

	mu sync.Mutex
	// jobs are all that were started, uploads all tickets that something was PUT to.
	jobs    []fuzzJob
	uploads []fuzzUpload
	// checks are the images that each account was answered for, and has to pay.
	checks map[*fuzzCaller]int64
	seen   map[string]int
}

// fuzzCaller is who sends a request.
type fuzzCaller struct {
	customer
	// serves says that the key opens the API.
	serves bool
	// leaves hangs up before the answer at times, and talks talks through tools: nobody counts what those have to pay.
	leaves, talks bool
}

type fuzzJob struct {
	owner *fuzzCaller
	id    string
}

type fuzzUpload struct {
	owner *fuzzCaller
	id    string
}

func newFuzz(t *testing.T) *fuzz {
	t.Helper()
	// What fails depends on what lies in the database by then, so no file of draws brings it back: the message has the request.
	require.NoError(t, flag.Set("rapid.nofailfile", "true"))
	require.NoError(t, flag.Set("rapid.shrinktime", "5s"))
	f := &fuzz{checks: map[*fuzzCaller]int64{}, seen: map[string]int{}, inside: &sync.Map{}}
	var err error
	f.doc, err = openapitest.Load(openapi.Document())
	require.NoError(t, err)
	hooks := newReceiver(t)
	engine := ownEngine(t) // the one that tests share shall have time for them
	var allow func(*Settings)
	f.sources, allow = newFuzzSources(t, hooks.url, f.inside)
	f.service = working(t, hooks.allow, allow, func(s *Settings) { s.Engine.Socket = engine.Socket() })
	many, few, jobs := int64(1_000_000), int64(3), 4
	often, seldom := 1_000_000, 2
	rich := account.Overrides{Credits: &many, RPM: &often, Jobs: &jobs}
	for _, plan := range []account.Overrides{rich, rich, {Credits: &few, RPM: &often, Jobs: &jobs}, {Credits: &many, RPM: &seldom, Jobs: &jobs}} {
		f.callers = append(f.callers, &fuzzCaller{customer: f.customer(plan), serves: true})
	}
	for _, state := range []account.State{account.PlanRequired, account.PaymentFailed, account.Suspended} {
		c := &fuzzCaller{customer: f.customer(rich)}
		c.in(state)
		f.callers = append(f.callers, c)
	}
	revoked := &fuzzCaller{customer: f.customer(rich)}
	require.NoError(t, f.Accounts.RevokeKey(t.Context(), access.CLI(revoked.account), revoked.keyID))
	stranger := &fuzzCaller{customer: customer{service: f.service, key: ""}}
	f.callers = append(f.callers, revoked, stranger, &fuzzCaller{customer: f.customer(rich), serves: true, leaves: true})
	f.assistant = &fuzzCaller{customer: f.customer(rich), serves: true, talks: true}
	return f
}

// Requests of all kinds, at once, from customers of all kinds: every answer is one that the API's description lists for
// that call, and is none of ours to be ashamed of; nobody sees another's jobs or uses another's files; nothing inside is
// reached; and in the end every credit is accounted for.
func TestAPIFuzzedByItsDescriptionKeepsItsWord(t *testing.T) { //nolint:tparallel // the clients are parallel within a group that ends before the books are looked at
	t.Parallel()
	f := newFuzz(t)
	t.Run("clients", func(t *testing.T) {
		for i := range fuzzers {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				f.send(t, *fuzzTime)
			})
		}
	})
	f.inside.Range(func(what, _ any) bool {
		t.Errorf("a request reached %v", what)
		return true
	})
	f.balance(t)
	for line := range strings.Lines(f.log.String()) {
		require.NotContains(t, line, `"level":"ERROR"`, "something failed, whatever its caller was told")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(f.seen)) {
		t.Logf("%6d %s", f.seen[what], what)
	}
}

// send sends requests until the time is over, and a hundred at least.
func (f *fuzz) send(t *testing.T, during time.Duration) {
	t.Helper()
	for end := time.Now().Add(during); ; {
		rapid.Check(t, func(rt *rapid.T) {
			d := &drawing{fuzz: f, rt: rt}
			d.caller = pick(d, "caller", f.callers...)
			if d.oneIn(2, "a good customer") {
				d.caller = pick(d, "one of two", f.callers[:2]...)
			}
			call := d.call()
			if problem := f.judge(t.Context(), call); problem != nil {
				rt.Fatalf("%v\nthe request was %s", problem, call)
			}
		})
		if time.Now().After(end) {
			return
		}
	}
}

// judge sends a request and says what is wrong with its answer.
func (f *fuzz) judge(ctx context.Context, call fuzzCall) error {
	if call.caller.leaves {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, call.patience)
		defer cancel()
	}
	begin := time.Now()
	r, err := call.send(ctx)
	switch took := time.Since(begin); {
	case err != nil && call.caller.leaves:
		return nil
	case err != nil:
		return fmt.Errorf("no answer: %w", err)
	case took > hang:
		return fmt.Errorf("the answer took %s", took)
	}
	if err := r.Check(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	code := codeOf(r.Body)
	if r.Status < 400 {
		code = "ok"
	}
	f.count(fmt.Sprintf("%d %s %s", r.Status, code, call.operation))
	switch {
	case r.Status >= 500 && code != string(fault.EngineUnavailable):
		return fmt.Errorf("nothing that the request may bring about answers %d %s: %s", r.Status, code, f.logged(r.Header.Get("Request-Id")))
	case r.Status < 300 && call.keyed && !call.caller.serves:
		return fmt.Errorf("%d for a key that opens nothing", r.Status)
	case r.Status < 300 && call.keyed && f.namesAnothers(call):
		return fmt.Errorf("%d for what is another account's", r.Status)
	case code == string(fault.InvalidBody) && call.valid:
		return fmt.Errorf("the description takes the body, and the API does not: %s", r.Body)
	}
	return f.note(call, r)
}

// note keeps what an answer says was begun, and what it costs.
func (f *fuzz) note(call fuzzCall, r openapitest.Answer) error {
	if r.Header.Get("Idempotent-Replayed") != "" || call.method != http.MethodPost {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch path := call.operation; {
	case r.Status == http.StatusOK && path == "/audit":
		f.checks[call.caller]++
	case r.Status == http.StatusAccepted && (path == "/audit" || path == "/optimize"):
		f.jobs = append(f.jobs, fuzzJob{call.caller, member(r.Body, "id")})
	}
	return nil
}

func (f *fuzz) count(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[what]++
}

// balance waits until all jobs have ended and demands that each account paid for what it was answered, no more and no
// less, and that nothing is held any more.
func (f *fuzz) balance(t *testing.T) {
	t.Helper()
	for _, c := range append(f.callers, f.assistant) {
		if c.account == uuid.Nil {
			continue
		}
		var b quota.Balance
		settled := assert.Eventually(t, func() bool {
			var err error
			b, err = quota.Read(t.Context(), f.DB, c.account)
			return err == nil && b.Held == 0
		}, jobPatience, 50*time.Millisecond)
		require.True(t, settled, "credits stay held; what the log warns of: %s", f.warnings())
		require.GreaterOrEqual(t, b.Available, int64(0))
		found, err := quota.Audit(t.Context(), f.DB, &c.account)
		require.NoError(t, err)
		require.Empty(t, found)
		if !c.leaves && !c.talks {
			require.Equal(t, f.owed(t, c), b.Spent, "what the answers cost, and what was charged")
		}
	}
	strays, err := media.Reconcile(t.Context(), f.DB)
	require.NoError(t, err)
	require.Empty(t, strays)
}

// owed is what a caller's image checks and jobs cost. Every clip of the fuzzer lasts half a second, and so costs 1.
func (f *fuzz) owed(t *testing.T, c *fuzzCaller) int64 {
	t.Helper()
	credits := f.checks[c]
	for _, job := range f.jobs {
		if job.owner != c {
			continue
		}
		var status, kind, medium string
		err := f.DB.QueryRow(t.Context(), `SELECT status, kind, media FROM job WHERE id = $1`, job.id).Scan(&status, &kind, &medium)
		require.NoError(t, err)
		require.Contains(t, []string{"succeeded", "failed"}, status, "nothing is held, so every job has ended")
		switch {
		case status == "failed":
		case kind == "optimize" && medium == "image":
			credits += 2
		default:
			credits++
		}
	}
	return credits
}
