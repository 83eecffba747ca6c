package measure_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/platform/measure"
)

// spread has n cases of one group, evenly over 0 to under 1.
func spread(n int, positive bool, group, variant string) []measure.Judged {
	list := make([]measure.Judged, n)
	for i := range list {
		list[i] = measure.Judged{Probability: float64(i) / float64(n), Positive: positive, Group: group, Variant: variant}
	}
	return list
}

// wrong counts cases on the wrong side of the band, by group and variant.
func wrong(list []measure.Judged, b measure.Band, positive bool) (all, n int, by map[string]int) {
	by = map[string]int{}
	for _, c := range list {
		if c.Positive != positive {
			continue
		}
		n++
		if (positive && c.Probability < b.Negative) || (!positive && c.Probability > b.Positive) {
			all++
			by[c.Group]++
		}
	}
	return all, n, by
}

func TestBandHoldsTheMeasuredRate(t *testing.T) {
	t.Parallel()
	list := append(spread(1000, false, "camera", "clean"), spread(500, true, "generator", "clean")...)
	b := measure.Rule{Rate: 0.01}.Band(list)
	all, n, _ := wrong(list, b, false)
	require.Equal(t, 10, all, "of %d", n)
	require.InDelta(t, 0.99, b.Positive, 0.003)
	missed, _, _ := wrong(list, b, true)
	require.Equal(t, 5, missed)
	require.InDelta(t, 0.01, b.Negative, 0.003)
	require.Contains(t, b.WhyPositive, "all, clean: at most 10 of 1000")
}

func TestBandLeavesRoomForChance(t *testing.T) {
	t.Parallel()
	list := append(spread(1000, false, "camera", "clean"), spread(500, true, "generator", "clean")...)
	b := measure.Rule{Rate: 0.01, Confidence: 0.95}.Band(list)
	all, n, _ := wrong(list, b, false)
	require.LessOrEqual(t, measure.AtMost(all, n, 0.95), 0.01)
	require.Greater(t, measure.AtMost(all+1, n, 0.95), 0.01)
	require.Positive(t, all)
}

func TestBandPromisesNothingFromFewCases(t *testing.T) {
	t.Parallel()
	list := append(spread(298, false, "camera", "clean"), spread(299, true, "generator", "clean")...)
	for i := range list[298:] {
		list[298+i].Probability = 0.1 + list[298+i].Probability/2
	}
	b := measure.Rule{Rate: 0.01, Confidence: 0.95}.Band(list)
	require.InDelta(t, 1, b.Positive, exact)
	require.Contains(t, b.WhyPositive, "298 cases (all, clean) are too few to promise 0.01; 299 without an error would do")
	require.Positive(t, b.Negative)
	none := measure.Rule{Rate: 0.01, Confidence: 0.95}.Band(spread(10, true, "g", "clean"))
	require.InDelta(t, 1, none.Positive, exact)
}

func TestNoGroupPaysForTheOthers(t *testing.T) {
	t.Parallel()
	// One camera's photographs all look made: they alone would be half a percent of all.
	list := append(spread(4000, true, "generator", "clean"), spread(20_000, false, "calm", "clean")...)
	for i := range list[4000:] {
		list[4000+i].Probability /= 2
	}
	for i := range 100 {
		list = append(list, measure.Judged{Probability: 0.9 + float64(i)/2000, Group: "odd", Variant: "clean"})
	}
	b := measure.Rule{Rate: 0.01}.Band(list)
	_, _, by := wrong(list, b, false)
	require.Equal(t, 3, by["odd"])
	require.Contains(t, b.WhyPositive, "odd, clean: at most 3 of 100")
}

func TestSmallGroupsCountTogether(t *testing.T) {
	t.Parallel()
	list := spread(4000, true, "generator", "clean")
	for range 2000 {
		list = append(list, measure.Judged{Probability: 0.1, Group: "calm", Variant: "clean"})
	}
	for g := range 20 {
		for i := range 10 {
			p := 0.2
			if i == 0 {
				p = 0.7 + float64(g)/100
			}
			list = append(list, measure.Judged{Probability: p, Group: fmt.Sprint("small", g), Variant: "clean"})
		}
	}
	b := measure.Rule{Rate: 0.01}.Band(list)
	all, _, by := wrong(list, b, false)
	require.Equal(t, 6, all, "three in a hundred of the 200 that small groups have together")
	for group, n := range by {
		require.Equal(t, 1, n, group)
	}
	require.Contains(t, b.WhyPositive, "smaller groups together, clean")
}

func TestEachVariantKeepsTheRate(t *testing.T) {
	t.Parallel()
	list := append(spread(1000, false, "camera", "clean"), spread(500, true, "generator", "clean")...)
	for i := range list[:1000] {
		list[i].Probability *= 0.6
	}
	list = append(list, spread(1000, false, "camera", "worn")...)
	b := measure.Rule{Rate: 0.01}.Band(list)
	all, _, _ := wrong(list, b, false)
	require.Equal(t, 10, all, "the clean ones do not pay for the worn")
	require.Contains(t, b.WhyPositive, "worn")
}

func TestBandNeverLeansOverOneHalf(t *testing.T) {
	t.Parallel()
	var list []measure.Judged
	for i := range 1000 {
		list = append(list,
			measure.Judged{Probability: 0.01 + float64(i)/1e5, Group: "camera", Variant: "clean"},
			measure.Judged{Probability: 0.99 - float64(i)/1e5, Positive: true, Group: "generator", Variant: "clean"})
	}
	b := measure.Rule{Rate: 0.01, Confidence: 0.95}.Band(list)
	require.GreaterOrEqual(t, b.Positive, 0.5)
	require.LessOrEqual(t, b.Negative, 0.5)
	all, _, _ := wrong(list, b, false)
	require.Zero(t, all)
}
