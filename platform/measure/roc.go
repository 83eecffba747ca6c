package measure

import "math"

// Point is one point of a receiver operating characteristic: what shares of both classes lie at or above Threshold.
type Point struct {
	Threshold float64
	// False is the share of negatives, True that of positives.
	False, True float64
}

// Curve is the receiver operating characteristic from (0, 0), whose threshold is infinite, to (1, 1). Cases of one score
// are one step of it. It is nil where a class has no case.
func Curve(cases []Case) []Point {
	t := newTally(cases)
	if !t.whole() {
		return nil
	}
	points := []Point{{Threshold: math.Inf(1)}}
	t.walk(func(threshold, alarms, found float64) {
		points = append(points, Point{threshold, alarms, found})
	})
	return points
}

// walk calls step for each threshold, the highest first, with the shares of negatives and positives at or above it.
func (t *tally) walk(step func(threshold, alarms, found float64)) {
	var negative, positive float64
	for i := len(t.scores) - 1; i >= 0; i-- {
		if t.positive[i] == 0 && t.negative[i] == 0 {
			continue
		}
		negative, positive = negative+t.negative[i], positive+t.positive[i]
		step(t.scores[i], negative/t.negatives, positive/t.positives)
	}
}

// AUC is the area under the curve: the chance that a positive case scores above a negative one, a tie counting half
// (Mann and Whitney). It is NaN where a class has no case.
func AUC(cases []Case) float64 {
	t := newTally(cases)
	return t.auc()
}

func (t *tally) auc() float64 {
	if !t.whole() {
		return math.NaN()
	}
	var below, wins float64
	for i := range t.scores {
		wins += t.positive[i] * (below + t.negative[i]/2)
		below += t.negative[i]
	}
	return wins / (t.positives * t.negatives)
}

// FoundAt is the largest share of positives at or above a threshold which at most the share rate of negatives reaches. It
// takes thresholds that were measured and draws no line between them, so that fewer than 1/rate negatives allow none. It is
// NaN where a class has no case.
func FoundAt(cases []Case, rate float64) float64 {
	t := newTally(cases)
	return t.foundAt(rate)
}

// slack forgives the rounding of a share, so that 1 of 100 is at most 0.01.
const slack = 1e-12

func (t *tally) foundAt(rate float64) float64 {
	if !t.whole() {
		return math.NaN()
	}
	best := 0.0
	t.walk(func(_, alarms, found float64) {
		if alarms <= rate+slack {
			best = found
		}
	})
	return best
}

// ThresholdAt is the lowest score which at most the share rate of negatives reaches: the threshold of [FoundAt]. It is
// infinite where no score is rare enough, and NaN without negatives.
func ThresholdAt(cases []Case, rate float64) float64 {
	t := newTally(cases)
	if t.negatives == 0 {
		return math.NaN()
	}
	threshold, negative := math.Inf(1), 0.0
	for i := len(t.scores) - 1; i >= 0; i-- {
		if negative += t.negative[i]; negative/t.negatives > rate+slack {
			break
		}
		threshold = t.scores[i]
	}
	return threshold
}

// EqualError is the rate at which as many negatives are taken for positive as positives for negative, on straight lines
// between the points of the curve. It is NaN where a class has no case.
func EqualError(cases []Case) float64 {
	t := newTally(cases)
	return t.equalError()
}

func (t *tally) equalError() float64 {
	if !t.whole() {
		return math.NaN()
	}
	var alarms, missed float64 = 0, 1
	rate, done := math.NaN(), false
	t.walk(func(_, a, found float64) {
		m := 1 - found
		if !done && a >= m {
			// Where the line from the last point to this one meets alarms = missed.
			share := 0.0
			if gap := (missed - alarms) + (a - m); gap > 0 {
				share = (missed - alarms) / gap
			}
			rate, done = alarms+share*(a-alarms), true
		}
		alarms, missed = a, m
	})
	return rate
}
