package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/engine/mediatest"
	"veracity/jobs"
	"veracity/quota"
)

func TestKilledEngineCostsItsCallersNothing(t *testing.T) {
	t.Parallel()
	child := ownEngine(t)
	s := start(t, func(s *Settings) { s.Engine.Socket = child.Socket() })
	c := s.customer(account.Overrides{})
	// Large enough that the check is still under way when the engine dies.
	picture := mediatest.PNG(t, 4000, 3000)
	id := c.upload("image/png", picture)
	pid := child.Status().PID

	answered := make(chan reply, 1)
	go func() { answered <- c.audit(object("image_upload_id", id)) }()
	require.Eventually(t, func() bool { return s.uploadState(id) == "used" }, 10*time.Second, time.Millisecond)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))

	r := <-answered
	r.refused(503, "engine_unavailable")
	require.NotEmpty(t, r.header.Get("Retry-After"))
	c.spent(0)
	c.audit(object("image_upload_id", id)).refused(404, "upload_not_found")

	killed := time.Now()
	require.Eventually(t, func() bool {
		return c.audit(inBase64(labelledPNG(t))).status == http.StatusOK
	}, 20*time.Second, 20*time.Millisecond)
	t.Logf("the next check worked %s after the kill", time.Since(killed))
	c.spent(1)
}

func (s *service) uploadState(id string) string {
	var state string
	if err := s.DB.QueryRow(s.t.Context(), `SELECT state FROM upload WHERE id = $1`, id).Scan(&state); err != nil {
		return err.Error()
	}
	return state
}

func TestEngineThatIsNotThereLeavesUploadsUsable(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *Settings) { s.Engine.Socket = t.TempDir() + "/none.sock" })
	c := s.customer(account.Overrides{})
	id := c.upload("image/png", labelledPNG(t))
	r := c.audit(object("image_upload_id", id))
	r.refused(503, "engine_unavailable")
	require.NotEmpty(t, r.header.Get("Retry-After"))
	require.Equal(t, "issued", s.uploadState(id))
	c.spent(0)
	require.Equal(t, http.StatusServiceUnavailable, s.send(http.MethodGet, "/readyz", "").status)
	require.Equal(t, http.StatusOK, s.send(http.MethodGet, "/healthz", "").status)
}

func TestEngineElsewhereNeedsTokenAndRegion(t *testing.T) {
	t.Parallel()
	remote := func(token, region string) func(*Settings) {
		return func(s *Settings) {
			s.Engine.URL, s.Engine.Token, s.Engine.Region = "http://127.0.0.1:1", token, region
		}
	}
	body := inBase64(labelledPNG(t))
	start(t, remote("", "eu")).customer(account.Overrides{}).audit(body).refused(503, "engine_credentials_missing")
	start(t, remote("secret", "")).customer(account.Overrides{}).audit(body).refused(503, "engine_region_missing")
	start(t, remote("secret", "eu")).customer(account.Overrides{}).audit(body).refused(503, "engine_unavailable")
}

func TestDyingProcessLeavesNoCreditsBehind(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	// What a process leaves that was killed between the hold and its end.
	_, err := quota.Hold(t.Context(), s.DB, quota.Request{Account: c.account, Amount: 5, TTL: time.Millisecond})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		require.NoError(t, s.releaseHolds(t.Context()))
		b, err := quota.Read(t.Context(), s.DB, c.account)
		return err == nil && b.Held == 0
	}, 5*time.Second, 10*time.Millisecond)
	c.spent(0)
	require.NoError(t, s.auditBalances(t.Context()))
}

func TestAuditAlarmsOnATamperedBalance(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.customer(account.Overrides{})
	_, err := s.DB.Exec(t.Context(), `UPDATE credit_period SET spent = 7 WHERE account_id = $1`, c.account)
	require.NoError(t, err)
	require.NoError(t, s.auditBalances(t.Context()))
	found, err := jobs.Findings(t.Context(), s.DB)
	require.NoError(t, err)
	require.Equal(t, int64(1), found[differencesFound])
	require.Contains(t, s.log.String(), "balance differs from its journal")
}

func TestCallerWhoHangsUpIsNotCharged(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/slow": func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}})
	s := start(t, allow)
	c := s.customer(account.Overrides{})
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v1/audit", strings.NewReader(object("image_url", base+"/slow")))
		if err == nil {
			req.Header.Set("X-API-Key", c.key)
			_, err = http.DefaultTransport.RoundTrip(req)
		}
		done <- err
	}()
	<-arrived
	hangUp()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool {
		b, err := quota.Read(t.Context(), s.DB, c.account)
		return err == nil && b.Held == 0
	}, 5*time.Second, 10*time.Millisecond)
	c.spent(0)
	require.NotContains(t, s.log.String(), `"level":"ERROR"`)
}

func TestEngineThatTalksNonsenseIsOurFault(t *testing.T) {
	t.Parallel()
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "segfault at 10.0.0.7")
	}))
	t.Cleanup(odd.Close)
	s := start(t, func(s *Settings) { s.Engine.URL, s.Engine.Token, s.Engine.Region = odd.URL, "token", "eu" })
	c := s.customer(account.Overrides{})
	got := c.audit(inBase64(labelledPNG(t))).refused(500, "engine_error")
	require.NotContains(t, got["message"], "10.0.0.7")
	c.spent(0)
}
