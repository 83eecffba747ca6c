package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/client"
)

// flaky stands before a service and spoils what passes through it.
type flaky struct {
	mu sync.Mutex
	// spoils is what becomes of the next requests to a path, one by one.
	spoils map[string][]spoil
	// came are the times of requests by path.
	came map[string][]time.Time
}

// spoil answers a request in place of the service, which it may ask.
type spoil func(w http.ResponseWriter, r *http.Request, service http.Handler)

// newFlaky gives a proxy, and the change that puts it before a service. Uploads and downloads pass through it too.
func newFlaky(t *testing.T) (*flaky, func(*Settings)) {
	t.Helper()
	f := &flaky{spoils: map[string][]spoil{}, came: map[string][]time.Time{}}
	proxy := &httputil.ReverseProxy{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if spoiled := f.next(r); spoiled != nil {
			spoiled(w, r, proxy)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return f, func(s *Settings) {
		target, err := url.Parse(s.BaseURL)
		require.NoError(t, err)
		proxy.Rewrite = func(p *httputil.ProxyRequest) { p.SetURL(target) }
		s.BaseURL = srv.URL
	}
}

func (f *flaky) next(r *http.Request) spoil {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := nameOf(r)
	f.came[path] = append(f.came[path], time.Now())
	due := f.spoils[path]
	if len(due) == 0 {
		return nil
	}
	f.spoils[path] = due[1:]
	return due[0]
}

// nameOf is a request's method and path without ids.
func nameOf(r *http.Request) string {
	switch path := r.URL.Path; {
	case r.Method == http.MethodPut:
		return "PUT"
	case strings.HasSuffix(path, "/file"):
		return "GET file"
	case r.Method == http.MethodGet:
		return "GET job"
	default:
		return r.Method + " " + strings.TrimPrefix(path, "/api/v1/")
	}
}

// spoil has the next requests of that name spoiled.
func (f *flaky) spoil(name string, by ...spoil) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoils[name] = by
}

// times are when the requests of that name came.
func (f *flaky) times(name string) []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]time.Time(nil), f.came[name]...)
}

// losesTheAnswer drops the connection after the service has done its work.
func losesTheAnswer(_ http.ResponseWriter, r *http.Request, service http.Handler) {
	service.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// losesTheRequest drops the connection before the service has heard of it.
func losesTheRequest(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.CopyN(io.Discard, r.Body, 1000)
	panic(http.ErrAbortHandler)
}

// breaksTheAnswer drops the connection in the middle of the answer.
func breaksTheAnswer(w http.ResponseWriter, r *http.Request, service http.Handler) {
	whole := httptest.NewRecorder()
	service.ServeHTTP(whole, r)
	for name, values := range whole.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(whole.Code)
	_, _ = w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// refusesFor answers with a refusal that asks to wait a second.
func refusesFor(status int, code client.Code) spoil {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"code":%q,"message":"Later."}`, code)
	}
}

func TestLostAnswersAreFetchedAgainAndChargedOnce(t *testing.T) {
	t.Parallel()
	front, before := newFlaky(t)
	c := working(t, before).customer(account.Overrides{})
	api := c.client(c.url)
	for _, spoiled := range []spoil{losesTheAnswer, losesTheRequest, breaksTheAnswer} {
		front.spoil("POST audit", slices.Repeat([]spoil{spoiled}, 2)...)
		got, err := api.Check(t.Context(), inMemory(t, "a.png", labelledPNG(t)), nil)
		require.NoError(t, err)
		require.Equal(t, client.VerdictAI, got.Verdict)
	}
	require.Len(t, front.times("POST audit"), 9)
	c.spent(3)

	// Every leg of an upload and of the job that follows it.
	spoils := []spoil{losesTheAnswer, losesTheRequest, breaksTheAnswer}
	for _, name := range []string{"POST uploads", "PUT", "POST optimize", "GET job", "GET file"} {
		front.spoil(name, spoils...)
	}
	job, err := api.Optimize(t.Context(), inMemory(t, "a.png", heavy(t)), &client.OptimizeOptions{Wait: nimble})
	require.NoError(t, err)
	var got strings.Builder
	n, err := api.Download(t.Context(), job, &got, nil)
	require.NoError(t, err)
	require.Equal(t, string(c.send(http.MethodGet, job.FileURL, "").body), got.String())
	require.Equal(t, int64(got.Len()), n)
	for _, name := range []string{"POST uploads", "POST optimize"} {
		require.Len(t, front.times(name), 4, name)
	}
	// What was stored before its answer got lost is not sent a third time.
	require.GreaterOrEqual(t, len(front.times("PUT")), 2)
	var jobs, uploads int
	require.NoError(t, c.DB.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM upload)`).Scan(&jobs, &uploads))
	require.Equal(t, []int{1, 1}, []int{jobs, uploads})
	c.settled(5)
}

