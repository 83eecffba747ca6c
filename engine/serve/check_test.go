package serve

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/platform/fault"
)

func TestACheckAnswersItsReportWithTimings(t *testing.T) {
	t.Parallel()
	r := serveInspector(t, testConfig(t), func(_ context.Context, data []byte) (engine.Report, error) {
		report := verdict()
		report.Detail.File.Bytes = int64(len(data))
		return report, nil
	})
	report, err := r.CheckImage(t.Context(), image("pixels"))
	require.NoError(t, err)
	require.Equal(t, int64(6), report.Detail.File.Bytes)
	require.Contains(t, report.Detail.TimingsMS, "queue")
	require.Contains(t, report.Detail.TimingsMS, "receive")
}

func TestFaultsOfTheInspectorReachTheCaller(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		err  error
		want fault.Code
	}{
		"a fault":        {fault.New(fault.UnsupportedMedia, "Animated."), fault.UnsupportedMedia},
		"no model":       {fault.New(fault.ModelUnavailable, "No model."), fault.ModelUnavailable},
		"an error":       {errors.New("disk on fire at /scratch"), fault.EngineError},
		"another's code": {fault.New(fault.QuotaExceeded, "Pay."), fault.EngineError},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := serveInspector(t, testConfig(t), func(context.Context, []byte) (engine.Report, error) {
				return engine.Report{}, c.err
			})
			_, err := r.CheckImage(t.Context(), image("x"))
			require.Equal(t, c.want, fault.CodeOf(err))
			require.NotContains(t, err.Error(), "disk on fire")
		})
	}
}

func TestDetailCrossesUnchanged(t *testing.T) {
	t.Parallel()
	r := serveInspector(t, testConfig(t), func(context.Context, []byte) (engine.Report, error) {
		return engine.Report{}, fault.New(fault.TooManyPixels, "Too large.").
			WithDetail(map[string]int{"width": 30000, "height": 20000, "limit": 25000000})
	})
	_, err := r.CheckImage(t.Context(), image("x"))
	detail, marshalErr := json.Marshal(fault.From(err).Detail)
	require.NoError(t, marshalErr)
	require.JSONEq(t, `{"width":30000,"height":20000,"limit":25000000}`, string(detail))
}

func TestAPanicFailsItsOwnCheckAlone(t *testing.T) {
	t.Parallel()
	r := serveInspector(t, testConfig(t), func(_ context.Context, data []byte) (engine.Report, error) {
		if string(data) == "bad" {
			panic("parser slipped")
		}
		return verdict(), nil
	})
	_, err := r.CheckImage(t.Context(), image("bad"))
	require.Equal(t, fault.EngineError, fault.CodeOf(err))
	require.Eventually(t, func() bool {
		_, err := r.CheckImage(t.Context(), image("good"))
		return err == nil
	}, 10*time.Second, time.Millisecond)
}

func TestACheckOverItsTimeIsUnavailableAndTheEngineGoesOn(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.CheckTimeout = 30 * time.Millisecond
	work := newBlocking()
	r := serveInspector(t, cfg, work.inspect)
	requireUnavailable(t, <-r.check(t, image("slow")))
	close(work.release)
	require.Eventually(t, func() bool {
		_, err := r.CheckImage(t.Context(), image("next"))
		return err == nil
	}, 10*time.Second, time.Millisecond)
	require.Empty(t, r.ended)
}

func TestAStuckCheckEndsTheEngine(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.CheckTimeout, cfg.StuckGrace = 20*time.Millisecond, 20*time.Millisecond
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	r := serveInspector(t, cfg, func(context.Context, []byte) (engine.Report, error) {
		<-forever
		return verdict(), nil
	})
	requireUnavailable(t, <-r.check(t, image("stuck")))
	require.ErrorIs(t, <-r.ended, ErrStuck)
	requireUnavailable(t, <-r.check(t, image("late")))
}

func TestAnEngineThatGivesUpLetsOtherChecksEnd(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Drain = time.Minute
	work := newBlocking()
	r := serveInspector(t, cfg, work.inspect)
	other := r.check(t, image("other"))
	<-work.started
	r.server.giveUp()
	<-r.server.gate.closed
	requireUnavailable(t, <-r.check(t, image("late")))
	close(work.release)
	require.NoError(t, <-other)
	require.ErrorIs(t, <-r.ended, ErrStuck)
}

func TestWhileStartingTheEngineLivesAndIsUnavailable(t *testing.T) {
	t.Parallel()
	warm := make(chan struct{})
	r := serveFor(t, testConfig(t), func(context.Context, Setup) (Inspector, error) {
		<-warm
		return scripted(func(context.Context, []byte) (engine.Report, error) { return verdict(), nil }), nil
	})
	require.NoError(t, r.Alive(t.Context()))
	requireUnavailable(t, r.Ready(t.Context()))
	requireUnavailable(t, <-r.check(t, image("early")))
	close(warm)
	require.Eventually(t, func() bool { return r.Ready(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	require.NoError(t, <-r.check(t, image("now")))
	state, err := r.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"pixels": "none"}, state.Models)
}

func TestAnInspectorThatCannotBeMadeEndsTheEngine(t *testing.T) {
	t.Parallel()
	broken := errors.New("no library")
	r := serveFor(t, testConfig(t), func(context.Context, Setup) (Inspector, error) { return nil, broken })
	require.ErrorIs(t, <-r.ended, broken)
}
