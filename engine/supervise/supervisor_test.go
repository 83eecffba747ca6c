package supervise

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/serve"
	"veracity/platform/fault"
)

// patience bounds waits for what a busy machine may take long over.
const patience = 30 * time.Second

// supervised starts an engine and waits until it takes checks.
func supervised(t *testing.T, cfg Config) (*Supervisor, *engine.Client) {
	t.Helper()
	s, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, s.WaitReady(ctx))
	clientConfig := engine.DefaultClientConfig()
	clientConfig.Socket = s.Socket()
	client, err := engine.NewClient(clientConfig)
	require.NoError(t, err)
	return s, client
}

func order(text string) engine.Source {
	return engine.Source{Body: strings.NewReader(text), Size: int64(len(text))}
}

// ask runs a check that must succeed and answers what the engine found.
func ask(t *testing.T, client *engine.Client, text string) any {
	t.Helper()
	report, err := client.CheckImage(t.Context(), order(text))
	require.NoError(t, err)
	return report.Detail.Provenance
}

// hold starts a check that runs on, and answers where its error will come.
func hold(t *testing.T, client *engine.Client) <-chan error {
	t.Helper()
	held := make(chan error, 1)
	go func() {
		_, err := client.CheckImage(t.Context(), order("hold"))
		held <- err
	}()
	require.Eventually(t, func() bool {
		state, err := client.State(t.Context())
		return err == nil && state.Running == 1
	}, patience, 5*time.Millisecond)
	return held
}

func requireUnavailable(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, fault.EngineUnavailable, fault.CodeOf(err), "%v", err)
	require.Positive(t, fault.From(err).RetryAfter)
}

func requireRecovery(t *testing.T, client *engine.Client, within time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := client.CheckImage(t.Context(), order("ok"))
		return err == nil
	}, within, 10*time.Millisecond)
}

func TestTheEngineIsLockedInAndKnowsNothingOfItsParent(t *testing.T) {
	t.Parallel()
	_, client := supervised(t, testConfig(roleEngine))
	state, err := client.State(t.Context())
	require.NoError(t, err)
	for _, part := range []string{"landlock", "seccomp", "no_new_privs", "no_capabilities", "memory_limit"} {
		require.NotEqual(t, "off", state.Sandbox[part], part)
	}
	require.Contains(t, ask(t, client, "read /etc/passwd"), "permission denied")
	require.Equal(t, "<nil>", ask(t, client, "scratch"))
	environment, err := json.Marshal(ask(t, client, "environment"))
	require.NoError(t, err)
	require.Contains(t, string(environment), "TMPDIR=")
	require.NotContains(t, string(environment), os.Getenv("HOME")+`"`)
	require.NotContains(t, string(environment), "GOCACHE")
}

func TestAKilledEngineFailsItsCheckAndServesTheNextWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	s, client := supervised(t, testConfig(roleEngine))
	held := hold(t, client)
	before := s.Status()
	require.NoError(t, syscall.Kill(before.PID, syscall.SIGKILL))
	requireUnavailable(t, <-held)
	requireRecovery(t, client, 2*time.Second)
	after := s.Status()
	require.NotEqual(t, before.PID, after.PID)
	require.Equal(t, 1, after.Restarts)
	require.Contains(t, after.LastExit, "killed")
}

func TestAnEngineKilledAgainAndAgainComesBack(t *testing.T) {
	t.Parallel()
	s, client := supervised(t, testConfig(roleEngine))
	for range 3 {
		pid := s.Status().PID
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		require.Eventually(t, func() bool {
			now := s.Status()
			return now.Ready && now.PID != pid
		}, patience, 5*time.Millisecond)
	}
	require.Equal(t, 3, s.Status().Restarts)
	require.Nil(t, ask(t, client, "ok"))
}

func TestAHungEngineIsKilledAndReplaced(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.ProbeEvery, cfg.ProbeTimeout, cfg.ProbeMisses = 50*time.Millisecond, 500*time.Millisecond, 2
	s, client := supervised(t, cfg)
	pid := s.Status().PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	require.Eventually(t, func() bool { return s.Status().Restarts == 1 }, patience, 5*time.Millisecond)
	requireRecovery(t, client, patience)
}

