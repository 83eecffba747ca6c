package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/platform/fault"
)

// scripted is an Inspector that does what a test says.
type scripted func(ctx context.Context, data []byte) (engine.Report, error)

func (f scripted) Inspect(ctx context.Context, data []byte) (engine.Report, error) {
	return f(ctx, data)
}

func (scripted) Accept(context.Context, []byte) (engine.File, error) {
	return engine.File{}, errUnscripted
}

func (scripted) InspectClip(context.Context, Job) (engine.Report, error) {
	return engine.Report{}, errUnscripted
}

func (scripted) Render(context.Context, Job) (engine.Rendered, error) {
	return engine.Rendered{}, errUnscripted
}

// errUnscripted says that a test asked for what it did not script.
var errUnscripted = errors.New("not in the test's script")

func (scripted) Models() map[string]string { return map[string]string{"pixels": "none"} }

func (scripted) Fault() *fault.Fault { return nil }

// verdict is a report that a client takes for one.
func verdict() engine.Report {
	return engine.Report{Media: engine.Image, Verdict: engine.Unavailable, DecidedBy: engine.ByWeighed}
}

// blocking is an Inspector whose checks wait: each tells started and goes on when released.
type blocking struct {
	started chan string
	release chan struct{}
}

func newBlocking() blocking {
	return blocking{started: make(chan string, 64), release: make(chan struct{})}
}

func (b blocking) inspect(ctx context.Context, data []byte) (engine.Report, error) {
	b.started <- string(data)
	select {
	case <-b.release:
		return verdict(), nil
	case <-ctx.Done():
		return engine.Report{}, ctx.Err()
	}
}

// testConfig is an engine of one place without a queue on a socket with a short path.
func testConfig(t *testing.T) Config {
	t.Helper()
	dir, err := os.MkdirTemp("", "vsrv") //nolint:usetesting // A socket's path is short.
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	cfg := DefaultConfig(1)
	cfg.Queue = 0
	cfg.Socket, cfg.Scratch = filepath.Join(dir, "s"), filepath.Join(dir, "scratch")
	require.NoError(t, prepareScratch(cfg.Scratch))
	return cfg
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// running is a server under test, and what serveOn answered once it is over.
type running struct {
	*engine.Client
	server *server
	ended  chan error
}

// serveFor serves cfg in this process, without the lock, until the test ends.
func serveFor(t *testing.T, cfg Config, factory Factory) running {
	t.Helper()
	require.NoError(t, cfg.Validate())
	listener, err := listen(t.Context(), cfg)
	require.NoError(t, err)
	given := newHandoff(cfg)
	r := running{
		server: newServer(cfg, given.TokenSum, map[string]string{}, quiet()), ended: make(chan error, 1),
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.ended <- serveOn(ctx, r.server, listener, factory)
	}()
	t.Cleanup(func() { cancel(); <-over })
	clientConfig := engine.DefaultClientConfig()
	if clientConfig.Socket = cfg.Socket; cfg.Listen != "" {
		clientConfig.URL, clientConfig.Token, clientConfig.Region = "http://"+listener.Addr().String(), cfg.Token, cfg.Region
	}
	r.Client, err = engine.NewClient(clientConfig)
	require.NoError(t, err)
	return r
}

// serveInspector is serveFor with a ready Inspector.
func serveInspector(t *testing.T, cfg Config, inspector scripted) running {
	t.Helper()
	return serveJobs(t, cfg, inspector)
}

// serveJobs is serveInspector for an Inspector that also works on jobs.
func serveJobs(t *testing.T, cfg Config, inspector Inspector) running {
	t.Helper()
	r := serveFor(t, cfg, func(context.Context, Setup) (Inspector, error) { return inspector, nil })
	require.Eventually(t, func() bool { return r.Ready(t.Context()) == nil }, 10*time.Second, 5*time.Millisecond)
	return r
}

func image(text string) engine.Source {
	return engine.Source{Body: strings.NewReader(text), Size: int64(len(text))}
}

// check runs a check on its own goroutine and answers where its error will come.
func (r running) check(t *testing.T, src engine.Source) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := r.CheckImage(t.Context(), src)
		done <- err
	}()
	return done
}

func requireUnavailable(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, fault.EngineUnavailable, fault.CodeOf(err), "%v", err)
	require.Positive(t, fault.From(err).RetryAfter)
}

// labour is a scripted Inspector that also works on jobs as a test says.
type labour struct {
	scripted
	accept func(ctx context.Context, data []byte) (engine.File, error)
	clip   func(ctx context.Context, job Job) (engine.Report, error)
	paint  func(ctx context.Context, job Job) (engine.Rendered, error)
}

func (l labour) Accept(ctx context.Context, data []byte) (engine.File, error) {
	return l.accept(ctx, data)
}

func (l labour) InspectClip(ctx context.Context, job Job) (engine.Report, error) {
	return l.clip(ctx, job)
}

func (l labour) Render(ctx context.Context, job Job) (engine.Rendered, error) {
	return l.paint(ctx, job)
}

// clipVerdict is a report on a video that a client takes for one.
func clipVerdict() engine.Report {
	return engine.Report{
		Media: engine.Video, Verdict: engine.Unavailable, DecidedBy: engine.ByWeighed,
		Video: &engine.VideoInfo{
			Seconds: 2, FPS: 25, Frames: 50, Width: 64, Height: 48, Audio: engine.NoSound, Readings: []engine.Reading{},
		},
	}
}

// paintBytes is a rendering that writes the given output.
func paintBytes(output string) func(context.Context, Job) (engine.Rendered, error) {
	return func(_ context.Context, job Job) (engine.Rendered, error) {
		return engine.Rendered{
			ContentType: "image/png", Bytes: int64(len(output)), Width: 64, Height: 48,
			Score: engine.OptimizationScore{Score: 80, Zone: engine.Excellent},
		}, os.WriteFile(job.Out, []byte(output), 0o600)
	}
}

func video(text string) engine.ClipRequest {
	return engine.ClipRequest{Source: image(text), Media: engine.Video, MaxSeconds: 60}
}

// keep is the rendering of an image whose output is kept in *kept.
func keep(text string, kept *string) engine.RenderRequest {
	return engine.RenderRequest{
		Source: image(text), Media: engine.Image,
		Save: func(_ context.Context, _ engine.Rendered, body io.Reader) error {
			output, err := io.ReadAll(body)
			*kept = string(output)
			return err
		},
	}
}

// checkClip runs the check of a clip on its own goroutine and answers where its error will come.
func (r running) checkClip(ctx context.Context, text string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := r.CheckClip(ctx, video(text))
		done <- err
	}()
	return done
}

// requireNoFiles waits until no job has anything in the scratch folder, nor reserved there.
func requireNoFiles(t *testing.T, r running) {
	t.Helper()
	require.Eventually(t, func() bool {
		left, err := filepath.Glob(filepath.Join(r.server.cfg.Scratch, "job-*"))
		return err == nil && len(left) == 0 && r.server.rooms.left() == r.server.cfg.ScratchBytes
	}, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return r.server.jobs.running() == 0 }, 10*time.Second, time.Millisecond)
}
