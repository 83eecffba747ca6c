package still

import (
	"cmp"
	"slices"

	"veracity/engine/raster"
)

// Mode names how a PNG holds its pixels.
type Mode string

// Modes. The lossy ones say so.
const (
	Truecolour      Mode = "truecolour"
	TruecolourAlpha Mode = "truecolour_alpha"
	Grey            Mode = "grey"
	GreyAlpha       Mode = "grey_alpha"
	Palette         Mode = "palette"
)

// exact lays m out in every way that holds it without loss and may be the smallest.
func exact(m *raster.Image, s survey) []*scan {
	out := []*scan{direct(m, s)}
	if len(s.colours) > 0 {
		out = append(out, indexed(m, slices.Clone(s.colours)))
	}
	return out
}

// direct lays m out without a palette.
func direct(m *raster.Image, s survey) *scan {
	switch {
	case s.grey && s.opaque:
		return greyScan(m, s.greyDepth)
	case s.grey:
		return pick(m, typeGreyAlpha, GreyAlpha, 0, 3)
	case s.opaque && m.Channels == 4:
		return pick(m, typeRGB, Truecolour, 0, 1, 2)
	case s.opaque:
		return &scan{layout: newLayout(m.Width, m.Height, typeRGB, 8), mode: Truecolour, pix: m.Pix}
	}
	return &scan{layout: newLayout(m.Width, m.Height, typeRGBA, 8), mode: TruecolourAlpha, pix: m.Pix}
}

// pick keeps some channels of each pixel.
func pick(m *raster.Image, colour byte, mode Mode, channels ...int) *scan {
	s := &scan{layout: newLayout(m.Width, m.Height, colour, 8), mode: mode}
	s.pix = make([]byte, 0, s.stride*s.height)
	for i := 0; i+m.Channels <= len(m.Pix); i += m.Channels {
		for _, c := range channels {
			s.pix = append(s.pix, m.Pix[i+c])
		}
	}
	return s
}

func greyScan(m *raster.Image, depth int) *scan {
	s := &scan{layout: newLayout(m.Width, m.Height, typeGrey, depth), mode: Grey}
	s.pix = make([]byte, s.stride*s.height)
	for y := range m.Height {
		from, to := m.Row(y), s.row(y)
		for x := range m.Width {
			put(to, x, depth, from[x*m.Channels]>>(8-depth))
		}
	}
	return s
}

// put writes sample x of a row.
func put(row []byte, x, depth int, v byte) {
	bit := x * depth
	row[bit/8] |= v << (8 - depth - bit%8)
}

// indexed lays m out with a palette of the colours given, which are all that it has.
func indexed(m *raster.Image, colours []rgba) *scan {
	sortColours(colours)
	s := &scan{layout: newLayout(m.Width, m.Height, typePalette, paletteDepth(len(colours))), mode: Palette}
	s.paint(colours)
	index := make(map[uint32]byte, len(colours))
	for i, c := range colours {
		index[c.key()] = byte(i)
	}
	s.pix = make([]byte, s.stride*s.height)
	var last rgba
	var lastIndex byte
	for y := range m.Height {
		to := s.row(y)
		for x := range m.Width {
			c := at(m, (y*m.Width+x)*m.Channels)
			if c != last || x+y == 0 {
				last, lastIndex = c, index[c.key()]
			}
			put(to, x, s.depth, lastIndex)
		}
	}
	return s
}

// sortColours orders a palette. Colours that are not opaque come first, because tRNS may end where the opaque ones
// begin; beyond that, neighbours in brightness are neighbours in the palette, which is what filters can use.
func sortColours(colours []rgba) {
	slices.SortFunc(colours, func(a, b rgba) int {
		return cmp.Or(cmp.Compare(min(a[3], 0xFE), min(b[3], 0xFE)), cmp.Compare(luma(a), luma(b)), cmp.Compare(a.key(), b.key()))
	})
}

// paint sets the palette.
func (s *scan) paint(colours []rgba) {
	for _, c := range colours {
		s.plte = append(s.plte, c[:3]...)
		if c[3] != 0xFF {
			s.trns = append(s.trns, c[3])
		}
	}
}

func paletteDepth(colours int) int {
	switch {
	case colours <= 2:
		return 1
	case colours <= 4:
		return 2
	case colours <= 16:
		return 4
	}
	return 8
}

// luma is brightness by the weights of ITU-R BT.601, in thousandths.
func luma(c rgba) int { return 299*int(c[0]) + 587*int(c[1]) + 114*int(c[2]) }
