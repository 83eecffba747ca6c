package supervise

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/serve"
)

func TestRestartsComeAtOnceThenEverSlower(t *testing.T) {
	t.Parallel()
	milliseconds := []int64{0, 100, 200, 400, 800, 1600, 3200, 5000, 5000}
	for i, want := range milliseconds {
		require.Equal(t, want, wait(i+1).Milliseconds())
	}
	require.Equal(t, maxWait, wait(1000))
}

func TestTheEnginesLogKeepsItsLevelsAndAttributes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := &logWriter{ctx: t.Context(), log: slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo}))}
	said := `{"time":"2025-01-02T03:04:05Z","level":"ERROR","msg":"check failed","cause":"no memory"}` + "\n" +
		`{"level":"DEBUG","msg":"hidden"}` + "\nVIPS-WARN"
	for _, part := range []string{said[:30], said[30:], "ING: odd\n\n", strings.Repeat("x", maxLine+5)} {
		n, err := w.Write([]byte(part))
		require.NoError(t, err)
		require.Len(t, part, n)
	}
	require.Equal(t, "xxxxx", w.flush())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	require.JSONEq(t, `{"time":"2025-01-02T03:04:05Z","level":"ERROR","msg":"check failed","cause":"no memory"}`, lines[0])
	var warning map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &warning))
	require.Equal(t, "WARN", warning["level"])
	require.Equal(t, "VIPS-WARNING: odd", warning["msg"])
}

func TestTheFolderIsPrivateAndItsPathShort(t *testing.T) {
	t.Parallel()
	deep := filepath.Join(t.TempDir(), strings.Repeat("deep", 30))
	require.NoError(t, os.MkdirAll(deep, 0o700))
	dir, err := privateFolder(deep)
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.Equal(t, shortBase, filepath.Dir(dir))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	left, err := os.ReadDir(deep)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSweepingSparesTheLivingAndStrangers(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, name := range []string{"veracity-engine-1-live", "veracity-engine-x-odd", "veracity-engine-999999999-dead", "other"} {
		require.NoError(t, os.Mkdir(filepath.Join(base, name), 0o700))
	}
	require.NoError(t, sweep(base))
	require.NoDirExists(t, filepath.Join(base, "veracity-engine-999999999-dead"))
	left, err := os.ReadDir(base)
	require.NoError(t, err)
	require.Len(t, left, 3)
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*Config){
		"StartTimeout": func(c *Config) { c.StartTimeout = 0 },
		"ProbeEvery":   func(c *Config) { c.ProbeEvery = 0 },
		"ProbeTimeout": func(c *Config) { c.ProbeTimeout = -1 },
		"ProbeMisses":  func(c *Config) { c.ProbeMisses = 0 },
		"HealthyAfter": func(c *Config) { c.HealthyAfter = 0 },
		"StopTimeout":  func(c *Config) { c.StopTimeout = 0 },
		"Log":          func(c *Config) { c.Log = nil },
		"Cores":        func(c *Config) { c.Engine.Cores = 0 },
	} {
		cfg := DefaultConfig(serve.DefaultConfig(1), slog.New(slog.DiscardHandler))
		spoil(&cfg)
		_, err := Start(t.Context(), cfg)
		require.ErrorContains(t, err, want)
	}
}
