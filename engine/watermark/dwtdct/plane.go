package dwtdct

import "sync"

// plane holds the extremes of the block that begins at each place of a low band, its first value left out, in one order
// of the channels.
type plane struct {
	width, height   int
	highest, lowest []int16
}

// room is the memory of one search for parts: some 3 MB, which checks that follow each other use again.
type room struct {
	// values are low bands, plain and sharpened along rows.
	values, along [2][]int16
	planes        []*plane
	used          int
}

var rooms = sync.Pool{New: func() any { return &room{} }}

// of gives n values, which hold anything.
func of(n int, old []int16) []int16 {
	if cap(old) < n {
		return make([]int16, n)
	}
	return old[:n]
}

// next is a plane for a low band of a size.
func (r *room) next(width, height int) *plane {
	if r.used == len(r.planes) {
		r.planes = append(r.planes, &plane{})
	}
	p := r.planes[r.used]
	r.used++
	n := width * height
	p.width, p.height, p.highest, p.lowest = width, height, of(n, p.highest), of(n, p.lowest)
	return p
}

// planesOf measures a low band of which width and height are read, for both orders. Where sharp is set, two more are of the
// sharpened one.
func (r *room) planesOf(b lowBand, width, height int, sharp bool) []*plane {
	for order := range r.values {
		r.values[order] = of(width*height, r.values[order])
	}
	row := func(of []int16, y int) []int16 { return of[y*width : (y+1)*width] }
	for y := range height {
		b.row(y, row(r.values[0], y), row(r.values[1], y))
	}
	var out []*plane
	for _, values := range r.values {
		p := r.next(width, height)
		p.measure(values)
		out = append(out, p)
	}
	if !sharp {
		return out
	}
	for order, values := range r.values {
		r.along[order] = of(width*height, r.along[order])
		along := r.along[order]
		for y := range height {
			sharpenRow(row(values, y), row(along, y))
		}
		for y := range height {
			sharpenAcross(row(along, max(y-1, 0)), row(along, y), row(along, min(y+1, height-1)), row(values, y))
		}
		p := r.next(width, height)
		p.measure(values)
		out = append(out, p)
	}
	return out
}

// measure finds the extremes: of four neighbours in each row, of three in a block's first, and of its four rows.
func (p *plane) measure(values []int16) {
	n := p.width
	last := n - blockSide + 1
	var high, low [blockSide][]int16
	for k := range high {
		high[k], low[k] = make([]int16, n), make([]int16, n)
	}
	for y := range p.height {
		row := values[y*n : (y+1)*n]
		hi, lo := high[y%blockSide], low[y%blockSide]
		for x := range last {
			q := row[x : x+4 : x+4]
			hi[x], lo[x] = max(q[0], q[1], q[2], q[3]), min(q[0], q[1], q[2], q[3])
		}
		top := y - blockSide + 1
		if top < 0 {
			continue
		}
		first := values[top*n : (top+1)*n]
		hiOut, loOut := p.highest[top*n:(top+1)*n], p.lowest[top*n:(top+1)*n]
		hi1, hi2, hi3 := high[(top+1)%blockSide], high[(top+2)%blockSide], high[(top+3)%blockSide]
		lo1, lo2, lo3 := low[(top+1)%blockSide], low[(top+2)%blockSide], low[(top+3)%blockSide]
		for x := range last {
			q := first[x : x+4 : x+4]
			hiOut[x] = max(q[1], q[2], q[3], hi1[x], hi2[x], hi3[x])
			loOut[x] = min(q[1], q[2], q[3], lo1[x], lo2[x], lo3[x])
		}
	}
}

// blocks are the rows and columns of blocks that every grid of a plane has.
func (p *plane) blocks() (rows, columns int) {
	return (p.height - blockSide + 1) / blockSide, (p.width - blockSide + 1) / blockSide
}

// clear is how far the values of each grid keep to quarters of a step, by the row and column where it begins: 1 for all,
// about 0 for none; first for bytes, then for floats.
func (p *plane) clear() (of [2][blockSide][blockSide]float64) {
	rows, columns := p.blocks()
	for y := range rows * blockSide {
		high, low := p.highest[y*p.width:], p.lowest[y*p.width:]
		for column := range blockSide {
			var bytes, floats float32
			for at := column; at < columns*blockSide; at += blockSide {
				bytes += turns.ripple[byteValue(high[at])]
				floats += turns.ripple[floatValue(high[at], low[at])]
			}
			of[byteBGR][y%blockSide][column] += float64(bytes) / float64(rows*columns)
			of[floatBGR][y%blockSide][column] += float64(floats) / float64(rows*columns)
		}
	}
	return of
}

// waves are those of the blocks of the grid that begins at a row and column, row by row.
func (p *plane) waves(w way, row, column int) (all []float32, rows, columns int) {
	rows, columns = p.blocks()
	all = make([]float32, 0, rows*columns)
	for i := range rows {
		for j := range columns {
			at := (row+i*blockSide)*p.width + column + j*blockSide
			if w%2 == byteBGR {
				all = append(all, turns.wave[byteValue(p.highest[at])])
			} else {
				all = append(all, turns.wave[floatValue(p.highest[at], p.lowest[at])])
			}
		}
	}
	return all, rows, columns
}
