package measure

import (
	"errors"
	"math"
)

// ErrNoRise says that higher scores do not mean the positive class, so that no rising curve fits them.
var ErrNoRise = errors.New("the scores of the positive class are not the higher ones")

const (
	// plattPoints is how many points stand for the curve, over a range of log-odds from -plattReach to plattReach.
	plattPoints, plattReach = 13, 5.0
	// plattRounds bounds the search, which ends when a step is below plattStep.
	plattRounds, plattStep = 100, 1e-10
	// separable is a slope, in log-odds over the whole range of scores, beyond which classes count as fully apart.
	separable = 200
)

// Platt learns the probability as a logistic curve of the score, a + b·score in log-odds (Platt, Advances in Large Margin
// Classifiers, 1999), and gives points of it over the scores seen. It needs fewer cases than [Isotonic] and holds less often.
// Both classes weigh the same; their targets stop short of 0 and 1 as Platt's do.
func Platt(cases []Case) (Points, error) {
	t := newTally(cases)
	if !t.whole() {
		return nil, ErrOneClass
	}
	low, high := t.scores[0], t.scores[len(t.scores)-1]
	a, b := t.logistic()
	if b <= 0 || low == high {
		return nil, ErrNoRise
	}
	from, to := max(low, (-plattReach-a)/b), min(high, (plattReach-a)/b)
	if from >= to {
		// All scores are beyond the reach on one side; the curve is what it is there.
		from, to = low, high
	}
	var points Points
	for i := range plattPoints {
		score := from + (to-from)*float64(i)/(plattPoints-1)
		points = append(points, [2]float64{score, sigmoid(a + b*score)})
	}
	return points, nil
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logistic finds a and b by Newton's method on the weighted log-likelihood.
func (t *tally) logistic() (a, b float64) {
	ofPositive, ofNegative := 1/(2*t.positives), 1/(2*t.negatives)
	yes, no := (t.positives+1)/(t.positives+2), 1/(t.negatives+2)
	span := max(t.scores[len(t.scores)-1]-t.scores[0], math.SmallestNonzeroFloat64)
	for range plattRounds {
		// The gradient, and the curvature with a little on its diagonal, so that it can be inverted.
		var ga, gb float64
		caa, cab, cbb := 1e-12, 0.0, 1e-12
		for i, score := range t.scores {
			wp, wn := t.positive[i]*ofPositive, t.negative[i]*ofNegative
			p := sigmoid(a + b*score)
			g := wp*(p-yes) + wn*(p-no)
			c := (wp + wn) * p * (1 - p)
			ga, gb = ga+g, gb+g*score
			caa, cab, cbb = caa+c, cab+c*score, cbb+c*score*score
		}
		det := caa*cbb - cab*cab
		if det <= 0 {
			return a, b
		}
		da, db := (cbb*ga-cab*gb)/det, (caa*gb-cab*ga)/det
		a, b = a-da, b-db
		if math.Abs(da)+math.Abs(db) < plattStep || math.Abs(b)*span > separable {
			return a, b
		}
	}
	return a, b
}