func TestRetryAfterOfTheServiceIsHonoured(t *testing.T) {
	t.Parallel()
	front, before := newFlaky(t)
	c := start(t, before).customer(account.Overrides{})
	for code, status := range map[client.Code]int{client.CodeRateLimited: 429, client.CodeTooManyJobs: 429, client.CodeEngineUnavailable: 503} {
		front.spoil("POST audit", refusesFor(status, code))
		begin := len(front.times("POST audit"))
		_, err := c.client(c.url).Check(t.Context(), inMemory(t, "a.png", labelledPNG(t)), nil)
		require.NoError(t, err)
		came := front.times("POST audit")[begin:]
		require.Len(t, came, 2)
		require.GreaterOrEqual(t, came[1].Sub(came[0]), time.Second)
	}
	front.spoil("POST audit", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"code":"model_unavailable","message":"Later."}`)
	})
	_, err := c.client(c.url).Check(t.Context(), inMemory(t, "a.png", labelledPNG(t)), nil)
	require.Equal(t, client.CodeModelUnavailable, client.CodeOf(err))
	c.spent(3)
}

func TestAccountOverItsRateGoesOnWhenTheServiceAllows(t *testing.T) {
	t.Parallel()
	rpm := 20
	c := start(t).customer(account.Overrides{RPM: &rpm})
	for range rpm {
		require.NotEqual(t, http.StatusTooManyRequests, c.call(http.MethodGet, "/api/v1/audit/x", "").status)
	}
	var told []client.Notice
	begun := time.Now()
	_, err := c.client(c.url, client.WithNotice(func(n client.Notice) { told = append(told, n) })).
		Check(t.Context(), inMemory(t, "a.png", labelledPNG(t)), nil)
	require.NoError(t, err)
	require.NotEmpty(t, told)
	require.Equal(t, client.CodeRateLimited, client.CodeOf(told[0].Err))
	require.Greater(t, time.Since(begun), time.Second)
	c.spent(1)
}

func TestJobOfACancelledWaitIsFoundAgain(t *testing.T) {
	t.Parallel()
	s := start(t, quickly)
	c := s.customer(account.Overrides{})
	api := c.client(c.url)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := api.Check(ctx, inMemory(t, "a.mp4", film(t, 1)), &client.CheckOptions{
		Wait: client.WaitOptions{First: nimble.First, OnRead: func(client.Status) { cancel() }},
	})
	require.ErrorIs(t, err, context.Canceled)
	var unfinished *client.UnfinishedError
	require.ErrorAs(t, err, &unfinished)

	require.NoError(t, s.startWorker(t.Context()))
	job, err := api.WaitCheck(t.Context(), unfinished.JobID, &client.CheckOptions{Wait: nimble})
	require.NoError(t, err)
	require.Equal(t, client.Succeeded, job.Status)
	require.Len(t, job.Video.Readings, 8)
	c.settled(1)

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = api.Check(ctx, inMemory(t, "a.png", labelledPNG(t)), nil)
	require.ErrorIs(t, err, context.Canceled)
	c.settled(1)
}

func TestActNamedByItsCallerIsDoneOnceAcrossPrograms(t *testing.T) {
	t.Parallel()
	c := working(t).customer(account.Overrides{})
	var ids []string
	for range 2 {
		// Two programs, the first of which was killed before it noted the job.
		job, err := c.client(c.url).StartOptimization(t.Context(), inMemory(t, "a.png", heavy(t)), &client.OptimizeOptions{IdempotencyKey: "order-17"})
		require.NoError(t, err)
		_, err = c.client(c.url).WaitOptimization(t.Context(), job.ID, &nimble)
		require.NoError(t, err)
		ids = append(ids, job.ID)
	}
	require.Equal(t, ids[0], ids[1])
	c.settled(2)
}
