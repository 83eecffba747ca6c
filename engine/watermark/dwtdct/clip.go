package dwtdct

import "veracity/engine/raster"

// Clip searches frames of one video together. The same payload lies on the same grid in all of them, so what they say is
// added up before it is judged, and marks that no single frame still shows are found.
type Clip struct {
	size   size
	whole  *tally
	sizes  []size
	scaled []*tally
	// part is what a search for parts found in the first frame: adding it up over all would take long.
	part   Mark
	frames int
}

// Add takes a frame, and answers what it says by itself: from its own grid alone. Frames of another size than the first
// are not added up.
func (c *Clip) Add(m *raster.Image) Mark {
	c.frames++
	if !searchable(m) {
		return none()
	}
	t := tallyOf(pixels{m, 0, 0})
	alone := search{best: none()}
	alone.whole(t)
	switch {
	case c.whole == nil:
		c.begin(m, t, alone.best)
	case c.size == size{m.Width, m.Height}:
		c.whole.merge(t)
		for k, to := range c.sizes {
			c.scaled[k].merge(tallyOf(newScaled(m, to)))
		}
	}
	return alone.best
}

func (c *Clip) begin(m *raster.Image, t *tally, alone Mark) {
	c.size, c.whole, c.part = size{m.Width, m.Height}, t, none()
	if alone.Sure() {
		return
	}
	for _, to := range sizesOf(m) {
		c.sizes = append(c.sizes, to)
		c.scaled = append(c.scaled, tallyOf(newScaled(m, to)))
	}
	s := search{best: none()}
	for _, p := range partsOf(m) {
		s.part(m, p)
	}
	c.part = s.best
}

// Mark is the best that the frames added so far show together.
func (c *Clip) Mark() Mark {
	if c.whole == nil {
		return none()
	}
	s := search{best: none()}
	s.whole(c.whole)
	for k, to := range c.sizes {
		s.scaled(c.size.width, to, c.scaled[k])
	}
	if c.part.Chance < s.best.Chance {
		return c.part
	}
	return s.best
}
