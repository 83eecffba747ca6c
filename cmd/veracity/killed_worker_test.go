package main

import (
	"context"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"veracity/account"
)

// phase is a moment in a job's life at which its worker is killed with -9.
type phase struct {
	// freeze makes PostgreSQL stop the worker's statement there until the test lets go: a condition on a row's change.
	table, when string
	// again tells that the webhook may arrive a second time, under the same id.
	again bool
}

var phases = map[string]phase{
	"as it takes the job up": {table: "job", when: `OLD.status = 'queued' AND NEW.status = 'running'`},
	"as it ends the job":     {table: "job", when: `OLD.status = 'running' AND NEW.status = 'succeeded'`},
	"after it ended the job": {table: "job", when: `OLD.source_key IS NOT NULL AND NEW.source_key IS NULL`},
	"as it begins the webhook": {
		table: "delivery", when: `OLD.attempts = 0 AND NEW.attempts = 1`,
	},
	"after the webhook was sent": {table: "delivery", when: `OLD.state = 'pending' AND NEW.state = 'delivered'`, again: true},
}

// gateKey is the advisory lock at which a frozen statement waits.
const gateKey = 4711

func TestKilledWorkerLosesNoJobAndDoublesNone(t *testing.T) {
	t.Parallel()
	for name, p := range phases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hooks := newReceiver(t)
			s := start(t, quickly, hooks.allow)
			c := s.customer(account.Overrides{})
			release := freeze(t, s.DB, p)
			id := c.optimize(object("image_upload_id", c.upload("image/jpeg", photo(t)), "callback_url", hooks.url)).accepted()

			victim := s.workerProcess(hooks)
			require.Eventually(t, func() bool { return frozen(t, s.DB) }, jobPatience, 20*time.Millisecond)
			require.NoError(t, victim.Process.Kill())
			_ = victim.Wait()
			release()
			s.workerProcess(hooks)

			c.ended("/api/v1/optimize/"+id, "succeeded")
			require.Eventually(t, func() bool {
				var delivered bool
				err := s.DB.QueryRow(t.Context(), `SELECT state = 'delivered' FROM delivery`).Scan(&delivered)
				return err == nil && delivered
			}, jobPatience, 50*time.Millisecond)
			calls := hooks.calls()
			require.NotEmpty(t, calls)
			for _, call := range calls {
				require.Equal(t, calls[0].header.Get("Webhook-Id"), call.header.Get("Webhook-Id"))
				require.Equal(t, calls[0].body, call.body)
			}
			if !p.again {
				// On a slow machine an attempt may run out of its time although it arrived: it is then made again.
				var attempts int
				require.NoError(t, s.DB.QueryRow(t.Context(), `SELECT count(*) FROM delivery_attempt`).Scan(&attempts))
				require.LessOrEqual(t, len(calls), attempts)
			}
			c.settled(2)
			require.Equal(t, http.StatusOK, c.send(http.MethodGet, "/api/v1/optimize/"+id+"/file", "").status)
		})
	}
}

// freeze holds every change that the phase describes until the returned function is called, and lets later ones pass.
func freeze(t *testing.T, db *pgxpool.Pool, p phase) (release func()) {
	t.Helper()
	conn, err := db.Acquire(t.Context())
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `SELECT pg_advisory_lock($1)`, gateKey)
	require.NoError(t, err)
	for _, sql := range []string{
		`CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END $$`,
		`CREATE TRIGGER halt BEFORE UPDATE ON ` + p.table + ` FOR EACH ROW WHEN (` + p.when + `) EXECUTE FUNCTION halt()`,
	} {
		_, err = db.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	done := false
	release = func() {
		if done {
			return
		}
		done = true
		_, err := conn.Exec(context.WithoutCancel(t.Context()), `SELECT pg_advisory_unlock($1)`, gateKey)
		require.NoError(t, err)
		conn.Release()
	}
	t.Cleanup(release)
	return release
}

// frozen tells whether a statement waits at the gate.
func frozen(t *testing.T, db *pgxpool.Pool) bool {
	t.Helper()
	var waits bool
	err := db.QueryRow(t.Context(), `
		SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
		               AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waits)
	return err == nil && waits
}

// workerProcess starts `veracity worker` on the service's database and storage.
func (s *service) workerProcess(hooks *receiver, env ...string) *exec.Cmd {
	s.t.Helper()
	cmd, _, _ := program(s.t, append([]string{
		"VERACITY_DATABASE_URL=" + s.Settings.Database.URL, "VERACITY_STORAGE_URL=" + s.Settings.Storage.URL,
		"VERACITY_SECRET_KEY=" + s.Settings.SecretKey, "VERACITY_BASE_URL=" + s.url, "VERACITY_METRICS_LISTEN=off",
		"VERACITY_FETCH_ALLOW=" + strings.Join(s.Settings.Fetch.Allow, ","), "SSL_CERT_FILE=" + hooks.certificate,
		"VERACITY_DATA=" + s.t.TempDir(), "VERACITY_DATABASE_MAX_CONNS=6",
		"VERACITY_JOB_LEASE=2s", "VERACITY_TAKE_UP_EVERY=1s", "VERACITY_WEBHOOK_TIMEOUT=1s", "VERACITY_POLL=100ms",
	}, env...), "worker")
	return cmd
}

func TestJobOfAKilledWorkerIsTakenUpWithinTwoMinutesByDefault(t *testing.T) {
	t.Parallel()
	hooks := newReceiver(t)
	s := start(t, hooks.allow)
	c := s.customer(account.Overrides{})
	defaults := []string{"VERACITY_JOB_LEASE=45s", "VERACITY_TAKE_UP_EVERY=30s", "VERACITY_WEBHOOK_TIMEOUT=10s", "VERACITY_POLL=1s"}
	victim := s.workerProcess(hooks, defaults...)
	id := c.optimize(object("video_upload_id", c.upload("video/mp4", film(t, 20)), "callback_url", hooks.url)).accepted()
	require.Eventually(t, func() bool {
		return c.call(http.MethodGet, "/api/v1/optimize/"+id, "").ok()["status"] == "running"
	}, jobPatience, 10*time.Millisecond)
	require.NoError(t, victim.Process.Kill(), "in the middle of the engine's work")
	_ = victim.Wait()
	require.Equal(t, "running", c.call(http.MethodGet, "/api/v1/optimize/"+id, "").ok()["status"])
	killed := time.Now()
	s.workerProcess(hooks, defaults...)
	require.Eventually(t, func() bool {
		var attempt int
		err := s.DB.QueryRow(t.Context(), `SELECT attempt FROM job WHERE id = $1`, id).Scan(&attempt)
		return err == nil && attempt == 2
	}, 2*time.Minute, 50*time.Millisecond)
	t.Logf("taken up %s after the kill", time.Since(killed).Round(time.Second))
	c.ended("/api/v1/optimize/"+id, "succeeded")
	require.Eventually(t, func() bool { return len(hooks.calls()) == 1 }, jobPatience, 50*time.Millisecond)
	c.settled(20)
	require.Len(t, s.blobs(), 1)
}
