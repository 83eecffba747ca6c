// Package pixelstest stands in for the models of the learned lanes in tests: a network whose rows a test decides.
package pixelstest

import (
	"context"
	"math"
	"sync/atomic"

	"veracity/engine"
	"veracity/engine/model"
)

// Name and Version are those of a Network.
const (
	Name    = "scripted"
	Version = "7"
)

// Network is a model of which a test decides what it says. It fits the pixels and the voice lane.
type Network struct {
	// Input and Crop are those of its spec.
	Input model.Input
	Crop  model.Crop
	// Says is what it says of one patch or window.
	Says func(patch []float32) model.Row
	// Err, when set, is what every run ends with.
	Err error
	// Runs counts the rows that were run.
	Runs atomic.Int64
}

// Patches is a network that is shown up to count patches of side x side pixels, with values of 0 to 255.
func Patches(side, count int, says func(patch []float32) model.Row) *Network {
	const scale = 1.0 / 255
	return &Network{
		Input: model.Input{
			Name: "x", Layout: "nchw", Width: side, Height: side, Mean: []float64{0, 0, 0}, Std: []float64{scale, scale, scale},
		},
		Crop: model.Crop{Policy: model.Patches, Count: count},
		Says: says,
	}
}

// Windows is a network that hears so many samples.
func Windows(samples int, says func(window []float32) model.Row) *Network {
	return &Network{Input: model.Input{Name: "x", Layout: "nt", Samples: samples, Rate: model.VoiceRate}, Says: says}
}

// Always is a network's word on anything.
func Always(raw float64) func([]float32) model.Row {
	return func([]float32) model.Row { return model.Row{Raw: raw} }
}

// Spec implements pixels.Network.
func (n *Network) Spec() model.Spec {
	return model.Spec{Name: Name, Version: Version, Input: n.Input, Crop: n.Crop}
}

// Run implements pixels.Network.
func (n *Network) Run(ctx context.Context, rows int, input []float32) ([]model.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n.Err != nil {
		return nil, n.Err
	}
	n.Runs.Add(int64(rows))
	out := make([]model.Row, rows)
	size := len(input) / rows
	for i := range out {
		out[i] = n.Says(input[i*size : (i+1)*size])
	}
	return out, nil
}

// Judge implements pixels.Network: the logistic function of the mean, `real` under 10 % and `ai` over 90 %.
func (n *Network) Judge(_ model.Profile, rows []model.Row) (engine.Lane, model.Score) {
	score := model.Score{Model: Name, Version: Version, Rows: len(rows)}
	lane := engine.Lane{Verdict: engine.None, Score: 50}
	if len(rows) == 0 {
		return lane, score
	}
	for _, row := range rows {
		score.Raw += row.Raw / float64(len(rows))
		score.Other += row.Other / float64(len(rows))
	}
	score.Probability = 1 / (1 + math.Exp(-score.Raw))
	if score.Other > 0.5 {
		return lane, score
	}
	lane = engine.Lane{Verdict: engine.Uncertain, Score: int(math.Round(100 * score.Probability))}
	switch {
	case score.Probability < 0.1:
		lane.Verdict = engine.Real
	case score.Probability > 0.9:
		lane.Verdict = engine.AI
	}
	return lane, score
}
