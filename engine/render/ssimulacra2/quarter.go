package ssimulacra2

import "context"

// quarter is two pictures at 1:4, held whole in a sixteenth of the pixels: 1.5 bytes for each pixel of the picture.
type quarter struct {
	width, height int
	planes        [2][3][]float32
}

func (q *quarter) size() (width, height int) { return q.width, q.height }

// row implements light.
func (q *quarter) row(i, y int, columns span, rgb *[3][]float32) {
	for c := range rgb {
		copy(rgb[c], q.planes[i][c][y*q.width:][columns.first:columns.end])
	}
}

// newQuarter averages the pictures down. It is of no use when there is an error, which is that of ctx.
func newQuarter(ctx context.Context, pictures light, workers int) (*quarter, error) {
	width, height := pictures.size()
	q := &quarter{width: half(half(width)), height: half(half(height))}
	for i := range q.planes {
		for c := range q.planes[i] {
			q.planes[i][c] = make([]float32, q.width*q.height)
		}
	}
	parts := cut(width, height, 4*partWidth, 4*coarsest)
	err := each(ctx, len(parts), workers, func(i int) { q.fill(pictures, parts[i]) })
	return q, err
}

// fill averages a part, whose corner lies at multiples of four.
func (q *quarter) fill(pictures light, part area) {
	_, height := pictures.size()
	var whole, halves [2][3][]float32
	for i := range whole {
		for c := range whole[i] {
			whole[i][c] = make([]float32, part.x.len())
			halves[i][c] = make([]float32, half(part.x.len()))
		}
	}
	out := part.halved().halved()
	for y := out.y.first; y < out.y.end; y++ {
		for i := range q.planes {
			for k := range halves {
				// An odd last row counts twice at either step.
				upper := 2 * min(2*y+k, half(height)-1)
				pictures.row(i, upper, part.x, &whole[0])
				pictures.row(i, min(upper+1, height-1), part.x, &whole[1])
				for c := range halves[k] {
					average(whole[0][c], whole[1][c], halves[k][c])
				}
			}
			for c, plane := range q.planes[i] {
				average(halves[0][c], halves[1][c], plane[y*q.width:][out.x.first:out.x.end])
			}
		}
	}
}
