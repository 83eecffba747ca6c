package render_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine"
	"veracity/engine/render"
)

// pressed is an outcome without a source to compare with.
func pressed(points float64, bytes, plain int64) render.Outcome {
	return render.Outcome{Points: points, Bytes: bytes, PlainBytes: plain}
}

func TestScoresMeanWhatTheirZonesSay(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		outcome render.Outcome
		score   int
		zone    engine.Zone
	}{
		"lossless, nothing saved":                 {pressed(100, 1000, 1000), 70, engine.Good},
		"lossless, a sixth saved":                 {pressed(100, 833, 1000), 80, engine.Excellent},
		"lossless, half saved":                    {pressed(100, 500, 1000), 100, engine.Excellent},
		"lossless, most saved":                    {pressed(100, 10, 1000), 100, engine.Excellent},
		"lossless, longer than plain":             {pressed(100, 1500, 1000), 40, engine.Fair},
		"nothing to compare with":                 {pressed(100, 500, 0), 70, engine.Good},
		"visually lossless, nothing saved":        {pressed(render.ImagePoints(90), 1000, 1000), 67, engine.Good},
		"visually lossless, half saved":           {pressed(render.ImagePoints(90), 500, 1000), 95, engine.Excellent},
		"excellent in a flip test, a third saved": {pressed(render.ImagePoints(85), 667, 1000), 79, engine.Good},
		"artefacts, half saved":                   {pressed(render.ImagePoints(70), 500, 1000), 55, engine.Fair},
		"annoying artefacts, half saved":          {pressed(render.ImagePoints(50), 500, 1000), 35, engine.Poor},
		"another picture":                         {pressed(render.ImagePoints(-80), 1, 1000), 0, engine.Poor},
		"no metric":                               {pressed(render.ImagePoints(math.NaN()), 1, 1000), 0, engine.Poor},
		"video at the target, nothing saved":      {pressed(render.VideoPoints(0.985), 1000, 1000), 63, engine.Good},
		"video at the target, half saved":         {pressed(render.VideoPoints(0.985), 500, 1000), 90, engine.Excellent},
		"video kept as it was":                    {render.Outcome{Points: render.VideoPoints(1), Bytes: 1000, PlainBytes: 1000, SourceBytes: 1000}, 70, engine.Good},
		"video with damage, half saved":           {pressed(render.VideoPoints(0.95), 500, 1000), 55, engine.Fair},
		"video with heavy damage, half saved":     {pressed(render.VideoPoints(0.88), 500, 1000), 35, engine.Poor},
		"end of poor":                             {pressed(39.49, 500, 1000), 39, engine.Poor},
		"begin of fair":                           {pressed(39.5, 500, 1000), 40, engine.Fair},
		"end of fair":                             {pressed(59.49, 500, 1000), 59, engine.Fair},
		"begin of good":                           {pressed(59.5, 500, 1000), 60, engine.Good},
		"end of good":                             {pressed(79.49, 500, 1000), 79, engine.Good},
		"begin of excellent":                      {pressed(79.5, 500, 1000), 80, engine.Excellent},
		"points out of range":                     {pressed(1e9, 1, 1000), 100, engine.Excellent},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, engine.OptimizationScore{Score: tt.score, Zone: tt.zone}, render.Score(tt.outcome))
		})
	}
}

func TestAVideoLargerThanItsSourceIsNeverExcellent(t *testing.T) {
	t.Parallel()
	outcome := render.Outcome{Points: 100, Bytes: 1000, PlainBytes: 4000, SourceBytes: 1000}
	require.Equal(t, 100, render.Score(outcome).Score)
	outcome.Bytes = 1010
	require.Equal(t, 99, render.Score(outcome).Score, "what a container adds is not called larger")
	outcome.Bytes = 1011
	require.Equal(t, engine.OptimizationScore{Score: 79, Zone: engine.Good}, render.Score(outcome))
	outcome.Bytes = 1500
	require.Equal(t, engine.OptimizationScore{Score: 60, Zone: engine.Good}, render.Score(outcome))
	outcome.Bytes, outcome.PlainBytes = 3000, 3000
	require.Equal(t, engine.OptimizationScore{Score: 30, Zone: engine.Poor}, render.Score(outcome))
}

func TestBytesThatBoughtLikenessAreNotHeldAgainstAVideo(t *testing.T) {
	t.Parallel()
	noisy := render.Outcome{Points: render.VideoPoints(0.985), Bytes: 2000, PlainBytes: 1000, SourceBytes: 9000}
	require.Equal(t, 36, render.Score(noisy).Score)
	noisy.BetterThanPlain = true
	require.Equal(t, 63, render.Score(noisy).Score)
}

func TestTheDocumentedExamplesHold(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 96.55, render.ImagePoints(93.1), 1e-9)
	require.Equal(t, 97, render.Score(pressed(render.ImagePoints(93.1), 165_000, 412_000)).Score)
	require.Equal(t, 72, render.Score(pressed(100, 96, 100)).Score)
	grown := render.Outcome{Points: render.VideoPoints(0.985), Bytes: 7_200_000, PlainBytes: 9_000_000, SourceBytes: 6_000_000}
	require.Equal(t, engine.OptimizationScore{Score: 59, Zone: engine.Fair}, render.Score(grown))
}

func TestMoreLikenessAndFewerBytesNeverLowerAScore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.Int64Range(0, 1<<31)
		o := render.Outcome{
			Points: rapid.Float64Range(-10, 110).Draw(t, "points"), Bytes: bytes.Draw(t, "bytes"), PlainBytes: bytes.Draw(t, "plain"),
			SourceBytes: bytes.Draw(t, "source"), BetterThanPlain: rapid.Bool().Draw(t, "better"),
		}
		score := render.Score(o)
		require.Equal(t, engine.ZoneOf(score.Score), score.Zone)
		require.GreaterOrEqual(t, score.Score, 0)
		require.LessOrEqual(t, score.Score, 100)
		better := o
		better.Points += rapid.Float64Range(0, 50).Draw(t, "more points")
		better.Bytes -= rapid.Int64Range(0, o.Bytes).Draw(t, "fewer bytes")
		better.BetterThanPlain = true
		require.GreaterOrEqual(t, render.Score(better).Score, score.Score)
	})
}

func TestPointsRiseWithTheirMetric(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 100, render.ImagePoints(100), 0)
	require.InDelta(t, 100, render.VideoPoints(1), 0)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-100, 200).Draw(t, "a"), rapid.Float64Range(-100, 200).Draw(t, "b")
		low, high := min(a, b), max(a, b)
		require.LessOrEqual(t, render.ImagePoints(low), render.ImagePoints(high))
		require.LessOrEqual(t, render.VideoPoints(low/100), render.VideoPoints(high/100))
	})
}
