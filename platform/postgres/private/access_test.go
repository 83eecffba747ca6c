package private

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestSocketAdmitsItsUserAlone(t *testing.T) {
	t.Parallel()
	s := start(t, fastConfig(t))
	info, err := os.Stat(s.home.socketFolder())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	_, err = pgx.Connect(t.Context(), address(s.home.socketFolder(), "somebody", Database))
	require.ErrorContains(t, err, "authentication failed", "a role that is not ours")

	if os.Geteuid() != 0 {
		return // Only root can become another user and try.
	}
	binary := sharedBinary(t)
	require.Contains(t, connectAsNobody(t, binary, s.URL()), "permission denied")

	// With the folder opened by mistake the kernel's word on who calls still holds.
	require.NoError(t, os.Chmod(s.home.socketFolder(), 0o777))
	require.NoError(t, os.Chmod(filepath.Join(s.home.socketFolder(), ".s.PGSQL.5432"), 0o777))
	require.Contains(t, connectAsNobody(t, binary, s.URL()), "Peer authentication failed")
	require.Contains(t, connectAsNobody(t, binary, s.AdminURL()), "Peer authentication failed")
}

func connectAsNobody(t *testing.T, binary, url string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "-private.connect="+url)
	cmd.Dir = "/"
	asNobody(cmd)
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	return string(said)
}