func TestAStuckCheckEndsItsEngineAndTheNextOneServes(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Engine.CheckTimeout, cfg.Engine.StuckGrace = 50*time.Millisecond, 50*time.Millisecond
	s, client := supervised(t, cfg)
	_, err := client.CheckImage(t.Context(), order("hang"))
	requireUnavailable(t, err)
	require.Eventually(t, func() bool { return s.Status().Restarts > 0 }, patience, 5*time.Millisecond)
	require.Contains(t, s.Status().LastExit, serve.ErrStuck.Error())
	requireRecovery(t, client, patience)
}

func TestMemoryOverTheLimitEndsTheEngineAlone(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Engine.MemoryBytes = 512 << 20
	s, client := supervised(t, cfg)
	require.Nil(t, ask(t, client, "allocate 134217728"))
	_, err := client.CheckImage(t.Context(), order("allocate 1073741824"))
	requireUnavailable(t, err)
	requireRecovery(t, client, patience)
	require.Contains(t, s.Status().LastExit, "exit status 2")
}

func TestWhatTheEngineStartedDiesWithIt(t *testing.T) {
	t.Parallel()
	s, client := supervised(t, testConfig(roleEngine))
	pid, ok := ask(t, client, "start /usr/bin/sleep").(float64)
	require.True(t, ok)
	require.True(t, alive(int(pid)))
	require.NoError(t, syscall.Kill(s.Status().PID, syscall.SIGKILL))
	require.Eventually(t, func() bool { return !alive(int(pid)) }, patience, 5*time.Millisecond)
}

// alive says whether a process exists and is no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, fields, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(fields, "Z") && !strings.HasPrefix(fields, "X")
}

func TestStopEndsTheEngineAndLeavesNothing(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Dir = t.TempDir()
	s, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, s.WaitReady(t.Context()))
	pid := s.Status().PID
	require.NoError(t, s.Stop(t.Context()))
	require.False(t, alive(pid))
	require.Equal(t, "ended in order", s.Status().LastExit)
	require.NoFileExists(t, s.Socket())
	require.NoDirExists(t, filepath.Dir(s.Socket()))
	require.ErrorContains(t, s.WaitReady(t.Context()), "stopped")
	require.NoError(t, s.Stop(t.Context()))
}

func TestStopDoesNotWaitForAHungEngine(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), testConfig(roleEngine))
	require.NoError(t, err)
	require.NoError(t, s.WaitReady(t.Context()))
	pid := s.Status().PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
	require.False(t, alive(pid))
}

func TestTheEngineDiesWithItsSupervisor(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.CommandContext(t.Context(), self, roleParent)
	parent.Env = append([]string{"TMPDIR=" + os.TempDir()}, raceEnv...)
	_, err = parent.StdinPipe()
	require.NoError(t, err)
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	parent.Stderr = os.Stderr
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err)
	var socket string
	require.NoError(t, json.Unmarshal(line, &socket))
	clientConfig := engine.DefaultClientConfig()
	clientConfig.Socket = socket
	client, err := engine.NewClient(clientConfig)
	require.NoError(t, err)
	require.NoError(t, client.Alive(t.Context()))

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.Eventually(t, func() bool { return client.Alive(t.Context()) != nil }, patience, 5*time.Millisecond)

	// The folder that it left is swept with the next start.
	require.DirExists(t, filepath.Dir(socket))
	supervised(t, testConfig(roleEngine))
	require.NoDirExists(t, filepath.Dir(socket))
}

func TestAnEngineThatNeverStartsSaysWhy(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), testConfig(roleBroken))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.ErrorContains(t, s.WaitReady(ctx), "the engine's library is missing")
}

func TestAProgramThatIsNotThereFailsTheStart(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Dir, cfg.Program = t.TempDir(), "/no/such/engine"
	_, err := Start(t.Context(), cfg)
	require.ErrorContains(t, err, "start the engine")
	left, err := os.ReadDir(cfg.Dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAnEngineServesWithoutAUserNamespace(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Isolate = false
	_, client := supervised(t, cfg)
	state, err := client.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, "off", state.Sandbox["private_users"])
	require.NotEqual(t, "off", state.Sandbox["landlock"])
}

func TestAStartTakingTooLongIsKilled(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.StartTimeout = time.Millisecond
	s, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.ErrorContains(t, s.WaitReady(ctx), "does not start")
}
