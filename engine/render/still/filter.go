package still

import "math"

// Filter types of a PNG row (PNG, third edition, 9.2).
const (
	filterNone = iota
	filterSub
	filterUp
	filterAverage
	filterPaeth
	filters
)

// strategy says how the filter of each row is chosen: one of the five types for all rows, or a measure of the filtered
// bytes whose least value wins.
type strategy int

const (
	// bySum takes the least sum of absolute differences, which is libpng's way.
	bySum strategy = filters + iota
	// byEntropy takes the least order-0 entropy, which is what Huffman codes can make use of.
	byEntropy
	// byPairs takes the fewest different pairs of neighbouring bytes, which favours what repeats.
	byPairs
	// asGiven takes the filters that the pixels were made for.
	asGiven
)

func (s strategy) measures() bool { return s >= bySum && s < asGiven }

// rower filters rows one after another.
type rower struct {
	bpp   int // bytes a pixel, at least 1
	how   strategy
	fixed int // the filter of the next row, when no measure chooses it
	zero  []byte
	tries [filters][]byte
	pairs []uint32 // the row that saw a pair last, counted from 1
	rows  uint32
}

func newRower(l layout, how strategy) *rower {
	r := &rower{bpp: l.bpp, how: how, fixed: int(how), zero: make([]byte, l.stride)}
	if how.measures() {
		for f := range r.tries {
			r.tries[f] = make([]byte, l.stride)
		}
	}
	if how == byPairs {
		r.pairs = make([]uint32, 1<<16)
	}
	return r
}

// append filters row, whose upper neighbour is above, nil for a picture's first row, and appends its type and bytes.
func (r *rower) append(out, row, above []byte) []byte {
	if above == nil {
		above = r.zero
	}
	if !r.how.measures() {
		at := len(out) + 1
		out = append(append(out, byte(r.fixed)), row...) //nolint:gosec // one of five
		apply(r.fixed, out[at:], row, above, r.bpp)
		return out
	}
	best, least := 0, math.Inf(1)
	for f := range r.tries {
		apply(f, r.tries[f], row, above, r.bpp)
		if cost := r.cost(r.tries[f]); cost < least {
			best, least = f, cost
		}
	}
	return append(append(out, byte(best)), r.tries[best]...)
}

func (r *rower) cost(row []byte) float64 {
	switch r.how {
	case byEntropy:
		return entropy(row)
	case byPairs:
		r.rows++
		return float64(r.distinct(row))
	default:
		return float64(absolutes(row))
	}
}

func absolutes(row []byte) int {
	sum := 0
	for _, v := range row {
		sum += min(int(v), 256-int(v))
	}
	return sum
}

// entropy is in bits for the whole row.
func entropy(row []byte) float64 {
	var counts [256]int
	for _, v := range row {
		counts[v]++
	}
	sum := 0.0
	for i := range counts {
		if n := counts[i]; n > 0 {
			sum -= float64(n) * math.Log2(float64(n))
		}
	}
	return sum + float64(len(row))*math.Log2(float64(len(row)))
}

func (r *rower) distinct(row []byte) int {
	n := 0
	for i := 1; i < len(row); i++ {
		pair := &r.pairs[int(row[i-1])<<8|int(row[i])]
		if *pair != r.rows {
			*pair = r.rows
			n++
		}
	}
	return n
}

// apply writes to out what filter f leaves of row. All three slices have one length.
func apply(f int, out, row, above []byte, bpp int) {
	n := len(row)
	out, above = out[:n], above[:n]
	head := min(bpp, n)
	left := row[:n-head]
	switch f {
	case filterNone:
		copy(out, row)
	case filterSub:
		copy(out[:head], row)
		for i, l := range left {
			out[i+bpp] = row[i+bpp] - l
		}
	case filterUp:
		for i, v := range row {
			out[i] = v - above[i]
		}
	case filterAverage:
		for i := range head {
			out[i] = row[i] - above[i]/2
		}
		for i, l := range left {
			out[i+bpp] = row[i+bpp] - byte((int(l)+int(above[i+bpp]))/2) //nolint:gosec // half of two bytes
		}
	case filterPaeth:
		for i := range head {
			out[i] = row[i] - above[i]
		}
		for i, l := range left {
			out[i+bpp] = row[i+bpp] - paeth(l, above[i+bpp], above[i])
		}
	}
}

// paeth is the nearest of left, up and upper left to left + up - upper left, ties in that order (PNG, 9.4).
func paeth(left, up, corner byte) byte {
	a, b, c := int(left), int(up), int(corner)
	pa, pb := b-c, a-c
	pc := abs(pa + pb)
	pa, pb = abs(pa), abs(pb)
	switch {
	case pa <= pb && pa <= pc:
		return left
	case pb <= pc:
		return up
	}
	return corner
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
