package measure

import (
	"math"
)

// Bin is a stretch of probabilities and how often they came true.
type Bin struct {
	// Cases is how many lie in it.
	Cases int `json:"cases"`
	// Mean is the mean probability, Share that of positives, with its interval. All weigh the classes the same.
	Mean  float64  `json:"mean"`
	Share Estimate `json:"share"`
	// weight is the bin's part of all cases, 0 to 1.
	weight float64
}

// Reliability is how probabilities fit what came true.
type Reliability struct {
	Bins []Bin `json:"bins"`
	// Error is the expected calibration error: the mean distance of Mean and Share over the bins (Naeini, Cooper and
	// Hauskrecht, AAAI 2015).
	Error float64 `json:"calibration_error"`
	// Brier is the mean squared distance of the probability from what came true, 0 to 1.
	Brier float64 `json:"brier"`
}

// Reliable cuts cases, whose scores are probabilities, into up to bins parts of as equal a number of cases as equal scores
// let them be. Both classes weigh the same, as they do when probabilities are learned here. It is zero where a class has no
// case.
func Reliable(cases []Case, bins int, level float64) Reliability {
	t := newTally(cases)
	if !t.whole() {
		return Reliability{}
	}
	var r Reliability
	var open part
	filled := 0
	for i, score := range t.scores {
		open.add(score, t.positive[i], t.negative[i], 1/(2*t.positives), 1/(2*t.negatives))
		filled += int(t.positive[i] + t.negative[i])
		r.Brier += t.positive[i]/(2*t.positives)*(1-score)*(1-score) + t.negative[i]/(2*t.negatives)*score*score
		if filled*bins >= (len(r.Bins)+1)*len(cases) || i == len(t.scores)-1 {
			b := open.bin(level)
			r.Bins = append(r.Bins, b)
			r.Error += b.weight * math.Abs(b.Mean-b.Share.Value)
			open = part{}
		}
	}
	return r
}

// part is a bin that is being filled.
type part struct {
	cases                          int
	positive, weight, sum, squares float64
}

func (p *part) add(score, positive, negative, ofPositive, ofNegative float64) {
	p.cases += int(positive + negative)
	p.positive += positive * ofPositive
	p.weight += positive*ofPositive + negative*ofNegative
	p.sum += score * (positive*ofPositive + negative*ofNegative)
	p.squares += positive*ofPositive*ofPositive + negative*ofNegative*ofNegative
}

func (p *part) bin(level float64) Bin {
	share := p.positive / p.weight
	// Weighted cases are worth fewer (Kish, Survey Sampling, 1965).
	worth := p.weight * p.weight / p.squares
	return Bin{
		Cases: p.cases, Mean: p.sum / p.weight, weight: p.weight,
		Share: Estimate{share, wilson(share, worth, z(level))},
	}
}
