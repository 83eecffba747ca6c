package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"veracity/account"
	"veracity/api/openapi/openapitest"
	"veracity/engine/model"
	"veracity/platform/postgres/private"
	"veracity/quota"
)

// program runs the program as a process of its own.
func program(t *testing.T, env []string, args ...string) (*exec.Cmd, *lockedBuffer, *lockedBuffer) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), self, args...)
	cmd.Env = append([]string{
		asProgram + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"VERACITY_MAIL_URL=outbox:" + t.TempDir(),
	}, env...)
	out, log := &lockedBuffer{}, &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = out, log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, out, log
}

// serving waits for a `serve` process and gives its address.
func serving(t *testing.T, log *lockedBuffer) string {
	t.Helper()
	var address string
	require.Eventually(t, func() bool {
		scan := bufio.NewScanner(strings.NewReader(log.String()))
		for scan.Scan() {
			if _, rest, ok := strings.Cut(scan.Text(), `"msg":"serving","address":"`); ok {
				address, _, _ = strings.Cut(rest, `"`)
			}
		}
		if address == "" {
			return false
		}
		resp, err := ask(t.Context(), "http://"+address+"/readyz")
		return err == nil && resp == http.StatusOK
	}, 60*time.Second, 20*time.Millisecond)
	return "http://" + address
}

func ask(ctx context.Context, target string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func TestKilledServerLosesNoCredits(t *testing.T) {
	t.Parallel()
	arrived, gone := make(chan struct{}, 8), make(chan struct{})
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/slow": func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	}})
	s := start(t, allow)
	c := s.customer(account.Overrides{})
	env := []string{
		"VERACITY_DATABASE_URL=" + s.Settings.Database.URL, "VERACITY_STORAGE_URL=" + s.Settings.Storage.URL,
		"VERACITY_SECRET_KEY=" + s.Settings.SecretKey, "VERACITY_FETCH_ALLOW=" + strings.TrimPrefix(base, "http://"),
		"VERACITY_METRICS_LISTEN=off", "VERACITY_LISTEN=127.0.0.1:0", "VERACITY_DATA=" + t.TempDir(),
	}
	victim, _, log := program(t, env, "serve")
	address := serving(t, log)
	body := object("image_url", base+"/slow")
	go func() { _, _ = post(t.Context(), address, c.key, body) }()
	<-arrived
	b, err := quota.Read(t.Context(), s.DB, c.account)
	require.NoError(t, err)
	require.Equal(t, int64(1), b.Held)
	require.NoError(t, victim.Process.Kill())
	close(gone)

	// Another process gives the hold back once it lapses; the lapse is brought forward here.
	_, err = s.DB.Exec(t.Context(), `UPDATE credit_hold SET expires_at = now() WHERE state = 'held'`)
	require.NoError(t, err)
	worker, _, _ := program(t, env, "worker")
	require.Eventually(t, func() bool {
		b, err := quota.Read(t.Context(), s.DB, c.account)
		return err == nil && b.Held == 0
	}, 90*time.Second, 50*time.Millisecond)
	c.spent(0)
	require.NoError(t, worker.Process.Signal(syscall.SIGTERM))
	require.NoError(t, worker.Wait())
}

func TestTermSignalLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	png := labelledPNG(t)
	base, allow := serveFiles(t, map[string]http.HandlerFunc{"/slow": func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		_, _ = w.Write(png)
	}})
	s := start(t, allow)
	c := s.customer(account.Overrides{})
	server, _, log := program(t, []string{
		"VERACITY_DATABASE_URL=" + s.Settings.Database.URL, "VERACITY_STORAGE_URL=" + s.Settings.Storage.URL,
		"VERACITY_SECRET_KEY=" + s.Settings.SecretKey, "VERACITY_FETCH_ALLOW=" + strings.TrimPrefix(base, "http://"),
		"VERACITY_METRICS_LISTEN=off", "VERACITY_LISTEN=127.0.0.1:0", "VERACITY_DATA=" + t.TempDir(),
	}, "serve")
	address := serving(t, log)
	answered := make(chan int, 1)
	go func() {
		status, _ := post(t.Context(), address, c.key, object("image_url", base+"/slow"))
		answered <- status
	}()
	<-arrived
	require.NoError(t, server.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		_, err := ask(t.Context(), address+"/healthz")
		return err != nil
	}, 10*time.Second, 10*time.Millisecond, "it stops accepting")
	close(release)
	require.Equal(t, http.StatusOK, <-answered)
	require.NoError(t, server.Wait(), log.String())
	c.spent(1)
}

