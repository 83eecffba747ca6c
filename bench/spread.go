package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// spread is a set of measured times.
type spread []time.Duration

// at gives the q-quantile by nearest rank, q from 0 to 1; 0 of an empty set.
func (s spread) at(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// median gives the middle value, the lower one of two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// each is one of the times of every effort.
func each(efforts []effort, of func(effort) time.Duration) spread {
	times := make(spread, len(efforts))
	for i, e := range efforts {
		times[i] = of(e)
	}
	return times
}

// ratiosOf are the times as multiples of their peer's, round by round.
func ratiosOf(took, peer spread) []float64 {
	ratios := make([]float64, len(took))
	for i := range took {
		ratios[i] = float64(took[i]) / float64(peer[i])
	}
	return ratios
}

// between names the least and the greatest of the values.
func between(values []float64) string {
	return fmt.Sprintf("%.2f and %.2f", slices.Min(values), slices.Max(values))
}

// geometricMean is that of positive values: what halves one and doubles another changes nothing.
func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
