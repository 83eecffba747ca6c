package sandbox

import "time"

const (
	hour = int64(60 * 60)
	day  = 24 * hour
)

// step is n intervals after anchor, in UTC. A day that a month lacks becomes its last
// (https://docs.stripe.com/billing/subscriptions/billing-cycle).
func step(anchor int64, r *recurring, n int64) int64 {
	t := time.Unix(anchor, 0).UTC()
	n *= r.IntervalCount
	switch r.Interval {
	case "day":
		return t.AddDate(0, 0, int(n)).Unix()
	case "week":
		return t.AddDate(0, 0, 7*int(n)).Unix()
	case "year":
		n *= 12
	}
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1).Unix()
}

// cycleEnd is the first end of a cycle after a moment.
func cycleEnd(anchor, after int64, r *recurring) int64 {
	if anchor > after {
		return anchor
	}
	n := int64(1)
	for step(anchor, r, n) <= after {
		n++
	}
	return step(anchor, r, n)
}

// recurrence is the interval of a subscription's prices, which all have the same.
func (w *world) recurrence(items []*item) *recurring {
	for _, it := range items {
		if p, ok := w.Prices.find(it.Price); ok {
			return p.Recurring
		}
	}
	return &recurring{Interval: "month", IntervalCount: 1}
}

func dated(at int64) string { return time.Unix(at, 0).UTC().Format("02 Jan 2006") }
