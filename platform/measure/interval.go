package measure

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Wilson is the score interval of a share: hits of n cases, at level (0 to 1, such as 0.95). Unlike the textbook interval
// it stays within 0 and 1 and holds for few cases (Wilson, Journal of the American Statistical Association 22, 1927).
// Without cases it is everything.
func Wilson(hits, n int, level float64) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	return wilson(float64(hits)/float64(n), float64(n), z(level))
}

func wilson(share, n, z float64) Interval {
	z2 := z * z
	middle := share + z2/(2*n)
	reach := z * math.Sqrt(share*(1-share)/n+z2/(4*n*n))
	whole := 1 + z2/n
	return Interval{max(0, (middle-reach)/whole), min(1, (middle+reach)/whole)}
}

// Share is hits of n cases with its Wilson interval. It is NaN without cases.
func Share(hits, n int, level float64) Estimate {
	return Estimate{float64(hits) / float64(n), Wilson(hits, n, level)}
}

// AtMost is the largest share that still brings about as few as hits of n cases with a chance of 1 - confidence: with that
// confidence the true share is no larger (Clopper and Pearson, Biometrika 26, 1934, one-sided). Without cases it is 1.
func AtMost(hits, n int, confidence float64) float64 {
	if n == 0 || hits >= n {
		return 1
	}
	low, high := float64(hits)/float64(n), 1.0
	for range 60 {
		middle := (low + high) / 2
		if binomial(hits, n, middle) > 1-confidence {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// binomial is the chance of at most hits of n cases when each hits with the chance p.
func binomial(hits, n int, p float64) float64 {
	if p <= 0 {
		return 1
	}
	if p >= 1 {
		return 0
	}
	all, _ := math.Lgamma(float64(n) + 1)
	sum := 0.0
	for k := 0; k <= hits; k++ {
		a, _ := math.Lgamma(float64(k) + 1)
		b, _ := math.Lgamma(float64(n-k) + 1)
		sum += math.Exp(all - a - b + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return min(sum, 1)
}

// AUCInterval is the area under the curve with its interval at level, from the variance that DeLong, DeLong and
// Clarke-Pearson give (Biometrics 44, 1988). Classes that do not overlap at all have none; the interval is then that of a
// share of the smaller class.
func AUCInterval(cases []Case, level float64) Estimate {
	t := newTally(cases)
	area := t.auc()
	if math.IsNaN(area) {
		return Estimate{area, Interval{0, 1}}
	}
	var below, above, ofPositives, ofNegatives float64
	above = t.positives
	for i := range t.scores {
		above -= t.positive[i]
		// What share of the other class a case of this score beats.
		beats := (below+t.negative[i]/2)/t.negatives - area
		beaten := (above+t.positive[i]/2)/t.positives - area
		ofPositives += t.positive[i] * beats * beats
		ofNegatives += t.negative[i] * beaten * beaten
		below += t.negative[i]
	}
	if ofPositives+ofNegatives == 0 || t.positives < 2 || t.negatives < 2 {
		return Estimate{area, wilson(area, min(t.positives, t.negatives), z(level))}
	}
	variance := ofPositives/((t.positives-1)*t.positives) + ofNegatives/((t.negatives-1)*t.negatives)
	reach := z(level) * math.Sqrt(variance)
	return Estimate{area, Interval{max(0, area-reach), min(1, area+reach)}}
}

// Summary is what the scores of two classes are worth.
type Summary struct {
	AUC Estimate
	// Found has the share of positives found at each of the rates asked for, in their order.
	Found      []Estimate
	EqualError Estimate
}

// resamples is how often cases are drawn anew for an interval: enough for its ends to two digits.
const resamples = 1000

// Summarize measures all figures, with intervals at level: the area's is DeLong's, the others are percentiles of a
// bootstrap that draws from each class by itself, as many as it has. The same cases in the same order give the same result.
// Cases count as independent; files of one source are less so, and intervals narrower than the truth. Figures are NaN where a
// class has no case.
func Summarize(cases []Case, rates []float64, level float64) Summary {
	t, at := shape(cases)
	var positives, negatives []int
	for i, c := range cases {
		t.add(at[i], c.Positive)
		if c.Positive {
			positives = append(positives, at[i])
		} else {
			negatives = append(negatives, at[i])
		}
	}
	figures := func() []float64 {
		values := []float64{t.equalError()}
		for _, rate := range rates {
			values = append(values, t.foundAt(rate))
		}
		return values
	}
	values, drawn := figures(), make([][]float64, len(rates)+1)
	random := rand.New(rand.NewPCG(1, uint64(len(cases)))) //nolint:gosec // Drawing anew needs no secret, and must repeat.
	for range resamples {
		t.clear()
		for range positives {
			t.add(positives[random.IntN(len(positives))], true)
		}
		for range negatives {
			t.add(negatives[random.IntN(len(negatives))], false)
		}
		for k, v := range figures() {
			drawn[k] = append(drawn[k], v)
		}
	}
	estimates := make([]Estimate, len(values))
	for k, v := range values {
		estimates[k] = Estimate{v, percentiles(drawn[k], level)}
	}
	return Summary{AUC: AUCInterval(cases, level), EqualError: estimates[0], Found: estimates[1:]}
}

// percentiles is the middle part of values that holds level of them.
func percentiles(values []float64, level float64) Interval {
	slices.Sort(values)
	last := float64(len(values) - 1)
	tail := (1 - level) / 2
	return Interval{values[int(math.Floor(tail*last))], values[int(math.Ceil((1-tail)*last))]}
}
