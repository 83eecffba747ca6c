package model

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine"
)

func judging(points [][2]float64, band Band) *Model {
	return &Model{spec: Spec{
		Name: "n", Version: "2", Profiles: map[Profile]Calibration{Image: {Points: points, Band: band}},
	}}
}

func TestRowsArePooledCalibratedAndHeldAgainstTheBand(t *testing.T) {
	t.Parallel()
	m := judging([][2]float64{{-4, 0.01}, {0, 0.2}, {4, 0.99}}, Band{Real: 0.1, AI: 0.9})
	for raw, want := range map[float64]struct {
		verdict     engine.Verdict
		probability float64
	}{
		-100: {engine.Real, 0.01}, -4: {engine.Real, 0.01}, -3: {engine.Real, 0.0575}, -2: {engine.Uncertain, 0.105},
		0: {engine.Uncertain, 0.2}, 2: {engine.Uncertain, 0.595}, 3.9: {engine.AI, 0.97025}, 4: {engine.AI, 0.99}, 1e9: {engine.AI, 0.99},
	} {
		lane, score := m.Judge(Image, []Row{{Raw: raw - 1}, {Raw: raw + 1}})
		require.Equal(t, want.verdict, lane.Verdict, "%g", raw)
		require.InDelta(t, want.probability, score.Probability, 1e-9)
		require.Equal(t, int(math.Round(100*want.probability)), lane.Score)
		require.InDelta(t, raw, score.Raw, 1e-9)
		require.Equal(t, []any{"n", "2", 2}, []any{score.Model, score.Version, score.Rows})
	}
}

func TestTheEndsOfABandAreNeverPassed(t *testing.T) {
	t.Parallel()
	m := judging([][2]float64{{-1, 0}, {1, 1}}, Band{Real: 0, AI: 1})
	for _, raw := range []float64{-10, 0, 10} {
		lane, _ := m.Judge(Image, []Row{{Raw: raw}})
		require.Equal(t, engine.Uncertain, lane.Verdict)
	}
}

func TestWithNothingToGoByALaneSaysNone(t *testing.T) {
	t.Parallel()
	m := judging([][2]float64{{-1, 0}, {1, 1}}, Band{Real: 0.1, AI: 0.9})
	none := engine.Lane{Verdict: engine.None, Score: 50}
	for name, rows := range map[string][]Row{
		"no rows": nil, "other prevails": {{Raw: 9, Other: 0.9}, {Raw: 9, Other: 0.2}},
		"no number": {{Raw: math.NaN()}}, "no finite number": {{Raw: math.Inf(1)}},
	} {
		lane, score := m.Judge(Image, rows)
		require.Equal(t, none, lane, name)
		require.Equal(t, len(rows), score.Rows)
		require.False(t, math.IsNaN(score.Raw) || math.IsInf(score.Raw, 0), name)
	}
	lane, _ := m.Judge(Image, []Row{{Raw: 9, Other: 0.8}, {Raw: 9, Other: 0.2}})
	require.Equal(t, engine.AI, lane.Verdict, "one half does not prevail")
	lane, _ = m.Judge(Speech, []Row{{Raw: 9}})
	require.Equal(t, none, lane, "a profile that the model was not calibrated for")
}

func TestACalibrationRisesAndStaysWithinItsPoints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, probability := rapid.Float64Range(-20, 20).Draw(t, "raw"), 0.0
		var c Calibration
		for range rapid.IntRange(1, 8).Draw(t, "points") {
			c.Points = append(c.Points, [2]float64{raw, probability})
			raw += rapid.Float64Range(1e-6, 10).Draw(t, "step")
			probability += (1 - probability) * rapid.Float64Range(0, 1).Draw(t, "rise")
		}
		require.NoError(t, Calibration{Points: c.Points, Band: Band{AI: 1}}.validate())
		low, high := rapid.Float64Range(-50, 50).Draw(t, "low"), rapid.Float64Range(-50, 50).Draw(t, "high")
		low, high = min(low, high), max(low, high)
		require.LessOrEqual(t, c.Probability(low), c.Probability(high)+1e-12)
		require.GreaterOrEqual(t, c.Probability(low), c.Points[0][1]-1e-12)
		require.LessOrEqual(t, c.Probability(high), c.Points[len(c.Points)-1][1]+1e-12)
	})
}
