package binding

import (
	"cmp"
	"slices"

	"veracity/engine/c2pa/carrier"
)

// merged sorts ranges and joins those that touch or overlap; empty ones go.
func merged(ranges []carrier.Range) []carrier.Range {
	ranges = slices.DeleteFunc(slices.Clone(ranges), func(r carrier.Range) bool { return r.Len() <= 0 })
	slices.SortFunc(ranges, func(a, b carrier.Range) int { return cmp.Compare(a.Start, b.Start) })
	out := ranges[:0]
	for _, r := range ranges {
		if last := len(out) - 1; last >= 0 && r.Start <= out[last].End {
			out[last].End = max(out[last].End, r.End)
			continue
		}
		out = append(out, r)
	}
	return out
}

// minus is what of a range lies in none of those given, which are merged.
func minus(x carrier.Range, without []carrier.Range) []carrier.Range {
	at, _ := slices.BinarySearchFunc(without, x.Start, func(r carrier.Range, start int64) int {
		if r.End <= start {
			return -1
		}
		return 1
	})
	var out []carrier.Range
	for _, r := range without[at:] {
		if r.Start >= x.End {
			break
		}
		if r.Start > x.Start {
			out = append(out, carrier.Range{Start: x.Start, End: r.Start})
		}
		x.Start = max(x.Start, r.End)
	}
	if x.Start < x.End {
		out = append(out, x)
	}
	return out
}

// inside says that one of the ranges, which are sorted, holds the whole of x.
func inside(x carrier.Range, within []carrier.Range) bool {
	at, _ := slices.BinarySearchFunc(within, x.End, func(r carrier.Range, end int64) int { return cmp.Compare(r.End, end) })
	return at < len(within) && within[at].Start <= x.Start
}
