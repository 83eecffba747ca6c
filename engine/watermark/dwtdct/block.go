package dwtdct

// blockSide is a block's side in values of the low band, cell that in pixels.
const (
	blockSide = 4
	cell      = 2 * blockSide
)

// waves are what neighbouring blocks say, in each way.
type waves [ways][]float32

// blocks reads rows of blocks from a low band, the first of which begins in its corner.
type blocks struct {
	lowBand
	columns, rows, height int
	// low are the rows of values of a row of blocks, with one above and one below; for each order of the channels.
	low, along, sharp [2][blockSide + 2][]int16
	waves             waves
	// next is the row of blocks whose first rows of values are there already, since the last row of blocks ended in them.
	next int
}

func newBlocks(b lowBand) *blocks {
	width, height := b.size()
	r := &blocks{lowBand: b, columns: width / blockSide, rows: height / blockSide, height: height, next: -1}
	for order := range r.low {
		for k := range r.low[order] {
			r.low[order][k] = make([]int16, width)
			r.along[order][k] = make([]int16, width)
			r.sharp[order][k] = make([]int16, width)
		}
	}
	for k := range r.waves {
		r.waves[k] = make([]float32, r.columns)
	}
	return r
}

// read computes the waves of row i. They are good until the next call.
func (r *blocks) read(i int) *waves {
	known := 0
	if i == r.next {
		known = 2
		for order := range r.low {
			for k := range known {
				r.low[order][k], r.low[order][blockSide+k] = r.low[order][blockSide+k], r.low[order][k]
			}
		}
	}
	for k := known; k < blockSide+2; k++ {
		y := min(max(i*blockSide+k-1, 0), r.height-1)
		r.row(y, r.low[0][k], r.low[1][k])
	}
	r.next = i + 1
	for order := range r.low {
		plain, along, sharp := &r.low[order], &r.along[order], &r.sharp[order]
		for k, row := range plain {
			sharpenRow(row, along[k])
		}
		for k := 1; k <= blockSide; k++ {
			sharpenAcross(along[k-1], along[k], along[k+1], sharp[k])
		}
		bytes, floats := byteBGR+2*way(order), floatBGR+2*way(order)
		measure(plain[1:], r.waves[bytes], r.waves[floats])
		measure(sharp[1:], r.waves[plainWays+bytes], r.waves[plainWays+floats])
	}
	return &r.waves
}

// measure finds each block's extremes among its values but the first.
func measure(rows [][]int16, bytes, floats []float32) {
	a, b, c, d := rows[0], rows[1], rows[2], rows[3]
	for j := range bytes {
		p := j * blockSide
		w, x, y, z := a[p:p+4:p+4], b[p:p+4:p+4], c[p:p+4:p+4], d[p:p+4:p+4]
		high := max(w[1], w[2], w[3], x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3], z[0], z[1], z[2], z[3])
		low := min(w[1], w[2], w[3], x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3], z[0], z[1], z[2], z[3])
		bytes[j] = turns.wave[byteValue(high)]
		floats[j] = turns.wave[floatValue(high, low)]
	}
}

// mostBlocks bounds the blocks that are read of one picture. Those of a megapixel say enough.
const mostBlocks = 1 << 14

// tallyOf reads a low band whose grid is that of the picture that was marked. Of large ones it takes rows of blocks
// spread over the height.
func tallyOf(b lowBand) *tally {
	r, t := newBlocks(b), newTally()
	every := (r.rows*r.columns + mostBlocks - 1) / mostBlocks
	for i := 0; i < r.rows; i += max(every, 1) {
		t.add(i*r.columns, r.read(i))
	}
	return t
}
