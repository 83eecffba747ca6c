package voice

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine"
)

func TestAReportTellsLengthSpeechAndWindows(t *testing.T) {
	t.Parallel()
	clip := silence(3).then(speech(120, 4)).then(silence(3)).with(whiteNoise(0.001, 10))
	r, err := Reader{}.Read(t.Context(), clip.reader())
	require.NoError(t, err)
	require.InDelta(t, 10, r.Seconds, 0)
	require.False(t, r.Silent)
	require.InDelta(t, 3.7, r.SpeechSeconds, 0.4)
	require.Len(t, r.Windows, 3)
	require.Less(t, r.Windows[0].Speech, 1.2)
	require.Greater(t, r.Windows[1].Speech, 3.2)
	require.Less(t, r.Windows[2].Speech, 1.2)
	require.Less(t, r.Windows[0].Level, r.Windows[1].Level)
}

func TestSilenceIsTold(t *testing.T) {
	t.Parallel()
	offset := silence(1)
	for i := range offset {
		offset[i] = 0.2
	}
	for name, c := range map[string]struct {
		sound  sound
		silent bool
	}{
		"digital silence":   {silence(2), true},
		"a constant offset": {offset, true},
		"noise at -66 dBFS": {whiteNoise(0.00035, 2), true},
		"noise at -50 dBFS": {whiteNoise(0.0022, 2), false},
		"one soft word":     {silence(5).then(speech(120, 0.5).times(0.05)).then(silence(5)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Reader{}.Read(t.Context(), c.sound.reader())
			require.NoError(t, err)
			require.Equal(t, c.silent, r.Silent, "%.1f dBFS", r.Level)
		})
	}
}

func TestNothingIsAReportWithoutWindows(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "x"} {
		r, err := Reader{}.Read(t.Context(), bytes.NewReader([]byte(data)))
		require.NoError(t, err)
		require.Equal(t, Report{Verdict: engine.Unavailable, Score: 50, Silent: true, Level: leastLevel}, r)
	}
}

func TestAnySamplesAreReadWithoutFailing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 3*stepSamples*2).Draw(t, "samples")
		r, err := Reader{}.Read(context.Background(), bytes.NewReader(data))
		require.NoError(t, err)
		require.LessOrEqual(t, r.SpeechSeconds, r.Seconds)
	})
}

func TestWindowsCoverTheClip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, engine.MaxClipSeconds*Rate+Rate/5).Draw(t, "samples")
		spans := windowsOf(n)
		require.LessOrEqual(t, len(spans), 60)
		covered := 0
		for _, s := range spans {
			require.LessOrEqual(t, s.from, covered)
			require.Greater(t, s.to, covered)
			require.Equal(t, min(n, windowSamples), s.to-s.from)
			covered = s.to
		}
		require.Equal(t, n, covered)
	})
	require.Len(t, windowsOf(engine.MaxClipSeconds*Rate), 60)
	require.Len(t, windowsOf(windowSamples), 1)
	require.Len(t, windowsOf(windowSamples+hopSamples+slackSamples), 2, "padding brings no window of its own")
}

// endless is a stream of zeros that counts what is taken.
type endless struct{ taken int }

func (e *endless) Read(p []byte) (int, error) {
	e.taken += len(p)
	return len(p), nil
}

func TestAStreamWithoutEndIsLeft(t *testing.T) {
	t.Parallel()
	stream := &endless{}
	_, err := Reader{}.Read(t.Context(), stream)
	require.ErrorIs(t, err, ErrTooLong)
	require.Less(t, stream.taken, 2*Rate*(maxSeconds+5))
}

func TestABrokenStreamIsAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("decoder died")
	_, err := Reader{}.Read(t.Context(), io.MultiReader(sine(440, 0.5, 1).reader(), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Reader{}.Read(ctx, sine(440, 0.5, 1).reader())
	require.ErrorIs(t, err, context.Canceled)
	_, err = analyse(ctx, sine(440, 0.5, 1).pcm())
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkReadLongestClip(b *testing.B) {
	clip := silence(0)
	for range 12 {
		clip = clip.then(speech(120, 13)).then(silence(2))
	}
	data := clip.with(whiteNoise(0.002, 180)).reader()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = data.Seek(0, io.SeekStart)
		_, err := Reader{}.Read(b.Context(), data)
		require.NoError(b, err)
	}
}
