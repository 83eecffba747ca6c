package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine"
)

// videoPolicy is policy with the sound's lane before it. Columns: sound, provenance, watermark, pixels → verdict
// decided_by score, or what policy says without the sound.
const videoPolicy = `
strong      real        *           *           uncertain   conflict    50
strong      ai          *           *           as          the         lanes
strong      *           ai          *           as          the         lanes
strong      uncertain   *           *           as          the         lanes
strong      *           uncertain   *           as          the         lanes
strong      *           *           real        uncertain   conflict    50
*           *           *           *           as          the         lanes
`

func TestSoundTakesARealAwayFromAVideoAndDecidesNothingElse(t *testing.T) {
	t.Parallel()
	pictures, videos := newTable(policy, 3), newTable(videoPolicy, 4)
	for _, sound := range scored {
		for _, provenance := range provenances {
			for _, watermark := range watermarks {
				for _, pixels := range scored {
					want := videos.find(t, sound, provenance, watermark, pixels)
					if want == "as the lanes" {
						want = pictures.find(t, provenance, watermark, pixels)
					}
					got := answer(engine.DecideVideo(lanes(provenance, watermark, pixels), scoredLane(sound)))
					require.Equal(t, want, got, "sound %s, provenance %s, watermark %s, pixels %s", sound, provenance, watermark, pixels)
				}
			}
		}
	}
	videos.requireAllMet(t)
}

// voicePolicy lists every combination for a voice clip. Columns: provenance, voice → verdict decided_by score.
const voicePolicy = `
real        strong      uncertain   conflict    50
real        *           real        provenance  2
ai          *           ai          provenance  98
*           strong      ai          voice       95
*           ai          ai          voice       85
uncertain   real        uncertain   provenance  65
*           real        real        voice       5
uncertain   likely      ai          weighed     96
uncertain   uncertain   uncertain   weighed     74
uncertain   unlikely    uncertain   weighed     5
uncertain   *           uncertain   provenance  65
*           likely      uncertain   voice       92
*           uncertain   uncertain   voice       60
*           unlikely    uncertain   voice       3
*           none        uncertain   voice       50
*           unavailable unavailable voice       null
`

func TestVoicePolicyDecidesEveryCombination(t *testing.T) {
	t.Parallel()
	table := newTable(voicePolicy, 2)
	for _, provenance := range provenances {
		for _, voice := range scored {
			want := table.find(t, provenance, voice)
			got := answer(engine.DecideVoice(lanes(provenance, "none", "none").Provenance, scoredLane(voice)))
			require.Equal(t, want, got, "provenance %s, voice %s", provenance, voice)
		}
	}
	table.requireAllMet(t)
}

func TestAFrameIsDecidedByItsPixelsAndWatermarkAlone(t *testing.T) {
	t.Parallel()
	for _, provenance := range provenances {
		for want, l := range map[engine.Reading]engine.Lanes{
			{Verdict: engine.AI, Score: 99}:          lanes(provenance, "ai", "real"),
			{Verdict: engine.AI, Score: 85}:          lanes(provenance, "none", "ai"),
			{Verdict: engine.Real, Score: 5}:         lanes(provenance, "unavailable", "real"),
			{Verdict: engine.Uncertain, Score: 78}:   lanes(provenance, "uncertain", "uncertain"),
			{Verdict: engine.Unavailable, Score: 50}: lanes(provenance, "unavailable", "unavailable"),
		} {
			verdict, score := engine.DecideFrame(l)
			require.Equal(t, want, engine.Reading{Verdict: verdict, Score: score}, "provenance %s", provenance)
		}
	}
}

// pooled reads lanes by their names in the tables.
func pooled(t *testing.T, text string) []engine.Lane {
	t.Helper()
	var out []engine.Lane
	for _, name := range strings.Fields(text) {
		out = append(out, scoredLane(name))
	}
	return out
}

func TestOneDecodedMarkDecidesForTheVideo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		together, frames string
		want             engine.Lane
	}{
		"in one frame":              {"none", "none ai none strong none none", engine.Lane{Verdict: engine.AI, Score: 95}},
		"in the sum alone":          {"ai", "none uncertain none", engine.Lane{Verdict: engine.AI, Score: 85}},
		"clearer in the sum":        {"strong", "ai ai", engine.Lane{Verdict: engine.AI, Score: 95}},
		"traces that add up":        {"uncertain", "none none", engine.Lane{Verdict: engine.Uncertain, Score: 60}},
		"traces that do not add up": {"none", "none uncertain", engine.Lane{Verdict: engine.None, Score: 50}},
		"nowhere":                   {"none", "none none", engine.Lane{Verdict: engine.None, Score: 50}},
		"nothing looked at":         {"unavailable", "", engine.Lane{Verdict: engine.Unavailable, Score: 50}},
	} {
		require.Equal(t, c.want, engine.PoolMarks(scoredLane(c.together), pooled(t, c.frames)), name)
	}
}

func TestMarksOfFramesDoNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"strong", "ai", "uncertain", "none"}), 0, 60).Draw(t, "lanes")
		together := scoredLane(rapid.SampledFrom([]string{"strong", "ai", "uncertain", "none"}).Draw(t, "together"))
		var given, shuffled []engine.Lane
		for _, name := range names {
			given = append(given, scoredLane(name))
		}
		for _, name := range rapid.Permutation(names).Draw(t, "order") {
			shuffled = append(shuffled, scoredLane(name))
		}
		require.Equal(t, engine.PoolMarks(together, given), engine.PoolMarks(together, shuffled))
	})
}
