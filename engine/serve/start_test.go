package serve

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
)

func TestScratchIsWipedAtEachStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "scratch")
	require.NoError(t, prepareScratch(dir))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "check", "frames"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "left"), []byte("x"), 0o600))
	require.NoError(t, prepareScratch(dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, scratchMarker, entries[0].Name())
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestAFolderOfOtherFilesIsNeverWiped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	precious := filepath.Join(dir, "thesis")
	require.NoError(t, os.WriteFile(precious, []byte("x"), 0o600))
	require.ErrorContains(t, prepareScratch(dir), "holds other files")
	require.FileExists(t, precious)
}

func TestALinkIsNoScratch(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(t.TempDir(), link))
	require.ErrorContains(t, prepareScratch(link), "no link")
}

func TestASocketOfADeadEngineIsTakenOverAndThatOfALivingOneIsNot(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	listener, err := listen(t.Context(), cfg)
	require.NoError(t, err)
	info, err := os.Stat(cfg.Socket)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = listen(t.Context(), cfg)
	require.ErrorContains(t, err, "listens already")

	require.NoError(t, listener.Close())
	require.FileExists(t, cfg.Socket)
	again, err := listen(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestASocketPathThatIsAFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	require.NoError(t, os.WriteFile(cfg.Socket, []byte("x"), 0o600))
	_, err := listen(t.Context(), cfg)
	require.ErrorContains(t, err, "a file of another kind")
	require.FileExists(t, cfg.Socket)
}

func TestTheHandoffCarriesSettingsAndListenerButNoToken(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Token = "secret-token"
	listener, err := listen(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	socket, ok := listener.(interface{ File() (*os.File, error) })
	require.True(t, ok)
	file, err := socket.File()
	require.NoError(t, err)
	sent := newHandoff(cfg)
	pipe, err := sent.pack()
	require.NoError(t, err)
	// unpack owns the descriptors that it is told of, so it gets copies.
	got, taken, err := unpack(descriptors(duplicate(t, file), duplicate(t, pipe)))
	require.NoError(t, err)
	require.NoError(t, taken.Close())
	require.Empty(t, got.Config.Token)
	require.Len(t, got.TokenSum, 32)
	require.Equal(t, sent.TokenSum, got.TokenSum)
	cfg.Token = ""
	require.Equal(t, cfg, got.Config)
}

// duplicate answers a copy of file's descriptor that no os.File closes, and closes file.
func duplicate(t *testing.T, file *os.File) uintptr {
	t.Helper()
	fd, err := syscall.Dup(int(file.Fd()))
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return uintptr(fd)
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	good := DefaultConfig(2)
	good.Socket, good.Scratch = "/run/veracity/s", "/var/tmp/veracity"
	require.NoError(t, good.Validate())
	require.Equal(t, 8, good.Queue)
	for want, spoil := range map[string]func(*Config){
		"exactly one":           func(c *Config) { c.Listen = "127.0.0.1:1" },
		"Socket":                func(c *Config) { c.Socket = "/" + strings.Repeat("s", maxSocketPath) },
		"Scratch":               func(c *Config) { c.Scratch = "/" },
		"Cores":                 func(c *Config) { c.Cores = 0 },
		"Queue":                 func(c *Config) { c.Queue = -1 },
		"QueueWait":             func(c *Config) { c.QueueWait = 0 },
		"ReceiveTimeout":        func(c *Config) { c.ReceiveTimeout = 0 },
		"CheckTimeout":          func(c *Config) { c.CheckTimeout = -time.Second },
		"StuckGrace":            func(c *Config) { c.StuckGrace = 0 },
		"Drain":                 func(c *Config) { c.Drain = 0 },
		"VERACITY_ENGINE_JOBS":  func(c *Config) { c.Jobs = 0 },
		"JOB_QUEUE_WAIT":        func(c *Config) { c.JobQueueWait = 0 },
		"JobTimeout":            func(c *Config) { c.JobTimeout = 0 },
		"JobGrace":              func(c *Config) { c.JobGrace = 0 },
		"ReceiveStall":          func(c *Config) { c.ReceiveStall = -1 },
		"SendStall":             func(c *Config) { c.SendStall = 0 },
		"Heartbeat":             func(c *Config) { c.Heartbeat = 0 },
		"SCRATCH_BYTES":         func(c *Config) { c.ScratchBytes = 2*engine.MaxClipBytes - 1 },
		"MemoryBytes":           func(c *Config) { c.MemoryBytes = 1 << 20 },
		`Models holds "lists"`:  func(c *Config) { c.Read = []string{"lists"} },
		`Models holds "models"`: func(c *Config) { c.Models.Pixels = "models" },
		"Env":                   func(c *Config) { c.Env = []string{"=x"} },
		"VERACITY_ENGINE_TOKEN": func(c *Config) { c.Socket, c.Listen = "", "127.0.0.1:1" },
		`Listen is "127.0.0.1"`: func(c *Config) { c.Socket, c.Listen, c.Token = "", "127.0.0.1", "t" },
	} {
		bad := good
		spoil(&bad)
		require.ErrorContains(t, bad.Validate(), want)
	}
}

func TestTheLockFollowsTheSettings(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig(4)
	cfg.Scratch, cfg.Env = "/var/tmp/veracity", []string{"GORACE=x"}
	p := cfg.policy()
	require.NoError(t, p.Validate())
	require.Equal(t, cfg.MemoryBytes, p.Limits.MemoryBytes)
	require.Greater(t, p.Limits.OpenFiles, cfg.Cores+cfg.Queue+(1+jobQueue)*cfg.Jobs)
	require.GreaterOrEqual(t, p.Limits.FileBytes, int64(engine.MaxClipBytes))
	require.Equal(t, cfg.Exec, p.Exec)
	for _, entry := range cfg.environment() {
		name, value, _ := strings.Cut(entry, "=")
		require.Contains(t, []string{"PATH", "LANG", "HOME", "TMPDIR", "XDG_CACHE_HOME", "GORACE"}, name)
		require.NotEmpty(t, value, strconv.Quote(entry))
	}
}

func TestTheInspectorIsToldOfItsPrograms(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/usr/bin/no-such-program", findProgram("no-such-program"))
	path, err := exec.LookPath("env")
	require.NoError(t, err)
	require.Equal(t, "/usr/bin/env", path)
	require.Equal(t, path, findProgram("env"))

	cfg := testConfig(t)
	cfg.Exec = []string{"/opt/video/ffmpeg", "/usr/bin/env"}
	told := make(chan Setup, 1)
	serveFor(t, cfg, func(_ context.Context, setup Setup) (Inspector, error) {
		told <- setup
		return idle, nil
	})
	setup := <-told
	require.Equal(t, "/opt/video/ffmpeg", setup.FFmpeg)
	require.Empty(t, setup.FFprobe)
	require.Equal(t, cfg.Scratch, setup.Scratch)
	require.Equal(t, []string{"ffmpeg", "ffprobe"},
		[]string{filepath.Base(DefaultConfig(1).Exec[0]), filepath.Base(DefaultConfig(1).Exec[1])})
}

func TestMemoryGrowsWithChecksAndJobs(t *testing.T) {
	t.Parallel()
	require.Equal(t, DefaultMemory(4, 4), DefaultConfig(4).MemoryBytes)
	require.Equal(t, int64(jobMemory), DefaultMemory(4, 5)-DefaultMemory(4, 4))
	require.Equal(t, int64(coreMemory), DefaultMemory(5, 4)-DefaultMemory(4, 4))
}

func TestServingEndsInOrder(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	listener, err := listen(t.Context(), cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s := newServer(cfg, nil, nil, quiet())
	ended := make(chan error, 1)
	go func() {
		ended <- serveOn(ctx, s, listener, func(context.Context, Setup) (Inspector, error) {
			return scripted(func(context.Context, []byte) (engine.Report, error) { return verdict(), nil }), nil
		})
	}()
	cancel()
	require.NoError(t, <-ended)
}
