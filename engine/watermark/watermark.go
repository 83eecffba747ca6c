// Package watermark finds the open marks that image generators leave in pixels: those of the library invisible-watermark
// (package dwtdct), generator parameters in the lowest bits of pixels, and DALL·E 2's strip of colours. Marks that only
// their makers can read are beyond it (docs/watermarks.md). A mark speaks for AI alone: that there is none says nothing.
package watermark

import (
	"math"

	"veracity/engine"
	"veracity/engine/raster"
	"veracity/engine/watermark/dwtdct"
)

// Kind is a way to mark pixels.
type Kind string

// Kinds of marks.
const (
	// DwtDct is a payload written by invisible-watermark.
	DwtDct Kind = "dwt_dct"
	// Stealth is a text in the lowest bits of pixels.
	Stealth Kind = "stealth"
	// Strip is DALL·E 2's signature of five colours.
	Strip Kind = "colour_strip"
)

// Mark is a mark that was found, with how it was, by its kind.
type Mark struct {
	Kind Kind `json:"kind"`
	// Generator is who writes such marks; empty when unknown.
	Generator string `json:"generator,omitempty"`
	// Sure says that the mark is beyond doubt. What is not is a trace.
	Sure    bool         `json:"sure"`
	DwtDct  *dwtdct.Mark `json:"dwt_dct,omitempty"`
	Message *Message     `json:"message,omitempty"`
	Strip   *StripMark   `json:"strip,omitempty"`
}

// Report is what the marks of one picture, frame or video say.
type Report struct {
	// Verdict is ai (a mark beyond doubt), uncertain (a trace) or none.
	Verdict engine.Verdict `json:"verdict"`
	// Score is 50 without a mark, 60 to 75 for a trace and 96 to 99 for a mark.
	Score int    `json:"score"`
	Marks []Mark `json:"marks"`
}

// Lane is the report in the contract's shape.
func (r Report) Lane() engine.Lane { return engine.Lane{Verdict: r.Verdict, Score: r.Score} }

// Scores of marks. A payload's lie between those of the weakest and the clearest.
const (
	noScore                  = 50
	weakestTrace, bestTrace  = 60, 75
	weakestScore, plainScore = 96, 99
)

// Read looks for marks in a picture.
func Read(m *raster.Image) Report {
	var marks []Mark
	if message, ok := readMessage(m); ok && message.AI {
		marks = append(marks, Mark{Kind: Stealth, Generator: message.Generator, Sure: true, Message: &message})
	}
	marks = append(marks, strips(m)...)
	return report(append(marks, payloads(dwtdct.Read(m))...))
}

// Clip reads the frames of one video.
type Clip struct {
	marks  dwtdct.Clip
	single []Mark
}

// Add reads a frame and answers what it says by itself.
func (c *Clip) Add(m *raster.Image) Report {
	alone := report(append(strips(m), payloads(c.marks.Add(m))...))
	for _, mark := range alone.Marks {
		if mark.Sure {
			c.single = append(c.single, mark)
		}
	}
	return alone
}

// Report is what the frames read so far say together: the sum of their evidence, and else any mark that one of them
// shows beyond doubt, since nothing but a generator writes it.
func (c *Clip) Report() Report {
	together := report(payloads(c.marks.Mark()))
	if together.Verdict == engine.AI || len(c.single) == 0 {
		return together
	}
	best := report(c.single[:1])
	for _, mark := range c.single[1:] {
		if one := report([]Mark{mark}); one.Score > best.Score {
			best = one
		}
	}
	return best
}

// payloads is the mark as this package has it; none when there is not even a trace.
func payloads(m dwtdct.Mark) []Mark {
	if !m.Trace() {
		return nil
	}
	return []Mark{{Kind: DwtDct, Generator: m.Generator, Sure: m.Sure(), DwtDct: &m}}
}

func strips(m *raster.Image) []Mark {
	if s, ok := readStrip(m); ok {
		return []Mark{{Kind: Strip, Generator: "DALL·E 2", Sure: true, Strip: &s}}
	}
	return nil
}

func report(marks []Mark) Report {
	r := Report{Verdict: engine.None, Score: noScore, Marks: marks}
	if marks == nil {
		r.Marks = []Mark{}
	}
	for _, m := range marks {
		verdict, score := engine.Uncertain, m.score()
		if m.Sure {
			verdict = engine.AI
		}
		if verdict == engine.AI && r.Verdict != engine.AI || verdict == r.Verdict && score > r.Score || r.Verdict == engine.None {
			r.Verdict, r.Score = verdict, score
		}
	}
	return r
}

// score is that of one mark. A payload's rises with t: a trace's from 60 at 5 to 75 at 7, a sure one's from 96 at 7 to 99
// at 30 and more.
func (m Mark) score() int {
	if m.Kind != DwtDct {
		return plainScore
	}
	const trace, sure, clear = 5, 7, 30
	if !m.Sure {
		return between(weakestTrace, bestTrace, (m.DwtDct.T-trace)/(sure-trace))
	}
	return between(weakestScore, plainScore, (m.DwtDct.T-sure)/(clear-sure))
}

// between is a score on the line between two, by its share of the way.
func between(from, to, share float64) int {
	return int(math.Round(from + (to-from)*min(max(share, 0), 1)))
}
