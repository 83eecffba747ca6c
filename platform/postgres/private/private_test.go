package private

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	require.NoError(t, DefaultConfig("/somewhere").Validate())
	for want, spoil := range map[string]func(*Config){
		"folder Dir is empty":              func(c *Config) { c.Dir = "" },
		`StateDir is "here"`:               func(c *Config) { c.StateDir = "here" },
		"no Logger is given":               func(c *Config) { c.Logger = nil },
		"StartTimeout is 0s":               func(c *Config) { c.StartTimeout = 0 },
		"StopTimeout is -1ns":              func(c *Config) { c.StopTimeout = -1 },
		`parameter "hba_file" in Settings`: func(c *Config) { c.Settings = map[string]string{"hba_file": "/dev/null"} },
		`parameter "port" in Settings`:     func(c *Config) { c.Settings = map[string]string{"port": "1"} },
	} {
		cfg := DefaultConfig("/somewhere")
		spoil(&cfg)
		require.ErrorContains(t, cfg.Validate(), want)
		_, err := Start(t.Context(), cfg)
		require.ErrorContains(t, err, want)
	}
}

func TestLargeLogIsPutAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, outputFile)
	old := strings.Repeat("x", maxOutput+1)
	require.NoError(t, os.WriteFile(path, []byte(old), 0o600))
	out, err := openOutput(dir)
	require.NoError(t, err)
	defer out.close()
	aside, err := os.ReadFile(path + ".1")
	require.NoError(t, err)
	require.Len(t, aside, len(old))
	require.Empty(t, out.tail())
}

func TestQuoteIsTheEndOfThisStartAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, outputFile), []byte("an earlier start\n"), 0o600))
	out, err := openOutput(dir)
	require.NoError(t, err)
	defer out.close()
	_, err = out.file.WriteString("this start\n")
	require.NoError(t, err)
	require.Equal(t, "this start", out.tail())
	_, err = out.file.WriteString(strings.Repeat("y", 2*maxQuote) + "the end\n")
	require.NoError(t, err)
	require.Len(t, out.tail(), maxQuote-1)
	require.True(t, strings.HasSuffix(out.tail(), "the end"))
}

func TestRemovedLockIsNotMistakenForTheCurrentOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held, err := lock(dir)
	require.NoError(t, err)
	path := filepath.Join(dir, lockFile)
	current, err := stillAt(held, path)
	require.NoError(t, err)
	require.True(t, current)

	require.NoError(t, os.Remove(path))
	current, err = stillAt(held, path)
	require.NoError(t, err)
	require.False(t, current)
	next, err := lock(dir)
	require.NoError(t, err)
	current, err = stillAt(held, path)
	require.NoError(t, err)
	require.False(t, current, "another file bears the name now")
	locks{held, next}.release()
}
