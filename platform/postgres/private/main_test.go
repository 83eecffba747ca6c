package private

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// The test binary plays other processes too: with -private.hold it runs a server until it is killed, with
// -private.connect it says whether it may connect.
var (
	holdDir    = flag.String("private.hold", "", "run a server in this folder until killed")
	connectURL = flag.String("private.connect", "", "try to connect to this address")
)

// deadline is how long a test waits for anything.
const deadline = 20 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	switch {
	case *holdDir != "":
		hold := DefaultConfig(*holdDir)
		hold.FastUnsafe = true
		s, err := Start(context.Background(), hold)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.process.cmd.Process.Pid)
		<-s.Done()
	case *connectURL != "":
		conn, err := pgx.Connect(context.Background(), *connectURL)
		if err == nil {
			err = conn.Close(context.Background())
		}
		fmt.Println(err)
	default:
		m.Run()
	}
}

// fastConfig is a throw-away server in a folder that the server's user can reach.
func fastConfig(t *testing.T) Config {
	t.Helper()
	cfg := DefaultConfig(filepath.Join(passable(t), "a server"))
	cfg.FastUnsafe = true
	cfg.StateDir = filepath.Join(passable(t), "state")
	cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	return cfg
}

// passable is a temporary folder that others may walk through; t.TempDir alone is closed to them.
func passable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o711))
	return dir
}

// start runs a server until the test ends.
func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	return s
}

// exec1 runs one statement.
func exec1(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
}

// ask gives the text that one query returns.
func ask(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	var answer string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	require.NoError(t, conn.Close(t.Context()))
	return answer
}

// asNobody makes cmd run as a user without rights, which root alone can do.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

const nobody = 65534

// sharedBinary is a copy of this test binary that every user may run.
func sharedBinary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	from, err := os.Open(self)
	require.NoError(t, err)
	defer func() { require.NoError(t, from.Close()) }()
	path := filepath.Join(passable(t), "private.test")
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return path
}
