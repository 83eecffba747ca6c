package ffmpeg

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// newTool is a tool with the product's settings, changed by each of the given functions.
func newTool(t *testing.T, changes ...func(*Config)) *Tool {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Threads = 1
	for _, change := range changes {
		change(&cfg)
	}
	tool, err := New(cfg)
	require.NoError(t, err)
	return tool
}

// probed makes a clip and probes it.
func probed(t *testing.T, tool *Tool, s clips.Spec) Clip {
	t.Helper()
	clip, err := tool.Probe(t.Context(), clips.File(t, s), s.Format)
	require.NoError(t, err)
	return clip
}

// probedBytes probes a file of the given bytes as an MP4.
func probedBytes(t *testing.T, tool *Tool, file []byte) (Clip, error) {
	t.Helper()
	return tool.Probe(t.Context(), clips.Write(t, "clip.mp4", file), probe.MP4)
}

// eighths are the times at which a clip's eight readings lie.
func eighths(whole float64) []float64 {
	at := make([]float64, 8)
	for i := range at {
		at[i] = (float64(i) + 0.5) * whole / 8
	}
	return at
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	require.NoError(t, DefaultConfig().Validate())
	cases := map[string]func(*Config){
		"FFmpeg":      func(c *Config) { c.FFmpeg = "ffmpeg" },
		"FFprobe":     func(c *Config) { c.FFprobe = "" },
		"Threads":     func(c *Config) { c.Threads = 0 },
		"MaxPixels":   func(c *Config) { c.MaxPixels = 1 << 40 },
		"MemoryBytes": func(c *Config) { c.MemoryBytes = 1 },
		"Nice":        func(c *Config) { c.Nice = -1 },
		"ReadTimeout": func(c *Config) { c.ReadTimeout = 0 },
		"RunTimeout":  func(c *Config) { c.RunTimeout = -time.Second },
		"Log":         func(c *Config) { c.Log = nil },
	}
	for name, spoil := range cases {
		cfg := DefaultConfig()
		spoil(&cfg)
		require.ErrorContains(t, cfg.Validate(), name)
		_, err := New(cfg)
		require.ErrorContains(t, err, name)
	}
}

func TestAMissingProgramIsNamed(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	cfg.FFprobe = filepath.Join(t.TempDir(), "ffprobe")
	_, err := New(cfg)
	require.ErrorContains(t, err, cfg.FFprobe)
	require.ErrorContains(t, err, "FFprobe")

	// One that goes away later is a fault of the machine, not of the clip.
	tool := newTool(t)
	tool.cfg.FFprobe = cfg.FFprobe
	_, err = tool.Probe(t.Context(), clips.File(t, clips.Spec{Format: probe.MP4}), probe.MP4)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, ErrUndecodable)
}

func TestStartsAreLogged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	tool := newTool(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	probed(t, tool, clips.Spec{Format: probe.MP4})
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "program=ffprobe")
}
