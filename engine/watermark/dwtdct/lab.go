package dwtdct

import "veracity/engine/raster"

// Bits is for trying out.
func Bits(name string) []bool {
	for _, p := range payloads {
		if p.name == name {
			return p.bits
		}
	}
	return nil
}

// LabWhole is
func LabWhole(m *raster.Image) Mark {
	s := search{best: none()}
	s.whole(tallyOf(pixels{m, 0, 0}))
	return s.best
}

// LabSizes is
func LabSizes(m *raster.Image) Mark {
	s := search{best: none()}
	for _, size := range sizesOf(m) {
		s.scaled(m.Width, size, tallyOf(newScaled(m, size)))
	}
	return s.best
}

// LabParts is
func LabParts(m *raster.Image) Mark {
	s := search{best: none()}
	for _, p := range partsOf(m) {
		s.part(m, p)
	}
	return s.best
}
