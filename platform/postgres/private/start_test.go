package private

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestRestartKeepsData(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	cfg.FastUnsafe = false

	first, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	exec1(t, first.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	require.Equal(t, "on", ask(t, first.URL(), "SHOW fsync"))
	require.Equal(t, "UTF8", ask(t, first.URL(), "SHOW server_encoding"))
	require.Equal(t, "off", ask(t, first.URL(), "SHOW is_superuser"))
	require.Empty(t, ask(t, first.URL(), "SHOW listen_addresses"))
	require.NoError(t, first.Stop(t.Context()))
	require.NoError(t, first.Err())
	_, err = os.Stat(first.home.socketFolder())
	require.ErrorIs(t, err, fs.ErrNotExist, "the socket folder goes with the server")

	second := start(t, cfg)
	require.Equal(t, "here", ask(t, second.URL(), "SELECT word FROM kept"))
	require.NoError(t, second.Err())
}

// The plain user's own run of the test above: root re-runs it as a user without rights.
func TestWorksAsPlainUser(t *testing.T) {
	t.Parallel()
	binary := sharedBinary(t)
	temp := passable(t)
	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^TestRestartKeepsData$", "-test.v")
	cmd.Env = append(cmd.Environ(), "TMPDIR="+temp)
	cmd.Dir = temp
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(temp, nobody, nobody))
		asNobody(cmd)
	}
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Contains(t, string(said), "--- PASS: TestRestartKeepsData")
}

func TestSecondStarterIsRefused(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	_, running, err := Find(cfg)
	require.NoError(t, err)
	require.False(t, running, "nothing is there yet")

	first := start(t, cfg)
	_, err = Start(t.Context(), cfg)
	require.ErrorIs(t, err, ErrInUse)
	require.ErrorContains(t, err, "process "+strconv.Itoa(os.Getpid()))
	require.ErrorIs(t, Remove(t.Context(), cfg), ErrInUse)

	url, running, err := Find(cfg)
	require.NoError(t, err)
	require.True(t, running)
	require.Equal(t, first.URL(), url)
	require.Equal(t, "1", ask(t, url, "SELECT '1'"), "the first goes on")
}

func TestLongAndOddPathsWork(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	cfg.Dir = filepath.Join(cfg.Dir, `a "quoted", folder's name`, strings.Repeat("long/", 30))
	require.NoError(t, os.MkdirAll(cfg.Dir, 0o755))
	s := start(t, cfg)
	require.Equal(t, filepath.Join(cfg.Dir, "data"), ask(t, s.AdminURL(), "SHOW data_directory"))
	require.NoError(t, s.Stop(t.Context()))
	require.NoDirExists(t, s.home.socketFolder(), "nothing stays in /tmp")
}

func TestSocketPathFitsAndNamesOneFolder(t *testing.T) {
	t.Parallel()
	us := osUser{uid: 1000}
	long := "/srv/" + strings.Repeat("x", 100)
	fits := "/srv/" + strings.Repeat("x", maxSocketPath-len("/srv//run/.s.PGSQL.5432"))
	require.Equal(t, fits+"/run", home{path: fits, user: us}.socketFolder())
	require.Equal(t, "/srv/a 'b' \"c\"/run", home{path: "/srv/a 'b' \"c\"", user: us}.socketFolder())
	for _, path := range []string{fits + "x", long, "/srv/a,b"} {
		folder := home{path: path, user: us}.socketFolder()
		require.Regexp(t, "^/tmp/veracity-1000-[0-9a-f]{12}$", folder)
		require.Equal(t, folder, home{path: path, user: us}.socketFolder(), "every process finds the same one")
	}
	require.NotEqual(t, home{path: long}.socketFolder(), home{path: long + "x"}.socketFolder())
}

func TestInterruptedInitdbIsDoneAgain(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := Start(ctx, cfg)
		failed <- err
	}()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(cfg.Dir, "data.new", "base"))
		return err == nil
	}, deadline, time.Millisecond)
	cancel()
	require.Error(t, <-failed)
	_, err := os.Stat(filepath.Join(cfg.Dir, "data"))
	require.ErrorIs(t, err, fs.ErrNotExist)

	// A kill leaves more behind than a cancelled initdb does.
	require.NoError(t, os.MkdirAll(filepath.Join(cfg.Dir, "data.new", "base"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, "data.new", "PG_VERSION"), []byte("15\n"), 0o600))
	s := start(t, cfg)
	require.Equal(t, "1", ask(t, s.URL(), "SELECT '1'"))
}

func TestFailedStartQuotesTheServersLog(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	cfg.Settings = map[string]string{"max_connections": "many"}
	_, err := Start(t.Context(), cfg)
	require.ErrorContains(t, err, `invalid value for parameter "max_connections": "many"`)
	require.ErrorContains(t, err, outputFile)

	cfg.Settings = map[string]string{"max_connections": "17"}
	s := start(t, cfg)
	require.Equal(t, "17", ask(t, s.URL(), "SHOW max_connections"), "the failed start has let go of the folder")
}

func TestServerThatDiesSaysSo(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	cfg.FastUnsafe = false
	s, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	exec1(t, s.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	busy, err := pgx.Connect(t.Context(), s.URL())
	require.NoError(t, err)
	require.NoError(t, s.process.cmd.Process.Kill())
	select {
	case <-s.Done():
	case <-time.After(deadline):
		t.Fatal("Done stays open")
	}
	require.ErrorContains(t, s.Err(), "stopped by itself")
	require.NoError(t, s.Stop(t.Context()), "a stop of a dead server has nothing to do")
	require.Error(t, busy.Ping(t.Context()))

	again := start(t, cfg)
	require.Equal(t, "here", ask(t, again.URL(), "SELECT word FROM kept"))
}

func TestImpatientStopEndsAtOnceAndLosesNothing(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	cfg.FastUnsafe = false
	s, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	exec1(t, s.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, s.Stop(ctx), "ended at once")
	require.NoError(t, s.Err(), "we ended it")

	again := start(t, cfg)
	require.Equal(t, "here", ask(t, again.URL(), "SELECT word FROM kept"))
}

func TestTerminalSignalsDoNotReachChildren(t *testing.T) {
	t.Parallel()
	out, err := openOutput(t.TempDir())
	require.NoError(t, err)
	defer out.close()
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	home{user: osUser{uid: uint32(os.Geteuid())}}.prepare(cmd, out, syscall.SIGINT)
	child, err := launch(cmd)
	require.NoError(t, err)
	group, err := syscall.Getpgid(cmd.Process.Pid)
	require.NoError(t, err)
	require.Equal(t, cmd.Process.Pid, group)
	require.NoError(t, child.stop(t.Context(), deadline))
}

func TestRemoveLeavesNothing(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	require.NoError(t, os.MkdirAll(filepath.Join(cfg.Dir, "data", "base"), 0o700))
	require.NoError(t, Remove(t.Context(), cfg))
	require.NoDirExists(t, cfg.Dir)
	require.NoError(t, Remove(t.Context(), cfg), "nothing is left to remove")
}