func post(ctx context.Context, address, key, body string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/v1/audit", bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	got, err := io.ReadAll(resp.Body)
	if err == nil {
		err = openapitest.Answer{Method: req.Method, Path: req.URL.Path, Status: resp.StatusCode, Header: resp.Header, Body: got}.Check(ctx)
	}
	return resp.StatusCode, errors.Join(err, resp.Body.Close())
}

func TestDevShowsVerdictsAndKeepsItsData(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	t.Cleanup(func() {
		require.NoError(t, private.Remove(context.WithoutCancel(t.Context()), private.DefaultConfig(filepath.Join(data, databaseDir))))
	})
	// The program has a home of its own, without the library that scripts/setup put into this one.
	env := []string{
		"VERACITY_METRICS_LISTEN=127.0.0.1:0", "VERACITY_LISTEN=127.0.0.1:0", "VERACITY_MAIL_URL=", "VERACITY_ONNXRUNTIME=" + model.FindLibrary(),
	}
	var first string
	for range 2 {
		dev, out, log := program(t, env, "dev", "--data", data)
		shown := func() bool { return strings.Contains(out.String(), "API key") }
		if !assert.Eventually(t, shown, 60*time.Second, 50*time.Millisecond) {
			require.FailNow(t, "dev shows nothing", "%s\n%s", out, log)
		}
		require.Regexp(t, `labelled\.jpg +ai +98  decided by provenance`, out.String())
		require.Regexp(t, `plain\.jpg +uncertain`, out.String())

		_, key, _ := strings.Cut(out.String(), "API key  ")
		key, _, _ = strings.Cut(key, "\n")
		require.Regexp(t, `^svc_live_\w{36}$`, key)
		if first == "" {
			first = key
		}
		require.Equal(t, first, key, "the demo account outlives a restart")
		require.NotContains(t, log.String(), key)

		_, mails, _ := strings.Cut(out.String(), "mails    ")
		mails, _, _ = strings.Cut(mails, "\n")
		status, err := ask(t.Context(), mails)
		require.NoError(t, err, mails)
		require.Equal(t, http.StatusOK, status, mails)
		require.DirExists(t, filepath.Join(data, outboxDir))

		// A second one on the same folder is refused; a short command uses the running database.
		second, _, complaint := program(t, env, "dev", "--data", data)
		require.Error(t, second.Wait())
		require.Contains(t, complaint.String(), "in use")
		list, listed, _ := program(t, env, "account", "list", "--data", data)
		require.NoError(t, list.Wait())
		require.Contains(t, listed.String(), demoEmail)

		require.NoError(t, dev.Process.Signal(syscall.SIGTERM))
		require.NoError(t, dev.Wait(), log.String())
	}
	for _, secret := range []string{secretFile, demoKeyFile} {
		info, err := os.Stat(filepath.Join(data, secret))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), secret)
	}
}

func TestCommandsOnOneFolderTakeTurns(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	t.Cleanup(func() {
		require.NoError(t, private.Remove(context.WithoutCancel(t.Context()), private.DefaultConfig(filepath.Join(data, databaseDir))))
	})
	made := make([]*exec.Cmd, 3)
	for i := range made {
		made[i], _, _ = program(t, nil, "account", "create", "--data", data, "--plan", "pro", "--email", string(rune('a'+i))+"@example.com")
	}
	for _, cmd := range made {
		require.NoError(t, cmd.Wait())
	}
	list, out, _ := program(t, nil, "account", "list", "--data", data)
	require.NoError(t, list.Wait())
	require.Equal(t, 3, strings.Count(out.String(), "@example.com"))
}
