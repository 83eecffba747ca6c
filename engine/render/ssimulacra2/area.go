package ssimulacra2

// coarsest is how many pixels of the finest scale one of the coarsest covers, to the right and down. Parts that begin
// at a multiple of it have no pixel in common at any scale.
const coarsest = 1 << (maxScales - 1)

// span is a run of rows or columns, from first up to and without end.
type span struct{ first, end int }

func (s span) has(i int) bool { return s.first <= i && i < s.end }
func (s span) len() int       { return s.end - s.first }

// grown reaches n further at either end, but not below 0 nor beyond limit.
func (s span) grown(n, limit int) span { return span{max(0, s.first-n), min(limit, s.end+n)} }

func (s span) halved() span { return span{s.first / 2, half(s.end)} }

// doubled undoes halved: what the next finer scale, of the given length, has there.
func (s span) doubled(limit int) span { return span{2 * s.first, min(limit, 2*s.end)} }

func (s span) with(other span) span { return span{min(s.first, other.first), max(s.end, other.end)} }

func half(n int) int { return (n + 1) / 2 }

// area is a rectangle of pixels.
type area struct{ x, y span }

func (a area) halved() area { return area{a.x.halved(), a.y.halved()} }

func (a area) pixels() int { return a.x.len() * a.y.len() }

// cut divides a picture into parts of at most partWidth by partHeight, in reading order.
func cut(width, height, partWidth, partHeight int) []area {
	var parts []area
	for y := 0; y < height; y += partHeight {
		for x := 0; x < width; x += partWidth {
			parts = append(parts, area{span{x, min(x+partWidth, width)}, span{y, min(y+partHeight, height)}})
		}
	}
	return parts
}
