package private

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// program writes a stand-in for the server program that says version.
func program(t *testing.T, folder, version string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "initdb"), []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "postgres"), []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755))
}

func TestMissingProgramsSayWhatToInstall(t *testing.T) {
	t.Parallel()
	_, err := installed(t.Context(), nil, []string{filepath.Join(t.TempDir(), "*", "bin")})
	require.ErrorIs(t, err, ErrNotInstalled)
	for _, remedy := range []string{"make setup", "apt-get install postgresql", "brew install postgresql@17"} {
		require.ErrorContains(t, err, remedy)
	}
}

func TestEveryInstalledVersionIsFoundOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	program(t, filepath.Join(root, "9", "bin"), "postgres (PostgreSQL) 9.6.24")
	program(t, filepath.Join(root, "15", "bin"), "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)")
	program(t, filepath.Join(root, "18", "bin"), "postgres (PostgreSQL) 18beta1")
	program(t, filepath.Join(root, "broken", "bin"), "no version at all")
	path := filepath.Join(root, "path")
	require.NoError(t, os.Mkdir(path, 0o755))
	require.NoError(t, os.Symlink(filepath.Join(root, "15", "bin", "initdb"), filepath.Join(path, "initdb")))

	found, err := installed(t.Context(), []string{path}, []string{filepath.Join(root, "*", "bin")})
	require.NoError(t, err)
	require.Equal(t, []Install{
		{Dir: filepath.Join(root, "15", "bin"), Version: "15.18", Major: 15},
		{Dir: filepath.Join(root, "18", "bin"), Version: "18beta1", Major: 18},
		{Dir: filepath.Join(root, "9", "bin"), Version: "9.6.24", Major: 9},
	}, found)
}

func TestDataPickTheVersionThatMadeThem(t *testing.T) {
	t.Parallel()
	installs := []Install{{Version: "15.18", Major: 15}, {Version: "17.2", Major: 17}, {Version: "16.1", Major: 16}}
	data := filepath.Join(t.TempDir(), "data")
	fresh, err := fitting(installs, data)
	require.NoError(t, err)
	require.Equal(t, 17, fresh.Major, "new data get the newest")

	require.NoError(t, os.Mkdir(data, 0o700))
	_, err = fitting(installs, data)
	require.ErrorContains(t, err, "holds no PostgreSQL database")

	require.NoError(t, os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("16\n"), 0o600))
	old, err := fitting(installs, data)
	require.NoError(t, err)
	require.Equal(t, 16, old.Major)

	require.NoError(t, os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("14\n"), 0o600))
	_, err = fitting(installs, data)
	require.ErrorContains(t, err, "made by PostgreSQL 14, and only 15.18, 17.2, 16.1 is installed")
	require.ErrorContains(t, err, "postgresql-14")
}
