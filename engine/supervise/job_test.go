package supervise

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/serve"
)

// startJob sends a clip and answers where its error will come, once the job has its file.
func startJob(ctx context.Context, t *testing.T, s *Supervisor, client *engine.Client, text string) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := client.CheckClip(ctx, engine.ClipRequest{Source: order(text), Media: engine.Audio, MaxSeconds: 60})
		done <- err
	}()
	require.Eventually(t, func() bool { return len(jobFiles(t, s)) > 0 }, patience, 5*time.Millisecond)
	return done
}

// jobFiles are those that jobs have made beside what was sent.
func jobFiles(t *testing.T, s *Supervisor) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.cfg.Engine.Scratch, "job-*", "frame"))
	require.NoError(t, err)
	return found
}

func TestAJobWorksInItsFolderUnderTheLock(t *testing.T) {
	t.Parallel()
	s, client := supervised(t, testConfig(roleEngine))
	_, err := client.CheckClip(t.Context(), engine.ClipRequest{Source: order("ok"), Media: engine.Audio, MaxSeconds: 60})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(jobFiles(t, s)) == 0 }, patience, 5*time.Millisecond)
}

func TestAKilledEngineLosesItsJobAndNothingOfItIsLeft(t *testing.T) {
	t.Parallel()
	s, client := supervised(t, testConfig(roleEngine))
	done := startJob(t.Context(), t, s, client, "hold")
	require.NoError(t, syscall.Kill(s.Status().PID, syscall.SIGKILL))
	requireUnavailable(t, <-done)
	requireRecovery(t, client, patience)
	require.Empty(t, jobFiles(t, s))
}

func TestAStuckJobEndsItsEngineAndTheNextOneServes(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Engine.JobTimeout, cfg.Engine.JobGrace, cfg.Engine.Drain = 2*time.Second, 50*time.Millisecond, 50*time.Millisecond
	s, client := supervised(t, cfg)
	requireUnavailable(t, <-startJob(t.Context(), t, s, client, "hang"))
	require.Eventually(t, func() bool { return s.Status().Restarts > 0 }, patience, 5*time.Millisecond)
	require.Contains(t, s.Status().LastExit, serve.ErrStuck.Error())
	requireRecovery(t, client, patience)
}

func TestAnEngineBusyWithJobsGivesItsSignsOfLife(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Engine.Jobs = 4
	cfg.ProbeEvery, cfg.ProbeMisses = 20*time.Millisecond, 1
	s, client := supervised(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	var jobs []<-chan error
	for range cfg.Engine.Jobs {
		jobs = append(jobs, startJob(ctx, t, s, client, "spin"))
	}
	for range 20 {
		<-time.After(20 * time.Millisecond)
		require.Nil(t, ask(t, client, "ok"))
	}
	require.Zero(t, s.Status().Restarts)
	cancel()
	for _, done := range jobs {
		require.ErrorIs(t, <-done, context.Canceled)
	}
}

func TestStopEndsJobsToo(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Engine.Drain = 100 * time.Millisecond
	s, client := supervised(t, cfg)
	done := startJob(t.Context(), t, s, client, "hold")
	require.NoError(t, s.Stop(t.Context()))
	requireUnavailable(t, <-done)
	require.Equal(t, "ended in order", s.Status().LastExit)
}

func TestTheScratchFolderLiesWhereItIsWantedAndGoesWithTheEngine(t *testing.T) {
	t.Parallel()
	cfg := testConfig(roleEngine)
	cfg.Dir, cfg.ScratchDir = t.TempDir(), filepath.Join(t.TempDir(), "scratch")
	leftover := filepath.Join(cfg.ScratchDir, "veracity-engine-999999999-dead")
	require.NoError(t, os.MkdirAll(leftover, 0o700))
	s, client := supervised(t, cfg)
	require.NoDirExists(t, leftover)
	done := startJob(t.Context(), t, s, client, "hold")
	require.Len(t, jobFiles(t, s), 1)
	require.Contains(t, jobFiles(t, s)[0], cfg.ScratchDir)
	require.NoError(t, s.Stop(t.Context()))
	requireUnavailable(t, <-done)
	for _, dir := range []string{cfg.Dir, cfg.ScratchDir} {
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
