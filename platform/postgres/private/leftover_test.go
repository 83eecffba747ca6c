package private

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// made is a stopped server with a table.
func made(t *testing.T) (Config, *Server) {
	t.Helper()
	cfg := fastConfig(t)
	s, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	exec1(t, s.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	require.NoError(t, s.Stop(t.Context()))
	return cfg, s
}

func TestServerLeftRunningIsTakenOver(t *testing.T) {
	t.Parallel()
	cfg, s := made(t)
	// The way a killed run leaves its server where the kernel does not end it.
	left := exec.CommandContext(t.Context(), filepath.Join(s.install.Dir, "postgres"), "-D", s.home.data(),
		"-c", "listen_addresses=", "-c", "unix_socket_directories="+quoteToken(s.home.socketFolder()))
	require.NoError(t, s.home.makeSocketFolder())
	left.Dir = "/"
	left.SysProcAttr = &syscall.SysProcAttr{Credential: s.home.user.credential()}
	require.NoError(t, left.Start())
	ended := make(chan error, 1)
	go func() { ended <- left.Wait() }()
	require.Eventually(t, func() bool {
		running, noted, err := readPostmaster(s.home.data())
		return err == nil && noted && running.ready
	}, deadline, poll)

	next := start(t, cfg)
	require.Equal(t, "here", ask(t, next.URL(), "SELECT word FROM kept"))
	select {
	case err := <-ended:
		require.NoError(t, err, "it was stopped in order")
	case <-time.After(deadline):
		t.Fatal("the left server still runs")
	}
}

func TestProcessThatGotTheNumberIsLeftAlone(t *testing.T) {
	t.Parallel()
	cfg, s := made(t)
	bystander := exec.CommandContext(t.Context(), "sleep", "60")
	bystander.SysProcAttr = &syscall.SysProcAttr{Credential: s.home.user.credential()}
	require.NoError(t, bystander.Start())
	stale := strconv.Itoa(bystander.Process.Pid) + "\n" + s.home.data() + "\n1\n5432\n/nowhere\n\n\nready\n"
	require.NoError(t, os.WriteFile(filepath.Join(s.home.data(), "postmaster.pid"), []byte(stale), 0o600))
	_, running, err := Find(cfg)
	require.NoError(t, err)
	require.False(t, running)

	next := start(t, cfg)
	require.Equal(t, "here", ask(t, next.URL(), "SELECT word FROM kept"))
	require.NoError(t, bystander.Process.Signal(syscall.Signal(0)), "the bystander lives")
	require.NoError(t, bystander.Process.Kill())
	require.Error(t, bystander.Wait())
}

func TestTornPostmasterFileNamesNobody(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "zeros": "\x00\x00\x00\x00", "group": "0\n", "everyone": "-1\n", "init": "1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "postmaster.pid"), []byte(text), 0o600))
			_, noted, err := readPostmaster(dir)
			require.NoError(t, err)
			require.False(t, noted)
		})
	}
}
