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

func TestAsManyChecksRunAsThereAreCoresAFewWaitAndTheRestIsRefusedUnread(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Cores, cfg.Queue = 2, 1
	work := newBlocking()
	r := serveInspector(t, cfg, work.inspect)
	first, second := r.check(t, image("one")), r.check(t, image("two"))
	<-work.started
	<-work.started
	third := r.check(t, image("three"))
	require.Eventually(t, func() bool { return r.server.gate.queued() == 1 }, 10*time.Second, time.Millisecond)

	refused := image("four")
	refused.Admitted = func(context.Context) error { return errors.New("admitted a refused check") }
	_, err := r.CheckImage(t.Context(), refused)
	requireUnavailable(t, err)
	rest, err := io.ReadAll(refused.Body)
	require.NoError(t, err)
	require.Equal(t, "four", string(rest))

	state, err := r.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 1}, []int{state.Slots, state.Running, state.Queued})
	close(work.release)
	for _, done := range []<-chan error{first, second, third} {
		require.NoError(t, <-done)
	}
}

func TestNeverMoreChecksAtOnceThanCores(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Cores, cfg.Queue = 3, 64
	var now, peak atomic.Int32
	r := serveInspector(t, cfg, func(context.Context, []byte) (engine.Report, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := peak.Load(); n > old && !peak.CompareAndSwap(old, n); old = peak.Load() {
		}
		<-time.After(time.Millisecond)
		return verdict(), nil
	})
	var group errgroup.Group
	for range 40 {
		group.Go(func() error { _, err := r.CheckImage(t.Context(), image("x")); return err })
	}
	require.NoError(t, group.Wait())
	require.LessOrEqual(t, peak.Load(), int32(3))
	require.Eventually(t, func() bool { return r.server.gate.running() == 0 }, 10*time.Second, time.Millisecond)
	require.Zero(t, r.server.gate.queued())
}

func TestAQueuedCheckWaitsNoLongerThanItsPatience(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Queue, cfg.QueueWait = 1, 20*time.Millisecond
	work := newBlocking()
	r := serveInspector(t, cfg, work.inspect)
	first := r.check(t, image("one"))
	<-work.started
	requireUnavailable(t, <-r.check(t, image("two")))
	close(work.release)
	require.NoError(t, <-first)
}

func TestAdmittedIsCalledOnceAndItsErrorFreesThePlace(t *testing.T) {
	t.Parallel()
	r := serveInspector(t, testConfig(t), func(context.Context, []byte) (engine.Report, error) { return verdict(), nil })
	ours := fault.New(fault.UploadNotFound, "The upload was used.")
	calls := 0
	src := image("x")
	src.Admitted = func(context.Context) error { calls++; return ours }
	_, err := r.CheckImage(t.Context(), src)
	require.Same(t, ours, err)
	require.Equal(t, 1, calls)

	src = image("x")
	src.Admitted = func(context.Context) error { calls++; return nil }
	require.Eventually(t, func() bool { return r.server.gate.running() == 0 }, 10*time.Second, time.Millisecond)
	_, err = r.CheckImage(t.Context(), src)
	require.NoError(t, err)
	require.Equal(t, 2, calls)
}

func TestACallerThatLeavesWhileItsCheckRunsKeepsThePlaceUntilTheWorkEnds(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	r := serveInspector(t, testConfig(t), func(context.Context, []byte) (engine.Report, error) {
		close(entered) // Deaf to its context, as C code is.
		<-release
		return verdict(), nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	_, err := r.CheckImage(ctx, image("x"))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, r.server.gate.running())
	requireUnavailable(t, <-r.check(t, image("y")))
	close(release)
	require.Eventually(t, func() bool { return r.server.gate.running() == 0 }, 10*time.Second, time.Millisecond)
}

func TestAClosedGateSendsAwayThoseWhoWait(t *testing.T) {
	t.Parallel()
	g := newGate(1, 1, time.Minute)
	leave, err := g.enter(t.Context())
	require.NoError(t, err)
	waiting := make(chan error, 1)
	go func() { _, err := g.enter(t.Context()); waiting <- err }()
	require.Eventually(t, func() bool { return g.queued() == 1 }, 10*time.Second, time.Millisecond)
	g.close()
	require.ErrorIs(t, <-waiting, errClosing)
	leave()
	leave()
	_, err = g.enter(t.Context())
	require.ErrorIs(t, err, errClosing)
	require.Zero(t, g.running())
}

func TestACallerThatStopsWaitingLeavesTheQueue(t *testing.T) {
	t.Parallel()
	g := newGate(1, 1, time.Minute)
	_, err := g.enter(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = g.enter(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, g.queued())
}
