package main

import (
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
