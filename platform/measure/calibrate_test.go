package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/measure"
)

func TestPointsAreReadInStraightLines(t *testing.T) {
	t.Parallel()
	p := measure.Points{{-2, 0.1}, {0, 0.5}, {4, 0.9}}
	for score, want := range map[float64]float64{-9: 0.1, -2: 0.1, -1: 0.3, 0: 0.5, 1: 0.6, 4: 0.9, 99: 0.9} {
		require.InDelta(t, want, p.At(score), exact, score)
	}
	require.True(t, math.IsNaN(measure.Points{}.At(1)))
}

// drawn has scores that are log-odds: a case of score s is positive with the chance of a logistic curve.
func drawn(n int) []measure.Case {
	random := rand.New(rand.NewPCG(7, 7))
	list := make([]measure.Case, n)
	for i := range list {
		s := random.Float64()*8 - 4
		list[i] = measure.Case{Score: s, Positive: random.Float64() < 1/(1+math.Exp(-s))}
	}
	return list
}

func TestIsotonicFindsTheCurveBehindCases(t *testing.T) {
	t.Parallel()
	points, err := measure.Isotonic(drawn(20_000))
	require.NoError(t, err)
	rises(t, points)
	require.LessOrEqual(t, len(points), 12)
	for s := -3.0; s <= 3; s += 0.5 {
		require.InDelta(t, 1/(1+math.Exp(-s)), points.At(s), 0.06, s)
	}
}

func TestIsotonicPoolsWhatDoesNotRise(t *testing.T) {
	t.Parallel()
	// Of each score ten cases; positives: 0, 6, 4, 10. The middle two are one step of one half at their mean score of 1.5.
	var list []measure.Case
	for score, positives := range []int{0, 6, 4, 10} {
		for i := range 10 {
			list = append(list, measure.Case{Score: float64(score), Positive: i < positives})
		}
	}
	points, err := measure.Isotonic(list)
	require.NoError(t, err)
	require.Len(t, points, 3)
	require.InDelta(t, 0.5/11, points.At(0), exact)
	require.InDelta(t, 0.5, points.At(1.5), exact)
	require.InDelta(t, 10.5/11, points.At(3), exact)
}

func TestIsotonicWeighsClassesTheSame(t *testing.T) {
	t.Parallel()
	list := drawn(8000)
	uneven := list[:0:0]
	for i, c := range list {
		if c.Positive || i%10 == 0 {
			uneven = append(uneven, c)
		}
	}
	points, err := measure.Isotonic(uneven)
	require.NoError(t, err)
	require.InDelta(t, 0.5, points.At(0), 0.1)
}

func TestScoresThatTellNothingStayNearOneHalf(t *testing.T) {
	t.Parallel()
	for _, list := range [][]measure.Case{
		cases([]float64{1, 1, 1}, []float64{1, 1}), cases([]float64{0, 1, 2}, []float64{5, 6, 7}),
	} {
		points, err := measure.Isotonic(list)
		require.NoError(t, err)
		rises(t, points)
		require.InDelta(t, 0.5, points.At(1), 0.01)
		_, err = measure.Platt(list)
		require.ErrorIs(t, err, measure.ErrNoRise)
	}
	_, err := measure.Isotonic(cases([]float64{1}, nil))
	require.ErrorIs(t, err, measure.ErrOneClass)
	_, err = measure.Platt(cases(nil, []float64{1}))
	require.ErrorIs(t, err, measure.ErrOneClass)
}

func TestPlattFindsTheCurveBehindFewCases(t *testing.T) {
	t.Parallel()
	points, err := measure.Platt(drawn(1000))
	require.NoError(t, err)
	rises(t, points)
	for s := -3.0; s <= 3; s++ {
		require.InDelta(t, 1/(1+math.Exp(-s)), points.At(s), 0.08, s)
	}
	apart, err := measure.Platt(cases([]float64{4, 5, 6}, []float64{1, 2, 3}))
	require.NoError(t, err)
	rises(t, apart)
	require.Greater(t, apart.At(6), 0.7)
}

func rises(t *testing.T, points measure.Points) {
	t.Helper()
	require.GreaterOrEqual(t, len(points), 2)
	for i, p := range points {
		require.Greater(t, p[1], 0.0)
		require.Less(t, p[1], 1.0)
		if i > 0 {
			require.Greater(t, p[0], points[i-1][0])
			require.Greater(t, p[1], points[i-1][1])
		}
	}
}

func TestReliabilityOfTwoBins(t *testing.T) {
	t.Parallel()
	// 0.2: one of five positive; 0.9: four of five. Both classes have five, so weights are even.
	var list []measure.Case
	for i := range 5 {
		list = append(list, measure.Case{Score: 0.2, Positive: i == 0}, measure.Case{Score: 0.9, Positive: i > 0})
	}
	got := measure.Reliable(list, 2, 0.95)
	require.Len(t, got.Bins, 2)
	require.Equal(t, 5, got.Bins[0].Cases)
	require.InDelta(t, 0.2, got.Bins[0].Mean, exact)
	require.InDelta(t, 0.2, got.Bins[0].Share.Value, exact)
	require.InDelta(t, 0.8, got.Bins[1].Share.Value, exact)
	require.InDelta(t, 0.05, got.Error, exact)
	require.InDelta(t, (0.64+4*0.04+4*0.01+0.81)/10, got.Brier, exact)
	require.Len(t, measure.Reliable(list, 1, 0.95).Bins, 1)
	require.Empty(t, measure.Reliable(list[:1], 4, 0.95).Bins)
}
