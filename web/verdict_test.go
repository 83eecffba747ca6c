package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/engine/pixels"
	"veracity/engine/voice"
	"veracity/media"
)

func TestEveryOutcomeHasWords(t *testing.T) {
	t.Parallel()
	lanes := []engine.Verdict{engine.AI, engine.Real, engine.Uncertain, engine.None, engine.Unavailable}
	deciders := []engine.DecidedBy{engine.ByWatermark, engine.ByProvenance, engine.ByPixels, engine.ByWeighed, engine.ByConflict, engine.ByVoice}
	for _, verdict := range []engine.Verdict{engine.AI, engine.Real, engine.Uncertain, engine.Unavailable} {
		for _, by := range deciders {
			for i, lane := range lanes {
				score := 25 * i
				v := verdictOf(media.Check{Report: &engine.Report{
					Verdict: verdict, Score: &score, DecidedBy: by,
					Lanes: engine.Lanes{Pixels: engine.Lane{Verdict: lane}, Watermark: engine.Lane{Verdict: lane}, Provenance: engine.ProvenanceLane{Verdict: lane}},
				}})
				for _, text := range []string{v.Word, v.Meaning, v.Decided, v.Sure, v.Lanes[0].Text, v.Lanes[0].Word, v.Lanes[2].Text} {
					require.NotEmpty(t, text, "%s by %s", verdict, by)
				}
				require.NotEmpty(t, v.Next)
				// A camera writes no watermark: the lane never says real.
				if lane != engine.Real {
					require.NotEmpty(t, v.Lanes[1].Text, lane)
				}
			}
		}
	}
}

func TestVoiceClipIsExplainedByItsReadings(t *testing.T) {
	t.Parallel()
	v := verdictOf(media.Check{Report: &engine.Report{
		Verdict: engine.AI, DecidedBy: engine.ByVoice,
		Audio: &engine.AudioInfo{Readings: []engine.Reading{{T: 2.25, Verdict: engine.AI, Score: 91}}},
	}})
	require.Len(t, v.Lanes, 1, "it has no pixels, and without a detail nothing is known of the voice lane")
	require.Len(t, v.Readings, 1)
	require.Equal(t, "2.2 s", v.Readings[0].At)
}

func TestLearnedLanesNameTheirModelAndSayWhy(t *testing.T) {
	t.Parallel()
	asked, idle := &model.Score{Model: "veracity-pixels", Version: "2026.11.1", Rows: 24}, &model.Score{Model: "veracity-pixels", Version: "2026.11.1"}
	for _, c := range []struct {
		said pixels.Report
		want []string
	}{
		{pixels.Report{Verdict: engine.AI, Score: 96, Model: asked}, []string{"very likely", "can be wrong", "Score 96 of 100.", "Model: veracity-pixels 2026.11.1."}},
		{pixels.Report{Verdict: engine.Uncertain, Score: 38, Model: asked}, []string{"do not tell", "Score 38 of 100.", "Model: veracity-pixels 2026.11.1."}},
		{pixels.Report{Verdict: engine.None, Score: 50, Reason: pixels.Small}, []string{"under 112 pixels"}},
		{pixels.Report{Verdict: engine.None, Score: 50, Reason: pixels.Drawn}, []string{"like a screen, a chart or a drawing"}},
		{pixels.Report{Verdict: engine.None, Score: 50, Reason: pixels.Plain, Model: idle}, []string{"no texture"}},
		{pixels.Report{Verdict: engine.None, Score: 50, Reason: pixels.Other, Model: asked}, []string{"The model takes it for", "Model: veracity-pixels 2026.11.1."}},
		{pixels.Report{Verdict: engine.None, Score: 50, Reason: "of tomorrow"}, []string{"too little to go by"}},
		{pixels.Report{Verdict: engine.Unavailable, Score: 50}, []string{"No model that judges pixels is loaded"}},
	} {
		lanes := LanesInWords(engine.Report{Lanes: engine.Lanes{Pixels: c.said.Lane()}, Detail: engine.Detail{Pixels: c.said}})
		for _, want := range c.want {
			require.Contains(t, lanes[2].Text, want)
		}
		require.Equal(t, c.said.Model == asked, strings.Contains(lanes[2].Text, "Model: "), lanes[2].Text)
	}
	for verdict, want := range map[engine.Verdict]string{
		engine.AI: "very likely", engine.Real: "very likely", engine.Uncertain: "does not tell", engine.None: "too little speech",
	} {
		heard := voice.Report{Verdict: verdict, Score: 94, Model: &model.Score{Model: "veracity\u202evoice", Version: "1", Rows: 3}}
		lanes := LanesInWords(engine.Report{Audio: &engine.AudioInfo{}, Detail: engine.Detail{Voice: heard}})
		require.Len(t, lanes, 2)
		require.Equal(t, "Voice", lanes[1].Name)
		require.Contains(t, lanes[1].Text, want)
		require.Contains(t, lanes[1].Text, "Model: veracity·voice 1.", "a model's name is text of its maker")
	}
}

func TestWhatALearnedModelHasAPartInIsNeverCertain(t *testing.T) {
	t.Parallel()
	for score := range 101 {
		for _, by := range []engine.DecidedBy{engine.ByWeighed, engine.ByPixels, engine.ByVoice, engine.ByConflict, engine.ByProvenance} {
			require.NotContains(t, sureness(engine.Uncertain, by, score), "certain", "an uncertain verdict of %d by %s", score, by)
		}
		for _, by := range []engine.DecidedBy{engine.ByWeighed, engine.ByPixels, engine.ByVoice} {
			for _, verdict := range []engine.Verdict{engine.AI, engine.Real} {
				require.Contains(t, sureness(verdict, by, score), "Very likely, and not certain")
			}
			require.Contains(t, nextSteps(engine.AI, by)[0], "Do not act against a person by this alone")
		}
	}
	require.Equal(t, "As good as certain: AI-generated.", sureness(engine.AI, engine.ByProvenance, 98))
	require.Equal(t, "As good as certain: captured by a camera or recorder.", sureness(engine.Real, engine.ByProvenance, 2))
}

func TestWhatAStrangerWroteIsMadePrintable(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a·b·c·\n\tä", printable("a\x00b\u202ec\xff\n\tä"))
	require.Equal(t, "not json ·", laidOut([]byte("not json \x00")))
	require.Equal(t, "{\n  \"a\": 1\n}", laidOut([]byte(`{"a":1}`)))
}
