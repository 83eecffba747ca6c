package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/platform/fault"
)

func TestAClipIsAFileOfItsOwnForTheInspectorAndGoneAfterwards(t *testing.T) {
	t.Parallel()
	seen := make(chan Job, 1)
	r := serveJobs(t, testConfig(t), labour{clip: func(_ context.Context, job Job) (engine.Report, error) {
		seen <- job
		content, err := os.ReadFile(job.Path)
		report := clipVerdict()
		report.Detail.File.Format = string(content)
		return report, errors.Join(err, os.WriteFile(filepath.Join(job.Dir, "frame"), content, 0o600))
	}})
	report, err := r.CheckClip(t.Context(), video("moving pixels"))
	require.NoError(t, err)
	require.Equal(t, "moving pixels", report.Detail.File.Format)
	require.Contains(t, report.Detail.TimingsMS, "queue")
	require.Contains(t, report.Detail.TimingsMS, "receive")
	job := <-seen
	require.Equal(t, engine.Video, job.Media)
	require.InDelta(t, 60, job.MaxSeconds, 0)
	require.Equal(t, r.server.cfg.Scratch, filepath.Dir(job.Dir))
	require.Equal(t, job.Dir, filepath.Dir(job.Path))
	require.Equal(t, job.Dir, filepath.Dir(job.Out))
	requireNoFiles(t, r)
}

func TestARenderingArrivesWhole(t *testing.T) {
	t.Parallel()
	output := strings.Repeat("rendered", 1<<19)
	r := serveJobs(t, testConfig(t), labour{paint: paintBytes(output)})
	var kept string
	rendered, err := r.Render(t.Context(), keep("pixels", &kept))
	require.NoError(t, err)
	require.Equal(t, int64(len(output)), rendered.Bytes)
	require.Equal(t, engine.Excellent, rendered.Score.Zone)
	require.Equal(t, output, kept)
	requireNoFiles(t, r)
}

func TestProgressReachesTheCallerInItsRangeAndNeverGoesBack(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Heartbeat = 20 * time.Millisecond
	told := make(chan float64, 1<<10)
	r := serveJobs(t, cfg, labour{clip: func(ctx context.Context, job Job) (engine.Report, error) {
		for _, done := range []float64{0.25, math.NaN(), 0.125, -1, 0.5, math.Inf(1)} {
			job.Progress(done)
			select {
			case <-time.After(30 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		return clipVerdict(), nil
	}})
	req := video("x")
	req.Progress = func(done float64) { told <- done }
	_, err := r.CheckClip(t.Context(), req)
	require.NoError(t, err)
	close(told)
	last := 0.0
	seen := map[float64]int{}
	for done := range told {
		require.GreaterOrEqual(t, done, last)
		seen[done]++
		last = done
	}
	require.InDelta(t, 1, last, 0)
	require.Contains(t, seen, 0.25)
	require.Greater(t, seen[0.25], 1, "a job that stands still gives signs of life")
}

func TestFaultsOfAJobReachTheCaller(t *testing.T) {
	t.Parallel()
	long := fault.New(fault.VideoTooLong, "Too long.").WithDetail(map[string]float64{"seconds": 181.5, "max_seconds": 180})
	cases := map[string]struct {
		err  error
		want fault.Code
	}{
		"too long":       {long, fault.VideoTooLong},
		"undecodable":    {fault.New(fault.VideoUnsupported, "No picture."), fault.VideoUnsupported},
		"long sound":     {fault.New(fault.AudioTooLong, "Too long."), fault.AudioTooLong},
		"no sound":       {fault.New(fault.AudioUnsupported, "No sound."), fault.AudioUnsupported},
		"no re-render":   {fault.Wrap(errors.New("at /scratch"), fault.Stage1Failed, "Failed."), fault.Stage1Failed},
		"no model":       {fault.New(fault.ModelUnavailable, "No model."), fault.ModelUnavailable},
		"an error":       {errors.New("disk on fire at /scratch"), fault.EngineError},
		"another's code": {fault.New(fault.QuotaExceeded, "Pay."), fault.EngineError},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := serveJobs(t, testConfig(t), labour{
				clip:  func(context.Context, Job) (engine.Report, error) { return engine.Report{}, c.err },
				paint: func(context.Context, Job) (engine.Rendered, error) { return engine.Rendered{}, c.err },
			})
			_, err := r.CheckClip(t.Context(), video("x"))
			require.Equal(t, c.want, fault.CodeOf(err), "%v", err)
			require.NotContains(t, err.Error(), "scratch")
			var kept string
			_, err = r.Render(t.Context(), keep("x", &kept))
			require.Equal(t, c.want, fault.CodeOf(err), "%v", err)
			require.Empty(t, kept)
			if c.want == fault.VideoTooLong {
				detail, err := json.Marshal(fault.From(err).Detail)
				require.NoError(t, err)
				require.JSONEq(t, `{"seconds":181.5,"max_seconds":180}`, string(detail))
			}
			requireNoFiles(t, r)
		})
	}
}

func TestAPanicFailsItsOwnJobAlone(t *testing.T) {
	t.Parallel()
	r := serveJobs(t, testConfig(t), labour{clip: func(_ context.Context, job Job) (engine.Report, error) {
		if content, _ := os.ReadFile(job.Path); string(content) == "bad" {
			panic("parser slipped")
		}
		return clipVerdict(), nil
	}})
	_, err := r.CheckClip(t.Context(), video("bad"))
	require.Equal(t, fault.EngineError, fault.CodeOf(err))
	_, err = r.CheckClip(t.Context(), video("good"))
	require.NoError(t, err)
	requireNoFiles(t, r)
}

func TestAnOutputThatIsNotWhatWasSaidIsNotSent(t *testing.T) {
	t.Parallel()
	cases := map[string]func(ctx context.Context, job Job) (engine.Rendered, error){
		"missing": func(ctx context.Context, job Job) (engine.Rendered, error) {
			rendered, err := paintBytes("output")(ctx, job)
			return rendered, errors.Join(err, os.Remove(job.Out))
		},
		"longer": func(ctx context.Context, job Job) (engine.Rendered, error) {
			rendered, err := paintBytes("output")(ctx, job)
			rendered.Bytes--
			return rendered, err
		},
		"empty": paintBytes(""),
		"a folder": func(ctx context.Context, job Job) (engine.Rendered, error) {
			rendered, err := paintBytes("output")(ctx, job)
			return rendered, errors.Join(err, os.Remove(job.Out), os.Mkdir(job.Out, 0o700))
		},
		"no JSON": func(ctx context.Context, job Job) (engine.Rendered, error) {
			rendered, err := paintBytes("output")(ctx, job)
			rendered.Detail = math.NaN()
			return rendered, err
		},
	}
	for name, paint := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := serveJobs(t, testConfig(t), labour{paint: paint})
			var kept string
			_, err := r.Render(t.Context(), keep("x", &kept))
			require.Equal(t, fault.EngineError, fault.CodeOf(err), "%v", err)
			require.Empty(t, kept)
			requireNoFiles(t, r)
		})
	}
}

