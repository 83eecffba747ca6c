package still

import (
	"slices"

	"veracity/engine/raster"
)

// most colours that a PNG's palette can hold.
const maxColours = 256

// survey is what one look at the pixels tells of the layouts that can hold them without loss.
type survey struct {
	opaque bool // no pixel shows what lies behind it
	grey   bool // red, green and blue are equal in each pixel
	hidden bool // a fully transparent pixel has a colour
	// colours are the different ones in order of their first appearance, at most maxColours; many says that there are
	// more.
	colours []rgba
	many    bool
	// greyDepth is the least bit depth that holds all grey values, when grey is set.
	greyDepth int
}

type rgba [4]byte

func (c rgba) key() uint32 {
	return uint32(c[0])<<24 | uint32(c[1])<<16 | uint32(c[2])<<8 | uint32(c[3])
}

func look(m *raster.Image) survey {
	s := survey{opaque: true, grey: true, greyDepth: 1}
	seen := make(map[uint32]struct{}, maxColours)
	last := rgba{}
	for i := 0; i+m.Channels <= len(m.Pix); i += m.Channels {
		c := at(m, i)
		if c == last && i > 0 {
			continue
		}
		last = c
		s.opaque = s.opaque && c[3] == 0xFF
		s.hidden = s.hidden || (c[3] == 0 && c != rgba{})
		if s.grey {
			s.grey = c[0] == c[1] && c[1] == c[2]
			s.greyDepth = max(s.greyDepth, depthOf(c[0]))
		}
		if s.many {
			continue
		}
		if _, known := seen[c.key()]; known {
			continue
		}
		if len(s.colours) == maxColours {
			s.many, s.colours = true, nil
			continue
		}
		seen[c.key()] = struct{}{}
		s.colours = append(s.colours, c)
	}
	return s
}

// at is the pixel whose bytes begin at i.
func at(m *raster.Image, i int) rgba {
	if m.Channels == 3 {
		return rgba{m.Pix[i], m.Pix[i+1], m.Pix[i+2], 0xFF}
	}
	return rgba(m.Pix[i : i+4])
}

// depthOf is the least bit depth whose steps meet v exactly.
func depthOf(v byte) int {
	switch {
	case v%0xFF == 0:
		return 1
	case v%0x55 == 0:
		return 2
	case v%0x11 == 0:
		return 4
	}
	return 8
}

// withoutHidden copies m with fully transparent pixels made black.
func withoutHidden(m *raster.Image) *raster.Image {
	out := *m
	out.Pix = slices.Clone(m.Pix)
	for i := 0; i < len(out.Pix); i += 4 {
		if out.Pix[i+3] == 0 {
			clear(out.Pix[i : i+3])
		}
	}
	return &out
}
