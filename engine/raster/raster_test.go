package raster_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/davidbyttow/govips/v2/vips"
	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
	"veracity/engine/raster"
)

// decoder is the process's one libvips, and logged is what it wrote.
var (
	decoder *raster.Decoder
	logged  recorder
)

// recorder is a log that can be read by many tests while others write it.
type recorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *recorder) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(line)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func TestMain(m *testing.M) {
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	d, err := raster.Startup(raster.DefaultConfig(), log)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	decoder = d
	code := m.Run()
	d.Shutdown()
	os.Exit(code)
}

func decode(ctx context.Context, data []byte) (*raster.Image, error) {
	return decoder.Decode(ctx, data, probe.Sniff(data))
}

func mustDecode(t *testing.T, data []byte) *raster.Image {
	t.Helper()
	m, err := decode(t.Context(), data)
	require.NoError(t, err)
	require.Len(t, m.Pix, m.Width*m.Height*m.Channels)
	return m
}

func TestLibvipsStartsOncePerProcess(t *testing.T) {
	t.Parallel()
	_, err := raster.Startup(raster.DefaultConfig(), slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "started before")
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	require.NoError(t, raster.DefaultConfig().Validate())
	tests := map[string]func(*raster.Config){
		"MaxBytes is 0":    func(c *raster.Config) { c.MaxBytes = 0 },
		"MaxPixels is -1":  func(c *raster.Config) { c.MaxPixels = -1 },
		"Threads is 65":    func(c *raster.Config) { c.Threads = 65 },
		"from 1 to 64":     func(c *raster.Config) { c.Threads = 0 },
		"MaxPixels is 214": func(c *raster.Config) { c.MaxPixels = 1<<31 + 1 },
	}
	for want, change := range tests {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			cfg := raster.DefaultConfig()
			change(&cfg)
			require.ErrorContains(t, cfg.Validate(), want)
			_, err := raster.Startup(cfg, slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, want)
		})
	}
}

// Whatever libvips was built with, only the loaders that this package names may run.
func TestOtherLoadersAreBlocked(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"SVG": `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>`,
		"PDF": "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj trailer<</Root 1 0 R>>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := vips.NewImageFromBuffer([]byte(file))
			require.ErrorContains(t, err, "blocked")
		})
	}
}

// What libvips says of callers' files belongs to the log at its lowest level, never to the terminal.
func TestComplaintsAboutFilesGoToTheLog(t *testing.T) {
	t.Parallel()
	whole := mediatest.JPEG(t, 64, 48)
	_, err := decode(t.Context(), whole[:len(whole)-100])
	require.Error(t, err)
	require.Contains(t, logged.String(), "level=DEBUG msg=libvips domain=VIPS")
}
