package voice

import (
	"context"
	"fmt"

	"veracity/engine"
	"veracity/engine/model"
)

// Network is what the lane needs of a model: *[model.Model] is one, whose samples are at [Rate].
type Network interface {
	Spec() model.Spec
	Run(ctx context.Context, n int, input []float32) ([]model.Row, error)
	Judge(p model.Profile, rows []model.Row) (engine.Lane, model.Score)
}

// undecided is the score of a reading that leans to neither side.
const undecided = 50

// leastSpeech is how many seconds of speech a window must hold to be judged.
const leastSpeech = 1

// batch is how many windows go through the network at once: more are no faster on a processor, and take more memory.
const batch = 4

// heard is a window that is to be judged.
type heard struct {
	window *Window
	pcm    []int16
	spoken mask
}

// judge has the model hear the windows in which somebody speaks, and says what each of them and all together say. Without
// a model everything is `unavailable`, rather than guessed.
func (r *Report) judge(ctx context.Context, m Network, pcm []int16, spoken mask, spans []span) error {
	if m == nil {
		r.say(engine.Lane{Verdict: engine.Unavailable, Score: undecided})
		return nil
	}
	r.say(engine.Lane{Verdict: engine.None, Score: undecided})
	var said []heard
	for i, s := range spans {
		if r.Windows[i].Speech >= leastSpeech {
			said = append(said, heard{&r.Windows[i], pcm[s.from:s.to], spoken.part(s.from, s.to)})
		}
	}
	rows, err := listen(ctx, m, said)
	if err != nil {
		return err
	}
	for i, row := range rows {
		w := said[i].window
		w.Lane, _ = m.Judge(model.Speech, rows[i:i+1])
		w.Raw = &row.Raw
	}
	lane, score := m.Judge(model.Speech, rows)
	r.Verdict, r.Score, r.Model = lane.Verdict, lane.Score, &score
	return nil
}

// say has the clip and all its windows say the same.
func (r *Report) say(lane engine.Lane) {
	r.Verdict, r.Score = lane.Verdict, lane.Score
	for i := range r.Windows {
		r.Windows[i].Lane = lane
	}
}

// listen has the network hear windows.
func listen(ctx context.Context, m Network, said []heard) ([]model.Row, error) {
	size := m.Spec().Input.Samples
	rows := make([]model.Row, 0, len(said))
	input := make([]float32, size*min(batch, len(said)))
	for len(said) > 0 {
		some := said[:min(batch, len(said))]
		for i, w := range some {
			w.into(input[i*size : (i+1)*size])
		}
		got, err := m.Run(ctx, len(some), input[:len(some)*size])
		if err != nil {
			return nil, fmt.Errorf("judge the windows from %.1f s on: %w", some[0].window.T, err)
		}
		rows = append(rows, got...)
		said = said[len(some):]
	}
	return rows, nil
}

// into fills what the network hears, with full scale as 1. A window shorter than that is repeated from its beginning until
// it is full; of a longer one the network hears the stretch that holds most speech, the first of equals.
func (h heard) into(input []float32) {
	const fullScale = 32768
	pcm := h.pcm
	if len(pcm) > len(input) {
		from := h.spoken.densest(len(pcm), len(input))
		pcm = pcm[from : from+len(input)]
	}
	for i := range input {
		input[i] = float32(pcm[i%len(pcm)]) / fullScale
	}
}

// Lane is what the clip's sound says as a whole.
func (r Report) Lane() engine.Lane { return engine.Lane{Verdict: r.Verdict, Score: r.Score} }

// Readings are the windows in the contract's shape.
func (r Report) Readings() []engine.Reading {
	readings := make([]engine.Reading, len(r.Windows))
	for i, w := range r.Windows {
		readings[i] = engine.Reading{T: w.T, Verdict: w.Lane.Verdict, Score: w.Lane.Score}
	}
	return readings
}
