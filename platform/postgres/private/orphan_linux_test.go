package private

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKilledParentLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	cfg, s := made(t)
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.CommandContext(t.Context(), self, "-private.hold="+cfg.Dir)
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err, line)
	alive, err := serves(pid, s.home.data())
	require.NoError(t, err)
	require.True(t, alive)

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.Eventually(t, func() bool {
		alive, err := serves(pid, s.home.data())
		return err == nil && !alive
	}, deadline, poll)

	next := start(t, cfg)
	require.Equal(t, "here", ask(t, next.URL(), "SELECT word FROM kept"))
}
