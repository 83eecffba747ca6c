package film

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// line is a made-up clip: its likeness in dB falls in a line, bent by curve, as CRF rises. The worst sample lies gap below
// the mean.
type line struct{ at23, fall, curve, gap float64 }

func (l line) mean(crf float64) float64 {
	away := crf - 23
	return l.at23 - l.fall*away - l.curve*away*away
}

func (l line) likeness(crf float64) likeness {
	ssim := func(db float64) float64 { return 1 - math.Pow(10, -db/10) }
	return likeness{mean: ssim(l.mean(crf)), worst: ssim(l.mean(crf) - l.gap)}
}

// seek searches on a made-up clip.
func seek(tb require.TestingT, cfg Config, l line) (outcome, []float64) {
	var tried []float64
	found, err := cfg.search(func(crf float64) (trial, error) {
		tried = append(tried, crf)
		return trial{crf: crf, likeness: l.likeness(crf)}, nil
	})
	require.NoError(tb, err)
	require.Equal(tb, len(tried), found.trials)
	require.Contains(tb, tried, found.crf, "the choice was tried")
	return found, tried
}

// TestSearchFindsTheHighestCRFThatReaches draws clips and asks for the cheapest quality that is good enough.
func TestSearchFindsTheHighestCRFThatReaches(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	rapid.Check(t, func(t *rapid.T) {
		l := line{
			at23: rapid.Float64Range(6, 34).Draw(t, "at23"), fall: rapid.Float64Range(0.2, 1.2).Draw(t, "fall"),
			gap: rapid.Float64Range(0, 5).Draw(t, "gap"),
		}
		found, tried := seek(t, cfg, l)
		require.LessOrEqual(t, len(tried), cfg.Trials)
		for _, crf := range tried {
			require.GreaterOrEqual(t, crf, cfg.BestCRF)
			require.LessOrEqual(t, crf, cfg.LowestCRF)
		}
		spare := cfg.spare(l.likeness(found.crf))
		switch {
		case cfg.spare(l.likeness(cfg.BestCRF)) < -tolerance:
			require.False(t, found.reached)
			require.Equal(t, cfg.BestCRF, found.crf, "what cannot be reached gets the best there is")
		case cfg.spare(l.likeness(cfg.LowestCRF)) >= -tolerance && spare > slack:
			require.True(t, found.reached)
			require.InDelta(t, cfg.LowestCRF, found.crf, 0.5, "what is easy gets the cheapest there is")
		default:
			require.True(t, found.reached)
			require.GreaterOrEqual(t, spare, -tolerance)
			require.LessOrEqual(t, spare, slack+2*grain*l.fall, "no better than it must be")
		}
	})
}

func TestSearchCopesWithBentLines(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	for name, l := range map[string]line{
		"steeper as it falls": {at23: 20, fall: 0.4, curve: 0.04},
		"flatter as it falls": {at23: 16, fall: 0.7, curve: -0.03},
		"noise":               {at23: 8, fall: 0.7, curve: -0.06},
		"a bad place":         {at23: 19, fall: 0.5, gap: 4},
	} {
		found, _ := seek(t, cfg, l)
		if cfg.spare(l.likeness(cfg.BestCRF)) < 0 {
			require.Equal(t, cfg.BestCRF, found.crf, name)
			continue
		}
		require.True(t, found.reached, name)
		require.Less(t, cfg.spare(l.likeness(found.crf)), 0.6, name)
	}
}

func TestAWorseSampleCountsAsMuchAsTheMean(t *testing.T) {
	t.Parallel()
	even, _ := seek(t, DefaultConfig(), line{at23: 19, fall: 0.5})
	uneven, _ := seek(t, DefaultConfig(), line{at23: 19, fall: 0.5, gap: 4})
	require.Less(t, uneven.crf, even.crf)
}

func TestSearchEndsWithItsFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	calls := 0
	_, err := DefaultConfig().search(func(float64) (trial, error) {
		calls++
		return trial{}, broken
	})
	require.ErrorIs(t, err, broken)
	require.Equal(t, 1, calls)
}

func TestOneTrialIsEnoughToChoose(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	cfg.Trials = 1
	found, _ := seek(t, cfg, line{at23: 12, fall: 0.5})
	require.Equal(t, 23.0, found.crf)
	require.False(t, found.reached)
}
