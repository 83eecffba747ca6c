package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
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
	require.Len(t, v.Lanes, 1, "it has no pixels")
	require.Len(t, v.Readings, 1)
	require.Equal(t, "2.2 s", v.Readings[0].At)
}

func TestWhatAStrangerWroteIsMadePrintable(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a·b·c·\n\tä", printable("a\x00b\u202ec\xff\n\tä"))
	require.Equal(t, "not json ·", laidOut([]byte("not json \x00")))
	require.Equal(t, "{\n  \"a\": 1\n}", laidOut([]byte(`{"a":1}`)))
}