func TestAJobOverItsTimeIsUnavailableAndTheEngineGoesOn(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.JobTimeout = time.Second
	causes := make(chan error, 1)
	r := serveJobs(t, cfg, labour{scripted: alwaysVerdict, clip: func(ctx context.Context, _ Job) (engine.Report, error) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return engine.Report{}, fault.Wrap(ctx.Err(), fault.Stage1Failed, "The program was killed.")
	}})
	requireUnavailable(t, <-r.checkClip(t.Context(), "slow"))
	require.ErrorIs(t, <-causes, errOverTime)
	requireNoFiles(t, r)
	_, err := r.CheckImage(t.Context(), image("x"))
	require.NoError(t, err)
	require.Empty(t, r.ended)
}

func alwaysVerdict(context.Context, []byte) (engine.Report, error) { return verdict(), nil }

func TestAStuckJobEndsTheEngine(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.JobTimeout, cfg.JobGrace, cfg.Drain = time.Second, 20*time.Millisecond, 20*time.Millisecond
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	r := serveJobs(t, cfg, labour{clip: func(context.Context, Job) (engine.Report, error) {
		<-forever
		return clipVerdict(), nil
	}})
	requireUnavailable(t, <-r.checkClip(t.Context(), "stuck"))
	require.ErrorIs(t, <-r.ended, ErrStuck)
	requireUnavailable(t, <-r.checkClip(t.Context(), "late"))
}

func TestACallerThatLeavesEndsItsJob(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	r := serveJobs(t, testConfig(t), labour{clip: func(ctx context.Context, _ Job) (engine.Report, error) {
		close(started)
		<-ctx.Done()
		return engine.Report{}, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	done := r.checkClip(ctx, "x")
	<-started
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	requireNoFiles(t, r)
	require.Empty(t, r.ended)
}

func TestAnErrorOfSaveEndsTheCallAndTheJob(t *testing.T) {
	t.Parallel()
	r := serveJobs(t, testConfig(t), labour{paint: paintBytes(strings.Repeat("x", 8<<20))})
	full := errors.New("the bucket is full")
	req := keep("x", new(string))
	req.Save = func(context.Context, engine.Rendered, io.Reader) error { return full }
	_, err := r.Render(t.Context(), req)
	require.Same(t, full, err)
	requireNoFiles(t, r)
}

func TestASlowFetchOfAnOutputHoldsUpNoOtherJob(t *testing.T) {
	t.Parallel()
	output := strings.Repeat("rendered", 1<<20)
	r := serveJobs(t, testConfig(t), labour{paint: paintBytes(output)})
	saving, fetch := make(chan struct{}), make(chan struct{})
	var kept bytes.Buffer
	slow := keep("x", new(string))
	slow.Save = func(_ context.Context, _ engine.Rendered, body io.Reader) error {
		close(saving)
		<-fetch
		_, err := io.Copy(&kept, body)
		return err
	}
	done := make(chan error, 1)
	go func() { _, err := r.Render(t.Context(), slow); done <- err }()
	<-saving
	var other string
	_, err := r.Render(t.Context(), keep("y", &other))
	require.NoError(t, err)
	require.Equal(t, output, other)
	close(fetch)
	require.NoError(t, <-done)
	require.Equal(t, output, kept.String())
	requireNoFiles(t, r)
}

func TestAnOutputThatNobodyFetchesLosesItsRoom(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.SendStall = 50 * time.Millisecond
	r := serveJobs(t, cfg, labour{paint: paintBytes(strings.Repeat("x", 8<<20))})
	req := keep("x", new(string))
	req.Save = func(_ context.Context, _ engine.Rendered, body io.Reader) error {
		requireNoFiles(t, r)
		_, err := io.Copy(io.Discard, body)
		return err
	}
	_, err := r.Render(t.Context(), req)
	requireUnavailable(t, err)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
