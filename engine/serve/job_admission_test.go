package serve

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"veracity/engine"
	"veracity/platform/fault"
)

// heldClips is an Inspector whose clips wait: each tells started and goes on when released.
func heldClips() (labour, blocking) {
	b := newBlocking()
	return labour{scripted: alwaysVerdict, clip: func(ctx context.Context, job Job) (engine.Report, error) {
		_, err := b.inspect(ctx, nil)
		return clipVerdict(), err
	}}, b
}

func TestJobsWaitForTheirPlaceAndTakeNoneOfTheImages(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.JobQueueWait = 100 * time.Millisecond
	inspector, work := heldClips()
	r := serveJobs(t, cfg, inspector)
	first := r.checkClip(t.Context(), "one")
	<-work.started

	refused := video("two")
	refused.Admitted = func(context.Context) error { return errors.New("admitted a refused job") }
	_, err := r.CheckClip(t.Context(), refused)
	requireUnavailable(t, err)
	require.Equal(t, jobRetryAfter, fault.From(err).RetryAfter)
	rest, err := io.ReadAll(refused.Body)
	require.NoError(t, err)
	require.Equal(t, "two", string(rest))

	_, err = r.CheckImage(t.Context(), image("x"))
	require.NoError(t, err)
	state, err := r.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 0}, []int{state.JobSlots, state.JobsRunning, state.JobsQueued})
	require.Equal(t, cfg.ScratchBytes-int64(len("one")), state.ScratchFree)
	close(work.release)
	require.NoError(t, <-first)
	requireNoFiles(t, r)
}

func TestAQueuedJobGetsThePlaceThatBecomesFree(t *testing.T) {
	t.Parallel()
	inspector, work := heldClips()
	r := serveJobs(t, testConfig(t), inspector)
	first := r.checkClip(t.Context(), "one")
	<-work.started
	second := r.checkClip(t.Context(), "two")
	require.Eventually(t, func() bool { return r.server.jobs.queued() == 1 }, 10*time.Second, time.Millisecond)
	close(work.release)
	require.NoError(t, <-first)
	require.NoError(t, <-second)
}

func TestNeverMoreJobsAtOnceThanPlaces(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Jobs = 3
	var now, peak atomic.Int32
	r := serveJobs(t, cfg, labour{clip: func(context.Context, Job) (engine.Report, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := peak.Load(); n > old && !peak.CompareAndSwap(old, n); old = peak.Load() {
		}
		<-time.After(time.Millisecond)
		return clipVerdict(), nil
	}})
	var group errgroup.Group
	for range 20 {
		group.Go(func() error { _, err := r.CheckClip(t.Context(), video("x")); return err })
	}
	require.NoError(t, group.Wait())
	require.LessOrEqual(t, peak.Load(), int32(3))
	requireNoFiles(t, r)
}

func TestAJobWithoutRoomIsRefusedUnreadAndFreesItsPlace(t *testing.T) {
	t.Parallel()
	r := serveJobs(t, testConfig(t), labour{
		paint: paintBytes("output"),
		clip:  func(context.Context, Job) (engine.Report, error) { return clipVerdict(), nil },
	})
	all := r.server.rooms.left()
	require.NoError(t, r.server.rooms.reserve(all-leastRender+1))
	var kept string
	req := keep("x", &kept)
	req.Admitted = func(context.Context) error { return errors.New("admitted a refused job") }
	_, err := r.Render(t.Context(), req)
	requireUnavailable(t, err)
	require.Equal(t, jobRetryAfter, fault.From(err).RetryAfter)
	_, err = r.CheckClip(t.Context(), video("small"))
	require.NoError(t, err)

	r.server.rooms.release(all - leastRender + 1)
	_, err = r.Render(t.Context(), keep("x", &kept))
	require.NoError(t, err)
	require.Equal(t, "output", kept)
	requireNoFiles(t, r)
}

func TestAdmittedOfAJobIsCalledOnceAndItsErrorFreesPlaceAndRoom(t *testing.T) {
	t.Parallel()
	r := serveJobs(t, testConfig(t), labour{
		clip: func(context.Context, Job) (engine.Report, error) { return clipVerdict(), nil },
	})
	ours := fault.New(fault.UploadNotFound, "The upload was used.")
	calls := 0
	req := video("x")
	req.Admitted = func(context.Context) error { calls++; return ours }
	_, err := r.CheckClip(t.Context(), req)
	require.Same(t, ours, err)
	requireNoFiles(t, r)

	req = video("x")
	req.Admitted = func(context.Context) error { calls++; return nil }
	_, err = r.CheckClip(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, 2, calls)
}

func TestAClosingEngineLetsItsJobsEnd(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Drain = time.Minute
	inspector, work := heldClips()
	r := serveJobs(t, cfg, inspector)
	running := r.checkClip(t.Context(), "one")
	<-work.started
	waiting := r.checkClip(t.Context(), "two")
	require.Eventually(t, func() bool { return r.server.jobs.queued() == 1 }, 10*time.Second, time.Millisecond)
	r.server.giveUp()
	requireUnavailable(t, <-waiting)
	close(work.release)
	require.NoError(t, <-running)
	require.ErrorIs(t, <-r.ended, ErrStuck)
}

func TestAClosingEngineCallsOffJobsThatDoNotEndInTimeAndLeavesNoFiles(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Drain = 20 * time.Millisecond
	inspector, work := heldClips()
	r := serveJobs(t, cfg, inspector)
	running := r.checkClip(t.Context(), "one")
	<-work.started
	r.server.giveUp()
	requireUnavailable(t, <-running)
	require.ErrorIs(t, <-r.ended, ErrStuck)
	requireNoFiles(t, r)
}

func TestAcceptingAnImageIsAdmittedAsACheckIs(t *testing.T) {
	t.Parallel()
	work := newBlocking()
	found := engine.File{Format: "png", Bytes: 3, Width: 4, Height: 5}
	r := serveJobs(t, testConfig(t), labour{
		scripted: alwaysVerdict, accept: func(ctx context.Context, data []byte) (engine.File, error) {
			if string(data) == "bad" {
				return engine.File{}, fault.New(fault.UnsupportedMedia, "Animated.")
			}
			_, err := work.inspect(ctx, data)
			return found, err
		},
	})
	done := make(chan error, 1)
	go func() {
		file, err := r.AcceptImage(t.Context(), image("png"))
		if err == nil && file != found {
			err = errors.New("another file")
		}
		done <- err
	}()
	require.Equal(t, "png", <-work.started)
	refused := image("x")
	refused.Admitted = func(context.Context) error { return errors.New("admitted a refused image") }
	_, err := r.AcceptImage(t.Context(), refused)
	requireUnavailable(t, err)
	requireUnavailable(t, <-r.check(t, image("x")))
	close(work.release)
	require.NoError(t, <-done)
	require.Eventually(t, func() bool { return r.server.gate.running() == 0 }, 10*time.Second, time.Millisecond)
	_, err = r.AcceptImage(t.Context(), image("bad"))
	require.Equal(t, fault.UnsupportedMedia, fault.CodeOf(err))
}
