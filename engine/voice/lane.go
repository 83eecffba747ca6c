package voice

import (
	"context"

	"veracity/engine"
)

// Model is the state of the model that judges windows.
const Model = "none"

// undecided is the score of a reading that leans to neither side.
const undecided = 50

// judge reads one window: its samples at Rate. It is the place of a voice model; this version has none and says so rather
// than guess.
func judge(context.Context, []int16) (engine.Lane, error) {
	return engine.Lane{Verdict: engine.Unavailable, Score: undecided}, nil
}

// Lane is what the clip's sound says as a whole.
func (r Report) Lane() engine.Lane {
	lanes := make([]engine.Lane, len(r.Windows))
	for i, w := range r.Windows {
		lanes[i] = w.Lane
	}
	return engine.Pool(lanes)
}

// Readings are the windows in the contract's shape.
func (r Report) Readings() []engine.Reading {
	readings := make([]engine.Reading, len(r.Windows))
	for i, w := range r.Windows {
		readings[i] = engine.Reading{T: w.T, Verdict: w.Lane.Verdict, Score: w.Lane.Score}
	}
	return readings
}
