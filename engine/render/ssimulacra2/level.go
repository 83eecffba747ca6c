package ssimulacra2

// Planes of one channel: the two pictures, and what the structural error needs of both.
const (
	original  = iota
	changed   // the distorted picture
	power     // sum of the squares of both
	departure // square of their difference
	planes
)

// level is one scale of a part: rows of linear light come in from the top, one at a time, are turned into XYB and held
// for as long as the blur reaches; the newest two are averaged into a row of the next level. So a part needs the memory
// of a few of its rows.
type level struct {
	width, height int
	// out is what the part measures of this scale, near what the blur needs for that, feed what must come in, for the
	// coarser scales' sake as well.
	out, near, feed area
	use             scale
	// input is the linear light of the newest even and odd row: of both pictures, red, green, blue.
	input [2][2][3][]float32
	// ring holds near of the newest rows of each plane of each channel, at their number modulo window.
	ring [3][planes][window][]float32
	// blurred holds one row of each plane after the blur by columns: out, and reach pixels at either end, which are
	// zero beyond the picture.
	blurred [planes][]float32
	// zero stands for the rows beyond the picture, spare takes what nobody reads.
	zero, spare []float32
	sums        tally
	next        *level
}

// newLevels lays out the scales of a part of a picture of the given size.
func newLevels(width, height int, part area, scales []scale) []*level {
	levels := make([]*level, len(scales))
	for s := range levels {
		levels[s] = &level{width: width, height: height, out: part, use: scales[s]}
		width, height = half(width), half(height)
		part = part.halved()
	}
	for s := len(levels) - 1; s >= 0; s-- {
		l := levels[s]
		l.near = area{l.out.x.grown(reach, l.width), l.out.y.grown(reach, l.height)}
		l.feed = l.near
		if s+1 < len(levels) {
			l.next = levels[s+1]
			l.feed.x = l.feed.x.with(l.next.feed.x.doubled(l.width))
			l.feed.y = l.feed.y.with(l.next.feed.y.doubled(l.height))
		}
		l.allocate()
	}
	return levels
}

// size is how many numbers the level holds.
func (l *level) size() int {
	near := 2
	for _, use := range l.use.channels {
		near += window * use.planes()
	}
	return near*l.near.x.len() + 2*2*3*l.feed.x.len() + planes*(l.out.x.len()+2*reach)
}

func (l *level) allocate() {
	near, feed, out := l.near.x.len(), l.feed.x.len(), l.out.x.len()+2*reach
	slab := make([]float32, l.size())
	row := func(n int) []float32 {
		taken := slab[:n:n]
		slab = slab[n:]
		return taken
	}
	for parity := range l.input {
		for picture := range l.input[parity] {
			for c := range l.input[parity][picture] {
				l.input[parity][picture][c] = row(feed)
			}
		}
	}
	for c, use := range l.use.channels {
		for q := range use.planes() {
			for i := range l.ring[c][q] {
				l.ring[c][q][i] = row(near)
			}
		}
	}
	for q := range l.blurred {
		l.blurred[q] = row(out)
	}
	l.zero, l.spare = row(near), row(near)
}

// advance takes row y, which lies in input, and measures what has become measurable by it.
func (l *level) advance(y int) {
	if l.near.y.has(y) {
		l.take(y)
	}
	if l.out.y.has(y - reach) {
		l.measure(y - reach)
	}
	last := y == l.height-1
	for row := y - reach + 1; last && row <= y; row++ {
		if l.out.y.has(row) {
			l.measure(row)
		}
	}
	if odd := y&1 == 1; l.next != nil && (odd || last) && l.next.feed.y.has(y/2) {
		l.hand(y / 2)
		l.next.advance(y / 2)
	}
}

// take puts row y into the ring.
func (l *level) take(y int) {
	slot := y % window
	from := l.near.x.first - l.feed.x.first
	for picture, rows := range l.input[y&1] {
		var light, xyb [3][]float32
		for c := range rows {
			light[c] = rows[c][from:][:l.near.x.len()]
			xyb[c] = l.spare
			if l.use.channels[c].planes() > 0 {
				xyb[c] = l.ring[c][picture][slot]
			}
		}
		toXYB(&light, &xyb)
	}
	for c, use := range l.use.channels {
		if ring := &l.ring[c]; use.structure {
			combine(ring[original][slot], ring[changed][slot], ring[power][slot], ring[departure][slot])
		}
	}
}

// measure adds up the errors of row y. All rows that the blur reaches have been taken.
func (l *level) measure(y int) {
	from := l.out.x.first - l.near.x.first
	n := l.out.x.len()
	for c, use := range l.use.channels {
		for q := range use.planes() {
			var rows [window][]float32
			for i := range rows {
				rows[i] = l.zero
				if near := y - reach + i; near >= 0 && near < l.height {
					rows[i] = l.ring[c][q][near%window]
				}
			}
			blurColumns(&rows, l.blurred[q][reach-from:][:l.near.x.len()])
		}
		if use.structure {
			addStructure(&l.blurred, n, &l.sums[c])
		}
		if use.edges {
			slot := y % window
			addEdges(l.ring[c][original][slot][from:][:n], l.ring[c][changed][slot][from:][:n], &l.blurred, &l.sums[c])
		}
	}
}

// hand averages the newest rows into row y of the next level. An odd last row counts twice.
func (l *level) hand(y int) {
	columns := l.next.feed.x.doubled(l.width)
	upper, lower := &l.input[0], &l.input[1]
	if 2*y+1 == l.height {
		lower = upper
	}
	from, n := columns.first-l.feed.x.first, columns.len()
	for picture := range upper {
		for c := range upper[picture] {
			average(upper[picture][c][from:][:n], lower[picture][c][from:][:n], l.next.input[y&1][picture][c])
		}
	}
}
