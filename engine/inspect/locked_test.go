package inspect

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"veracity/engine"
	"veracity/engine/serve"
	"veracity/engine/supervise"
	"veracity/platform/fault"
)

// roleEngine makes the test binary an engine process, as the product's engine command does.
const roleEngine = "engine"

var raceEnv = []string{"GORACE=atexit_sleep_ms=0"}

func beEngine(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c := serve.Command{
		Supervised: len(args) == 0, Input: os.Stdin, Reexec: []string{roleEngine}, New: New,
		Log: slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	}
	if len(args) == 1 {
		c.Handoff = args[0]
	}
	return serve.Main(ctx, c)
}

// lockedEngine starts a whole engine in its sandbox.
func lockedEngine(t *testing.T, changes ...func(*serve.Config)) *engine.Client {
	t.Helper()
	settings := serve.DefaultConfig(2)
	settings.Env, settings.Strict, settings.Queue = raceEnv, true, 64
	for _, change := range changes {
		change(&settings)
	}
	cfg := supervise.DefaultConfig(settings, slog.New(slog.DiscardHandler), roleEngine)
	cfg.Env = raceEnv
	s, err := supervise.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, s.WaitReady(ctx))
	clientConfig := engine.DefaultClientConfig()
	clientConfig.Socket = s.Socket()
	client, err := engine.NewClient(clientConfig)
	require.NoError(t, err)
	return client
}

func source(data []byte) engine.Source {
	return engine.Source{Body: bytes.NewReader(data), Size: int64(len(data))}
}

func TestALockedEngineReadsEveryFormat(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t)
	for name, data := range formats(t) {
		report, err := client.CheckImage(t.Context(), source(data))
		require.NoError(t, err, name)
		require.Equal(t, name, report.Detail.File.Format)
		require.Equal(t, 64, report.Detail.File.Width)
	}
	report, err := client.CheckImage(t.Context(), source(labelled(t)))
	require.NoError(t, err)
	require.Equal(t, engine.AI, report.Verdict)
	_, err = client.CheckImage(t.Context(), source([]byte("no image")))
	require.Equal(t, fault.UnsupportedMedia, fault.CodeOf(err))
}

func TestALockedEngineServesManyAtOnce(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t)
	all := formats(t)
	group, ctx := errgroup.WithContext(t.Context())
	for range 6 {
		for name, data := range all {
			group.Go(func() error {
				report, err := client.CheckImage(ctx, source(data))
				if err == nil && report.Detail.File.Format != name {
					err = fmt.Errorf("%s was taken for %s", name, report.Detail.File.Format)
				}
				return err
			})
		}
	}
	require.NoError(t, group.Wait())
}
