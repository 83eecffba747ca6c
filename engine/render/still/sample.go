package still

// sample puts squares from all over s together in a smaller picture of the same kind, so many in a row and a column. It
// is s itself when s is not larger than that. s has whole bytes a pixel.
func (s *scan) sample(columns, rows int) *scan {
	if s.width < tile || s.height < tile || s.width*s.height <= columns*rows*tile*tile {
		return s
	}
	out := *s
	out.layout = newLayout(columns*tile, rows*tile, s.colour, s.depth)
	out.pix = make([]byte, out.stride*out.height)
	for r := range rows {
		for c := range columns {
			x := (s.width - tile) * c / (columns - 1)
			y := (s.height - tile) * r / (rows - 1)
			for line := range tile {
				from := s.row(y + line)[x*s.bpp : (x+tile)*s.bpp]
				copy(out.row(r*tile + line)[c*tile*s.bpp:], from)
			}
		}
	}
	return &out
}
