package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Judged is a case with its probability, and where it comes from.
type Judged struct {
	Probability float64
	Positive    bool
	// Group is the source or generator, Variant what was done to the file. A file has one case in each variant.
	Group, Variant string
}

// Rule says how often an answer may be wrong.
type Rule struct {
	// Rate is the largest share of negatives that may be called positive, and of positives that may be called negative: over
	// 0, under 1.
	Rate float64
	// Confidence is how sure that must be, over 0 and under 1: the one-sided bound of [AtMost] is held under Rate. 0 holds the
	// measured share itself under it.
	Confidence float64
}

// groupFactor is how many times Rate the share of one group may be. A group of n cases may have as many wrong as that makes,
// rounded down, but always one: a single case of a small group says nothing of its rate. Groups of fewer than 1/(groupFactor
// x Rate) cases count together as one more.
const groupFactor = 3

// smaller is the name of all small groups together.
const smaller = "smaller groups together"

// Band is where no answer is given.
type Band struct {
	// Negative is the probability under which the answer is negative, 0 where it never is; Positive that above which it is
	// positive, 1 where it never is.
	Negative, Positive float64
	// WhyNegative and WhyPositive say what set them.
	WhyNegative, WhyPositive string
}

// Band chooses the widest answers that the rule allows, in each variant by itself and in each group of it. Positive is at
// least one half and Negative at most.
func (r Rule) Band(cases []Judged) Band {
	mirrored := make([]Judged, len(cases))
	for i, c := range cases {
		c.Probability, c.Positive = 1-c.Probability, !c.Positive
		mirrored[i] = c
	}
	yes, no := r.gap(cases), r.gap(mirrored)
	b := Band{Negative: 0, Positive: 1, WhyNegative: no.why, WhyPositive: yes.why}
	if !yes.never {
		b.Positive = between(yes.low, yes.high)
	}
	if !no.never {
		b.Negative = between(1-no.high, 1-no.low)
	}
	return b
}

// gap is where a threshold may lie: from the highest probability that must not be called positive, at least one half, to
// the next one that is.
type gap struct {
	low, high float64
	never     bool
	why       string
}

func (r Rule) gap(cases []Judged) gap {
	g := gap{low: 0.5, high: math.Inf(1), why: "one half: no limit is reached above it"}
	for _, l := range r.limits(cases) {
		if l.allowed < 0 {
			g.never = true
			g.why = fmt.Sprintf("never: %d cases (%s) are too few to promise %.3g; %d without an error would do",
				len(l.at), l.name, r.Rate, r.need())
			return g
		}
		if len(l.at) <= l.allowed {
			continue
		}
		slices.SortFunc(l.at, func(a, b float64) int { return cmp.Compare(b, a) })
		if p := l.at[l.allowed]; p > g.low {
			g.low, g.why = p, fmt.Sprintf("%s: at most %d of %d", l.name, l.allowed, len(l.at))
		}
	}
	for _, c := range cases {
		if c.Probability > g.low {
			g.high = min(g.high, c.Probability)
		}
	}
	if g.never = math.IsInf(g.high, 1); g.never {
		g.why = "never: no case lies beyond the limit of " + g.why
	}
	return g
}

// limit is how many of some negatives may be wrong.
type limit struct {
	name    string
	at      []float64
	allowed int
}

func (r Rule) limits(cases []Judged) []limit {
	type place struct{ variant, group string }
	by := map[place][]float64{}
	whole := map[string][]float64{}
	for _, c := range cases {
		if !c.Positive {
			at := place{c.Variant, c.Group}
			by[at] = append(by[at], c.Probability)
			whole[c.Variant] = append(whole[c.Variant], c.Probability)
		}
	}
	if len(whole) == 0 {
		return []limit{{"none at hand", nil, -1}}
	}
	small := map[string][]float64{}
	var limits []limit
	for at, p := range by {
		if float64(len(p))*groupFactor*r.Rate < 1 {
			small[at.variant] = append(small[at.variant], p...)
		}
		limits = append(limits, r.ofGroup(at.group, at.variant, p))
	}
	for variant, p := range small {
		limits = append(limits, r.ofGroup(smaller, variant, p))
	}
	for variant, p := range whole {
		limits = append(limits, limit{"all, " + variant, p, r.allowed(len(p))})
	}
	slices.SortFunc(limits, func(a, b limit) int { return cmp.Compare(a.name, b.name) })
	return limits
}

func (r Rule) ofGroup(group, variant string, p []float64) limit {
	return limit{group + ", " + variant, p, max(1, int(groupFactor*r.Rate*float64(len(p))+slack))}
}

// allowed is how many of n may be wrong in all, -1 where n is too few to tell.
func (r Rule) allowed(n int) int {
	if r.Confidence == 0 {
		return int(r.Rate*float64(n) + slack)
	}
	most := -1
	for AtMost(most+1, n, r.Confidence) <= r.Rate {
		most++
	}
	return most
}

// need is how many cases without an error promise the rate.
func (r Rule) need() int {
	if r.Confidence == 0 {
		return 1
	}
	return int(math.Ceil(math.Log(1-r.Confidence) / math.Log(1-r.Rate)))
}

// between is the shortest decimal fraction between two numbers of 0 to 1, neither of which it is.
func between(low, high float64) float64 {
	middle := low + (high-low)/2
	for scale := 1e2; scale < 1e12; scale *= 10 {
		if v := math.Round(middle*scale) / scale; v > low && v < high {
			return v
		}
	}
	return middle
}
