package measure_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/measure"
)

// exact is how near a computed value must come to one worked out by hand.
const exact = 1e-9

// cases has the scores of positives and negatives.
func cases(positive, negative []float64) []measure.Case {
	var list []measure.Case
	for _, s := range positive {
		list = append(list, measure.Case{Score: s, Positive: true})
	}
	for _, s := range negative {
		list = append(list, measure.Case{Score: s})
	}
	return list
}

func TestAreaCountsTiesAsHalf(t *testing.T) {
	t.Parallel()
	// Of six pairs: 3 beats 2 and 1; 2 beats 1 and ties with 2; 0 beats neither. 3.5 of 6.
	require.InDelta(t, 3.5/6, measure.AUC(cases([]float64{3, 2, 0}, []float64{2, 1})), exact)
	require.InDelta(t, 0.5, measure.AUC(cases([]float64{1, 1}, []float64{1, 1, 1})), exact)
	require.InDelta(t, 1, measure.AUC(cases([]float64{2}, []float64{1})), exact)
	require.True(t, math.IsNaN(measure.AUC(cases([]float64{2}, nil))))
}

func TestCurveStepsOverTiesAtOnce(t *testing.T) {
	t.Parallel()
	got := measure.Curve(cases([]float64{3, 2, 0}, []float64{2, 1}))
	require.Equal(t, []measure.Point{
		{Threshold: math.Inf(1)},
		{Threshold: 3, True: 1. / 3},
		{Threshold: 2, False: 0.5, True: 2. / 3},
		{Threshold: 1, False: 1, True: 2. / 3},
		{Threshold: 0, False: 1, True: 1},
	}, got)
	require.Nil(t, measure.Curve(cases(nil, []float64{1})))
}

func TestFoundAtNeverPassesTheRate(t *testing.T) {
	t.Parallel()
	list := cases([]float64{9, 8, 5, 1}, []float64{8.5, 6, 5, 4})
	require.InDelta(t, 0.25, measure.FoundAt(list, 0), exact)
	require.InDelta(t, 0.5, measure.FoundAt(list, 0.25), exact)
	// The tie at 5 brings a third negative at once.
	require.InDelta(t, 0.5, measure.FoundAt(list, 0.5), exact)
	require.InDelta(t, 0.75, measure.FoundAt(list, 0.75), exact)
	require.InDelta(t, 8.0, measure.ThresholdAt(list, 0.25), 1.0)
	require.True(t, math.IsInf(measure.ThresholdAt(cases(nil, []float64{1, 1}), 0.4), 1))
}

func TestEqualErrorLiesWhereBothErrorsMeet(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0, measure.EqualError(cases([]float64{3, 4}, []float64{1, 2})), exact)
	require.InDelta(t, 1, measure.EqualError(cases([]float64{1, 2}, []float64{3, 4})), exact)
	require.InDelta(t, 0.5, measure.EqualError(cases([]float64{1, 1}, []float64{1})), exact)
	// At a threshold of 3 one of four negatives is above and one of four positives below.
	require.InDelta(t, 0.25, measure.EqualError(cases([]float64{6, 5, 3, 1}, []float64{4, 2, 0, -1})), exact)
}

func TestIntervalsOfShares(t *testing.T) {
	t.Parallel()
	// z² = 3.841459: 0 of 10 is up to z²/(10+z²), 10 of 10 from 10/(10+z²).
	none := measure.Wilson(0, 10, 0.95)
	require.InDelta(t, 0, none.Low, exact)
	require.InDelta(t, 0.277533, none.High, 1e-6)
	require.InDelta(t, 0.722467, measure.Wilson(10, 10, 0.95).Low, 1e-6)
	half := measure.Wilson(5, 10, 0.95)
	require.InDelta(t, 0.236593, half.Low, 1e-6)
	require.InDelta(t, 0.763407, half.High, 1e-6)
	require.Equal(t, measure.Interval{High: 1}, measure.Wilson(0, 0, 0.95))
}

func TestBoundOfAShareIsExact(t *testing.T) {
	t.Parallel()
	// Without an error: 1 - 0.05^(1/n), which is why 299 cases promise 1 % and 298 do not.
	require.InDelta(t, 1-math.Pow(0.05, 1./20), measure.AtMost(0, 20, 0.95), exact)
	require.LessOrEqual(t, measure.AtMost(0, 299, 0.95), 0.01)
	require.Greater(t, measure.AtMost(0, 298, 0.95), 0.01)
	// One of two: 1 - p² = 0.05.
	require.InDelta(t, math.Sqrt(0.95), measure.AtMost(1, 2, 0.95), exact)
	require.InDelta(t, 1, measure.AtMost(2, 2, 0.95), exact)
}

func TestVarianceOfTheAreaIsDeLongs(t *testing.T) {
	t.Parallel()
	// Placements: positives 1, 0.75, 0 (mean 0.583333), negatives 0.5, 0.666667. S10 = 0.270833, S01 = 0.013889;
	// variance 0.270833/3 + 0.013889/2 = 0.097222.
	got := measure.AUCInterval(cases([]float64{3, 2, 0}, []float64{2, 1}), 0.5)
	reach := math.Sqrt2 * math.Erfinv(0.5) * math.Sqrt(0.0972222222222)
	require.InDelta(t, 3.5/6, got.Value, exact)
	require.InDelta(t, 3.5/6-reach, got.Low, 1e-6)
	require.InDelta(t, 3.5/6+reach, got.High, 1e-6)
	apart := measure.AUCInterval(cases([]float64{3, 4, 5}, []float64{1, 2}), 0.95)
	require.InDelta(t, 1, apart.High, exact)
	require.Less(t, apart.Low, 0.5, "two negatives say little")
}

func TestSummaryRepeatsAndHoldsItsValues(t *testing.T) {
	t.Parallel()
	var positive, negative []float64
	for i := range 200 {
		positive, negative = append(positive, float64(i)+60), append(negative, float64(i))
	}
	list := cases(positive, negative)
	got := measure.Summarize(list, []float64{0.01, 0.05}, 0.95)
	require.Equal(t, got, measure.Summarize(list, []float64{0.01, 0.05}, 0.95))
	require.InDelta(t, measure.AUC(list), got.AUC.Value, exact)
	require.InDelta(t, measure.FoundAt(list, 0.05), got.Found[1].Value, exact)
	for _, e := range append(got.Found, got.AUC, got.EqualError) {
		require.LessOrEqual(t, e.Low, e.Value)
		require.GreaterOrEqual(t, e.High, e.Value)
		require.Less(t, e.High-e.Low, 0.25)
		require.Greater(t, e.High-e.Low, 0.01)
	}
}
