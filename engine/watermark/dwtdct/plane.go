package dwtdct

// low is a low band held whole, in one order of the channels.
type low struct {
	width, height int
	values        []int16
	// highest and lowest are the extremes of the block that begins at each value.
	highest, lowest []int16
}

// newLow computes the low band for both orders.
func newLow(b lowBand, width, height int) [2]*low {
	var out [2]*low
	for order := range out {
		n := width * height
		out[order] = &low{width: width, height: height, values: make([]int16, n), highest: make([]int16, n), lowest: make([]int16, n)}
	}
	for y := range height {
		b.row(y, out[0].row(y), out[1].row(y))
	}
	for _, l := range out {
		l.extremes()
	}
	return out
}

func (l *low) row(y int) []int16 { return l.values[y*l.width : (y+1)*l.width] }

// sharpen sharpens the values in both directions.
func (l *low) sharpen() {
	along := make([]int16, len(l.values))
	for y := range l.height {
		sharpenRow(l.row(y), along[y*l.width:(y+1)*l.width])
	}
	at := func(y int) []int16 {
		y = min(max(y, 0), l.height-1)
		return along[y*l.width : (y+1)*l.width]
	}
	for y := range l.height {
		sharpenAcross(at(y-1), at(y), at(y+1), l.row(y))
	}
	l.extremes()
}

// extremes finds the greatest and the least value of the block that begins at each place, its first value left out:
// those of four neighbours in each row, of three in the first, and of the four rows.
func (l *low) extremes() {
	n := l.width
	last := n - blockSide + 1
	highs, lows := make([]int16, len(l.values)), make([]int16, len(l.values))
	for y := range l.height {
		v := l.row(y)
		hi, lo := highs[y*n:(y+1)*n], lows[y*n:(y+1)*n]
		for x := range max(last, 0) {
			q := v[x : x+4 : x+4]
			hi[x], lo[x] = max(q[0], q[1], q[2], q[3]), min(q[0], q[1], q[2], q[3])
		}
	}
	for y := range max(l.height-blockSide+1, 0) {
		v := l.row(y)
		row := func(of []int16, k int) []int16 { return of[(y+k)*n : (y+k+1)*n] }
		hi, hi1, hi2, hi3 := l.highest[y*n:(y+1)*n], row(highs, 1), row(highs, 2), row(highs, 3)
		lo, lo1, lo2, lo3 := l.lowest[y*n:(y+1)*n], row(lows, 1), row(lows, 2), row(lows, 3)
		for x := range max(last, 0) {
			q := v[x : x+4 : x+4]
			hi[x] = max(q[1], q[2], q[3], hi1[x], hi2[x], hi3[x])
			lo[x] = min(q[1], q[2], q[3], lo1[x], lo2[x], lo3[x])
		}
	}
}

// grids measures the 16 grids that begin in the first block, in one way; x and y are where the low band begins, in pixels.
func (l *low) grids(w way, x, y int) []grid {
	p := l.plane(w)
	out := make([]grid, 0, blockSide*blockSide)
	for row := range blockSide {
		for column := range blockSide {
			out = append(out, grid{way: w, x: x + 2*column, y: y + 2*row, clear: p.clear(column, row), plane: p})
		}
	}
	return out
}

// plane holds what a block that begins at each place of a low band has as its value in one way: an index into turns.
type plane struct {
	width, height int
	values        []int16
}

//nolint:gosec // an index into turns
func (l *low) plane(w way) *plane {
	p := &plane{width: l.width, height: l.height, values: make([]int16, len(l.values))}
	if w%2 == byteBGR {
		for i, high := range l.highest {
			p.values[i] = int16(byteValue(high))
		}
		return p
	}
	for i, high := range l.highest {
		p.values[i] = int16(floatValue(high, l.lowest[i]))
	}
	return p
}

// blocks are the rows and columns of blocks of the grid that begins at a place.
func (p *plane) blocks(column, row int) (rows, columns int) {
	return (p.height - row) / blockSide, (p.width - column) / blockSide
}

// clear is how far the values of a grid keep to quarters of a step: 1 for all, about 0 for none.
func (p *plane) clear(column, row int) float64 {
	rows, columns := p.blocks(column, row)
	var sum float32
	for i := range rows {
		values := p.values[(row+i*blockSide)*p.width+column:]
		for j := range columns {
			sum += turns.ripple[values[j*blockSide]]
		}
	}
	return float64(sum) / float64(max(rows*columns, 1))
}

// waves are those of a grid's blocks, row by row.
func (p *plane) waves(column, row int) (all []float32, rows, columns int) {
	rows, columns = p.blocks(column, row)
	all = make([]float32, 0, rows*columns)
	for i := range rows {
		values := p.values[(row+i*blockSide)*p.width+column:]
		for j := range columns {
			all = append(all, turns.wave[values[j*blockSide]])
		}
	}
	return all, rows, columns
}
