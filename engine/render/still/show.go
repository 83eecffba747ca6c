package still

import "veracity/engine/render/ssimulacra2"

// over is what s shows on a grey background. Opaque truecolour shows its own bytes; anything else is written to room,
// which is given back, grown when it was too small.
func (s *scan) over(level byte, room []byte) (p ssimulacra2.Picture, grown []byte) {
	p = ssimulacra2.Picture{Width: s.width, Height: s.height}
	if s.colour == typeRGB {
		p.Pix = s.pix
		return p, room
	}
	if size := s.width * s.height * 3; cap(room) < size {
		room = make([]byte, size)
	}
	p.Pix = room[:0]
	table := s.shades(level)
	for y := range s.height {
		p.Pix = s.showRow(p.Pix, s.row(y), level, &table)
	}
	return p, room
}

func (s *scan) showRow(out, row []byte, level byte, table *[256][3]byte) []byte {
	switch s.colour {
	case typeGreyAlpha:
		for i := 0; i < len(row); i += 2 {
			v := lay(row[i], row[i+1], level)
			out = append(out, v, v, v)
		}
	case typeRGBA:
		for i := 0; i < len(row); i += 4 {
			a := row[i+3]
			out = append(out, lay(row[i], a, level), lay(row[i+1], a, level), lay(row[i+2], a, level))
		}
	default:
		for x := range s.width {
			c := &table[get(row, x, s.depth)]
			out = append(out, c[0], c[1], c[2])
		}
	}
	return out
}

// shades is what each sample of a grey or palette picture shows.
func (s *scan) shades(level byte) (out [256][3]byte) {
	if s.colour == typeGrey {
		most := 1<<s.depth - 1
		for v := range most + 1 {
			g := byte(v * 255 / most) //nolint:gosec // at most 255
			out[v] = [3]byte{g, g, g} //nolint:gosec // at most 8 bits
		}
		return out
	}
	for i := range len(s.plte) / 3 {
		a := byte(0xFF)
		if i < len(s.trns) {
			a = s.trns[i]
		}
		for c := range 3 {
			out[i][c] = lay(s.plte[3*i+c], a, level)
		}
	}
	return out
}

// lay mixes a sample of the given alpha with what is behind it, as sRGB values, which is what browsers do.
func lay(v, alpha, behind byte) byte {
	return byte((int(v)*int(alpha) + int(behind)*(255-int(alpha)) + 127) / 255) //nolint:gosec // a mean of two bytes
}

// get reads sample x of a row.
func get(row []byte, x, depth int) byte {
	bit := x * depth
	return row[bit/8] >> (8 - depth - bit%8) & byte(1<<depth-1)
}
