// Package dwtdct finds the marks that the library invisible-watermark writes with its method dwtDct, in which Stable
// Diffusion, its successors and FLUX name themselves (github.com/ShieldMnt/invisible-watermark, imwatermark/maxDct.py).
//
// The library takes the U channel, halves it by Haar's transform, cuts the low band into blocks of 4 x 4 values, and moves
// the value of each block that is furthest from zero, its first one left out, to a quarter of a step of 36 for a clear
// bit and to three quarters for a set one. No cosine transform takes part, the name notwithstanding. Block n, counted row
// by row, carries bit n modulo the payload's length.
//
// The library's decoder wants every bit. Here the question is another: does a known payload explain the blocks better than
// chance? Each block says by a wave how near it lies to either bit; the waves of the blocks that carry one bit are
// averaged; Student's t tells the averages of the set bits from those of the clear ones. So a mark is found that hardly
// any single block still carries, and what a photograph yields by chance is known (docs/watermarks.md).
package dwtdct

import (
	"math"

	"veracity/engine/raster"
)

// Mark is a mark that was found, or the trace of one.
type Mark struct {
	// Payload names the message, Generator who writes it.
	Payload   string `json:"payload"`
	Generator string `json:"generator"`
	// T is Student's t between set and clear bits, Gap the difference of their means, 2 at most.
	T   float64 `json:"t"`
	Gap float64 `json:"gap"`
	// Chance is how likely chance alone gives as much anywhere in the search: of one test, times their number.
	Chance float64 `json:"chance"`
	Tests  int     `json:"tests"`
	// Order is that of the channels that the library was given, Samples their type: bytes or floats.
	Order   string `json:"order"`
	Samples string `json:"samples"`
	// Sharpened says that the mark shows where chroma that was stored at half the size is sharpened.
	Sharpened bool `json:"sharpened,omitempty"`
	// X and Y are where the grid of blocks begins, in pixels, 0 to 7 beyond the place that was searched.
	X int `json:"x"`
	Y int `json:"y"`
	// Scale is the picture's width by that of the picture that was marked.
	Scale float64 `json:"scale"`
	// Frames is how many frames of a video were added up.
	Frames int `json:"frames,omitempty"`
}

// The evidence that decides: a chance of one in a million and a t of 7, and traces: one in ten thousand and 5. Ten thousand
// photographs gave no t of 7.
const (
	sureChance, sureT   = 1e-6, 7
	traceChance, traceT = 1e-4, 5
)

// Sure says that the mark is one beyond doubt.
func (m Mark) Sure() bool { return m.T >= sureT && m.Chance <= sureChance }

// Trace says that there is at least a trace of a mark.
func (m Mark) Trace() bool { return m.T >= traceT && m.Chance <= traceChance }

// none is a mark that any is better than.
func none() Mark { return Mark{Chance: math.Inf(1)} }

// leastSide and leastPixels are those of pictures that are searched: the library refuses those of fewer pixels, and what is
// cut out of one should still hold some blocks for each bit.
const (
	leastSide   = 8 * cell
	leastPixels = 128 * 128
)

func searchable(m *raster.Image) bool {
	return min(m.Width, m.Height) >= leastSide && m.Width*m.Height >= leastPixels
}

// Read searches a picture: as it is, then as one that was scaled, then as a part of another or several put side by side. It ends with the first search that leaves no doubt, and answers the best mark found; without one, Trace is
// false.
func Read(m *raster.Image) Mark {
	if !searchable(m) {
		return none()
	}
	s := search{best: none()}
	s.whole(tallyOf(pixels{m, 0, 0}))
	for _, size := range sizesOf(m) {
		if s.best.Sure() {
			return s.best
		}
		s.scaled(m.Width, size, tallyOf(newScaled(m, size)))
	}
	for _, p := range partsOf(m) {
		if s.best.Sure() {
			return s.best
		}
		s.part(m, p)
	}
	return s.best
}

// search is one on its way.
type search struct {
	// tests is how many payloads have been tried in how many ways and places.
	tests int
	best  Mark
}

// take keeps the better mark. Its chance is that of its own test; what counts is that any of all the tests so far gives
// as much (Bonferroni's bound).
func (s *search) take(m Mark) {
	m.Tests = s.tests
	m.Chance *= float64(s.tests)
	if m.Chance < s.best.Chance {
		s.best = m
	}
}
