package voice

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/engine/model/modeltest"
	"veracity/engine/pixels/pixelstest"
)

func TestWithoutAModelNothingIsGuessed(t *testing.T) {
	t.Parallel()
	r, err := Reader{}.Read(t.Context(), speech(150, 9).reader())
	require.NoError(t, err)
	require.Equal(t, engine.Lane{Verdict: engine.Unavailable, Score: 50}, r.Lane())
	require.Nil(t, r.Model)
	require.Equal(t, []engine.Reading{
		{T: 0, Verdict: engine.Unavailable, Score: 50},
		{T: 2.5, Verdict: engine.Unavailable, Score: 50},
		{T: 5, Verdict: engine.Unavailable, Score: 50},
	}, r.Readings())
	for _, w := range r.Windows {
		require.Nil(t, w.Raw)
	}
}

func TestWindowsWithSpeechAreJudgedAndPooled(t *testing.T) {
	t.Parallel()
	// Ten seconds: the first window is silent, the others hold speech.
	clip := silence(4).then(speech(120, 6)).with(whiteNoise(0.0005, 10))
	said := []float64{4, 1}
	runs := 0
	m := pixelstest.Windows(windowSamples, func(window []float32) model.Row {
		require.Len(t, window, windowSamples)
		runs++
		return model.Row{Raw: said[runs-1]}
	})
	r, err := Reader{Model: m}.Read(t.Context(), clip.reader())
	require.NoError(t, err)
	require.Equal(t, 2, runs, "silence is not run")
	require.Equal(t, engine.Lane{Verdict: engine.AI, Score: 92}, r.Lane(), "that of the mean")
	require.Equal(t, &model.Score{
		Model: pixelstest.Name, Version: pixelstest.Version, Rows: 2, Raw: 2.5, Probability: r.Model.Probability,
	}, r.Model)
	require.Len(t, r.Windows, 3)
	require.Less(t, r.Windows[0].Speech, 1.0)
	verdicts := []engine.Verdict{engine.None, engine.AI, engine.Uncertain}
	for k, w := range r.Windows {
		require.Equal(t, verdicts[k], w.Lane.Verdict)
		require.Equal(t, verdicts[k], r.Readings()[k].Verdict)
		if k > 0 {
			require.InDelta(t, said[k-1], *w.Raw, 0)
		}
	}
	require.Nil(t, r.Windows[0].Raw)
}

func TestAClipWithoutSpeechSaysNone(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]sound{"silence": silence(9), "noise": whiteNoise(0.1, 9), "one word": silence(3).then(speech(120, 0.6))} {
		m := pixelstest.Windows(windowSamples, pixelstest.Always(9))
		r, err := Reader{Model: m}.Read(t.Context(), s.reader())
		require.NoError(t, err)
		require.Equal(t, engine.Lane{Verdict: engine.None, Score: 50}, r.Lane(), name)
		require.Zero(t, m.Runs.Load(), name)
		require.Zero(t, r.Model.Rows, name)
		for _, w := range r.Windows {
			require.Equal(t, engine.Lane{Verdict: engine.None, Score: 50}, w.Lane, name)
		}
	}
}

func TestWhatTheModelHearsIsFittedToItsLength(t *testing.T) {
	t.Parallel()
	heardOf := func(s sound, samples int) (window []float32) {
		m := pixelstest.Windows(samples, func(w []float32) model.Row { window = append([]float32{}, w...); return model.Row{} })
		_, err := Reader{Model: m}.Read(t.Context(), s.reader())
		require.NoError(t, err)
		require.Len(t, window, samples)
		return window
	}
	short := speech(120, 2.5)
	pcm := short.pcm()
	for _, samples := range []int{windowSamples, 6*Rate + 7} {
		for i, v := range heardOf(short, samples) {
			require.InDelta(t, float64(pcm[i%len(pcm)])/32768, v, 1e-9, "a short clip is repeated")
		}
	}
	// Speech lies between 1.5 and 3.5 s: a model of one second hears a second of it.
	clip := silence(1.5).then(speech(120, 2)).then(silence(0.5))
	pcm = clip.pcm()
	window := heardOf(clip, Rate)
	var best int
	for from := 0; from+Rate <= len(pcm); from += stepSamples {
		if float32(pcm[from])/32768 == window[0] && float32(pcm[from+Rate/2])/32768 == window[Rate/2] && window[Rate/2] != 0 {
			best = from
		}
	}
	require.InDelta(t, 1.9*Rate, best, 0.7*Rate)
}

func TestTheDensestStretchIsFound(t *testing.T) {
	t.Parallel()
	m := make(mask, 400)
	require.Zero(t, m.densest(4*Rate, Rate), "the first of equals")
	m.set(120, 180)
	require.Equal(t, 80*stepSamples, m.densest(4*Rate, Rate))
	m.set(300, 400)
	require.Equal(t, 300*stepSamples, m.densest(4*Rate, Rate))
	require.Zero(t, m.densest(4*Rate, 4*Rate))
	require.Zero(t, mask(nil).densest(100, 50))
}

func TestAModelsErrorEndsTheReading(t *testing.T) {
	t.Parallel()
	m := pixelstest.Windows(Rate, pixelstest.Always(0))
	m.Err = errors.New("the network gave NaN")
	_, err := Reader{Model: m}.Read(t.Context(), speech(120, 5).reader())
	require.ErrorIs(t, err, m.Err)
	require.ErrorContains(t, err, "0.0 s")
}

func TestALoadedModelHearsClips(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.VoiceSpec(), modeltest.VoiceNetwork().ONNX())
	// The model goes by the mean of the samples, which an offset moves without being heard.
	offset := speech(120, 6)
	for i := range offset {
		offset[i] = offset[i]/2 + 0.4
	}
	r, err := Reader{Model: m}.Read(context.Background(), offset.reader())
	require.NoError(t, err)
	require.Equal(t, "offset", r.Model.Model)
	require.Equal(t, 2, r.Model.Rows)
	require.InDelta(t, 4, r.Model.Raw, 0.2)
	require.Equal(t, engine.Lane{Verdict: engine.Uncertain, Score: 70}, r.Lane())
}
