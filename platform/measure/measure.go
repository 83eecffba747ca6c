// Package measure says how well scores tell two classes apart, how surely that is known from the cases at hand, and which
// probabilities and thresholds follow from them. It is statistics alone: it knows no files, no models and no verdicts.
package measure

import (
	"cmp"
	"math"
	"slices"
)

// Case is one judged thing.
type Case struct {
	// Score rises with the evidence for the positive class. Its scale is the caller's; it may not be NaN.
	Score    float64
	Positive bool
}

// Interval is a range of values that holds the true one at the level that its maker was asked for.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Estimate is a measured value and what the true one may be.
type Estimate struct {
	Value float64 `json:"value"`
	Interval
}

// tally counts the cases of each class at each score, the scores rising. Counts may be weights.
type tally struct {
	scores             []float64
	positive, negative []float64
	positives          float64
	negatives          float64
}

func newTally(cases []Case) tally {
	t, at := shape(cases)
	for i, c := range cases {
		t.add(at[i], c.Positive)
	}
	return t
}

// shape gives a tally of the distinct scores without any count, and the place of each case in it.
func shape(cases []Case) (t tally, at []int) {
	order := make([]int, len(cases))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(cases[a].Score, cases[b].Score) })
	at = make([]int, len(cases))
	for _, i := range order {
		if n := len(t.scores); n == 0 || t.scores[n-1] != cases[i].Score {
			t.scores = append(t.scores, cases[i].Score)
		}
		at[i] = len(t.scores) - 1
	}
	t.positive, t.negative = make([]float64, len(t.scores)), make([]float64, len(t.scores))
	return t, at
}

func (t *tally) add(at int, positive bool) {
	if positive {
		t.positive[at]++
		t.positives++
		return
	}
	t.negative[at]++
	t.negatives++
}

func (t *tally) clear() {
	clear(t.positive)
	clear(t.negative)
	t.positives, t.negatives = 0, 0
}

// whole says whether both classes have cases; without them no figure of the kind below exists.
func (t *tally) whole() bool { return t.positives > 0 && t.negatives > 0 }

// z is the distance from the mean, in standard deviations, that holds level (0 to 1) of a normal distribution.
func z(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }
