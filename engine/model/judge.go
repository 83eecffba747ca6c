package model

import (
	"fmt"
	"math"
	"sort"

	"veracity/engine"
)

// Probability reads a raw score off the points, in straight lines between them.
func (c Calibration) Probability(raw float64) float64 {
	points := c.Points
	above := sort.Search(len(points), func(i int) bool { return points[i][0] > raw })
	switch above {
	case 0:
		return points[0][1]
	case len(points):
		return points[len(points)-1][1]
	}
	low, high := points[above-1], points[above]
	return low[1] + (high[1]-low[1])*(raw-low[0])/(high[0]-low[0])
}

// verdict is what a probability says. Band.Real 0 and Band.AI 1 are never passed.
func (b Band) verdict(probability float64) engine.Verdict {
	switch {
	case probability < b.Real:
		return engine.Real
	case probability > b.AI:
		return engine.AI
	}
	return engine.Uncertain
}

// slack is how far a network's probabilities may leave 0 to 1 by rounding, and how near to either end its log-odds are
// read: a sigmoid in float32 reaches 1 at a logit of 17.
const slack = 1e-6

// row reads the values that the network gave for one patch or window.
func (o Output) row(values []float32) (Row, error) {
	for _, v := range values {
		if !finite(float64(v)) {
			return Row{}, fmt.Errorf("the network gave %g: a finite number is needed", v)
		}
	}
	switch o.Kind {
	case Logits:
		return o.classes(values), nil
	case Probability:
		p := float64(values[0])
		if p < -slack || p > 1+slack {
			return Row{}, fmt.Errorf("the network gave the probability %g: 0 to 1 is needed (output.kind %q takes any number)", p, Logit)
		}
		p = min(max(p, slack), 1-slack)
		return Row{Raw: math.Log(p / (1 - p))}, nil
	}
	return Row{Raw: float64(values[0])}, nil
}

// classes turns the logits of classes into the log-odds of AI against all others: what people drew is as wrong to be called
// AI as what they photographed.
func (o Output) classes(values []float32) Row {
	all, rest := math.Inf(-1), math.Inf(-1)
	for i, v := range values {
		all = logAdd(all, float64(v))
		if i != o.AI {
			rest = logAdd(rest, float64(v))
		}
	}
	row := Row{Raw: float64(values[o.AI]) - rest}
	if o.Other != nil {
		row.Other = math.Exp(float64(values[*o.Other]) - all)
	}
	return row
}

// logAdd is log(exp(a) + exp(b)) without leaving the range of numbers.
func logAdd(a, b float64) float64 {
	low, high := min(a, b), max(a, b)
	if math.IsInf(low, -1) {
		return high
	}
	return high + math.Log1p(math.Exp(low-high))
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
