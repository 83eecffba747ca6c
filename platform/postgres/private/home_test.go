package private

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// closedConfig is a server whose Dir lies where nobody but its owner gets through, such as below /root.
func closedConfig(t *testing.T) Config {
	t.Helper()
	cfg := fastConfig(t)
	cfg.Dir = filepath.Join(cfg.Dir, "closed", "server")
	require.NoError(t, os.MkdirAll(cfg.Dir, 0o700))
	return cfg
}

// As root the data move out and are found again; a plain user's server needs no such thing.
func TestClosedFolderKeepsData(t *testing.T) {
	t.Parallel()
	cfg := closedConfig(t)
	first, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	exec1(t, first.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	require.NoError(t, first.Stop(t.Context()))

	where := cfg.Dir
	if os.Geteuid() == 0 {
		note, err := os.ReadFile(filepath.Join(cfg.Dir, locationFile))
		require.NoError(t, err)
		where = string(bytes.TrimSpace(note))
		require.Equal(t, cfg.StateDir, filepath.Dir(where))
	}
	second, err := Start(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(where, "data"), ask(t, second.AdminURL(), "SHOW data_directory"))
	require.Equal(t, "here", ask(t, second.URL(), "SELECT word FROM kept"))
	url, running, err := Find(cfg)
	require.NoError(t, err)
	require.True(t, running)
	require.Equal(t, second.URL(), url)
	require.NoError(t, second.Stop(t.Context()))

	require.NoError(t, Remove(t.Context(), cfg))
	require.NoDirExists(t, where)
	require.NoDirExists(t, cfg.Dir)
}

func TestRemadeFolderBeginsAnew(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	cfg := fastConfig(t)
	cfg.Logger = slog.New(slog.NewTextHandler(&said, nil))
	require.NoError(t, os.MkdirAll(cfg.Dir, 0o700))
	require.NoError(t, os.MkdirAll(cfg.StateDir, 0o711))
	h := home{dir: cfg.Dir, path: cfg.Dir, user: osUser{name: "server", uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}}
	first, err := h.moveOut(cfg)
	require.NoError(t, err)
	second, err := h.moveOut(cfg)
	require.NoError(t, err)
	require.NotEqual(t, first.path, second.path)
	require.Contains(t, said.String(), first.path, "the one left behind is named")
	found, err := locate(cfg, cfg.Dir)
	require.NoError(t, err)
	require.Equal(t, second.path, found.path)
}

func TestLocationThatLeadsAstrayIsRefused(t *testing.T) {
	t.Parallel()
	cfg := fastConfig(t)
	require.NoError(t, os.MkdirAll(cfg.Dir, 0o711))
	for name, test := range map[string]struct{ path, want string }{
		"gone":              {filepath.Join(cfg.StateDir, "gone"), "has gone"},
		"outside":           {"/etc", "want a folder in " + cfg.StateDir},
		"above":             {cfg.StateDir + "/..", "want a folder in " + cfg.StateDir},
		"the folder itself": {cfg.StateDir, "want a folder in " + cfg.StateDir},
		"empty":             {"", "want a folder in " + cfg.StateDir},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, locationFile), []byte(test.path+"\n"), 0o600))
		_, err := Start(t.Context(), cfg)
		require.ErrorContains(t, err, test.want, name)
	}
}

func TestTopmostClosedFolderIsNamed(t *testing.T) {
	t.Parallel()
	stranger := osUser{name: "stranger", uid: 54321, gid: 54321}
	us := osUser{name: "us", uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
	kin := osUser{name: "kin", uid: 54321, gid: uint32(os.Getegid())}
	for name, test := range map[string]struct {
		mode os.FileMode
		user osUser
		open bool
	}{
		"others may pass":             {0o711, stranger, true},
		"others may read, not pass":   {0o744, stranger, false},
		"closed to others":            {0o700, stranger, false},
		"closed to the group":         {0o701, kin, false},
		"the group may pass":          {0o710, kin, true},
		"the owner may pass":          {0o700, us, true},
		"the owner locked itself out": {0o677, us, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			middle := filepath.Join(passable(t), "middle")
			inner := filepath.Join(middle, "inner")
			require.NoError(t, os.MkdirAll(inner, 0o755))
			require.NoError(t, os.Chown(middle, -1, os.Getegid()))
			info, err := os.Stat(inner)
			require.NoError(t, err)
			require.True(t, mayEnter(info, test.user))

			require.NoError(t, os.Chmod(middle, test.mode))
			t.Cleanup(func() { require.NoError(t, os.Chmod(middle, 0o700)) })
			info, err = os.Stat(middle)
			require.NoError(t, err)
			require.Equal(t, test.open, mayEnter(info, test.user))
		})
	}
}

func TestServerRunsAsTheOwnerOfItsData(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	owner := uint32(os.Geteuid())
	if owner == 0 {
		owner = nobody
		require.NoError(t, os.Chown(data, nobody, nobody))
	}
	u, err := serverUser(data)
	require.NoError(t, err)
	require.Equal(t, owner, u.uid)

	_, err = ourselves(data, uint32(os.Geteuid())+1, true)
	require.ErrorContains(t, err, "start as that user or as root")
}
