// Package model runs the networks of the learned lanes, the product's own and an operator's, with ONNX Runtime. It knows
// tensors and calibrations; which patches or windows a file is shown in is for packages pixels and voice.
package model

import (
	"context"
	"fmt"
	"math"

	"veracity/engine"
	"veracity/engine/model/weights"
)

// Config says which model to load.
type Config struct {
	// Library is the path of ONNX Runtime's shared library.
	Library string
	// Dir is the folder with model.onnx and model.json; "" is the product's own model of the lane.
	Dir  string
	Lane Lane
	// Threads is how many threads one run computes with. An engine that works on as many files at once as it has cores
	// gives each one thread: more would only take turns on the same cores.
	Threads int
}

// Model is a loaded network. It is safe for use by several goroutines.
type Model struct {
	spec    Spec
	network *network
}

// Open loads and validates a model. The error says which file or field is wrong and what is allowed. It is
// [weights.ErrNone] when this build holds no model of its own for the lane.
func Open(cfg Config) (*Model, error) {
	m, err := open(cfg)
	if err != nil && cfg.Dir != "" {
		return nil, fmt.Errorf("load the %s model in %s: %w", cfg.Lane, cfg.Dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("load the product's own %s model: %w", cfg.Lane, err)
	}
	return m, nil
}

func open(cfg Config) (*Model, error) {
	if cfg.Threads < 1 {
		return nil, fmt.Errorf("threads are %d: 1 or more is needed", cfg.Threads)
	}
	files, err := weights.Files(string(cfg.Lane))
	if cfg.Dir != "" {
		files, err = folder(cfg.Dir)
	}
	if err != nil {
		return nil, err
	}
	spec, err := readSpec(files, cfg.Lane)
	if err != nil {
		return nil, err
	}
	onnx, err := readNetwork(files, spec)
	if err != nil {
		return nil, err
	}
	if err := LoadLibrary(cfg.Library); err != nil {
		return nil, err
	}
	network, err := newNetwork(onnx, spec, cfg.Threads)
	if err != nil {
		return nil, err
	}
	return &Model{spec: spec, network: network}, nil
}

// Close gives the network's memory back. No run may be under way or follow.
func (m *Model) Close() error { return m.network.close() }

// Spec is what model.json says.
func (m *Model) Spec() Spec { return m.spec }

// Row is what the network says of one patch or window.
type Row struct {
	// Raw is the log-odds of AI.
	Raw float64
	// Other is the probability, 0 to 1, that it is neither photograph nor AI; 0 where the model has no such class.
	Other float64
}

// Run computes n rows from an input that holds n patches or windows one after the other, already in the layout of
// Spec.Input. It looks at ctx before each. A row that is not a finite number is an error: nothing may be concluded from it.
func (m *Model) Run(ctx context.Context, n int, input []float32) ([]Row, error) {
	size := m.spec.Input.values()
	if n < 0 || len(input) != n*size {
		return nil, fmt.Errorf("run model %s: %d values for %d rows: %d for each are needed", m.spec.Name, len(input), n, size)
	}
	rows := make([]Row, n)
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		values, err := m.network.run(input[i*size : (i+1)*size])
		if err == nil {
			rows[i], err = m.spec.Output.row(values)
		}
		if err != nil {
			return nil, fmt.Errorf("run model %s: row %d: %w", m.spec.Name, i, err)
		}
	}
	return rows, nil
}

// Score is what the rows of one file say together.
type Score struct {
	// Model and Version name what computed it.
	Model   string `json:"model"`
	Version string `json:"version"`
	// Rows is how many patches or windows were read, Raw their mean log-odds, Other the mean probability of neither.
	Rows  int     `json:"rows"`
	Raw   float64 `json:"raw"`
	Other float64 `json:"other"`
	// Probability is the calibrated probability of AI, 0 to 1.
	Probability float64 `json:"probability"`
}

// prevails is the mean probability of Other above which a lane has nothing to say.
const prevails = 0.5

// undecided is the score of a lane that cannot lean to either side.
const undecided = 50

// Judge pools rows and calibrates them. No rows, or rows of which Other prevails (above one half), make the lane say
// `none`, and so does a profile that the model was not calibrated for.
func (m *Model) Judge(p Profile, rows []Row) (engine.Lane, Score) {
	score := Score{Model: m.spec.Name, Version: m.spec.Version, Rows: len(rows)}
	none := engine.Lane{Verdict: engine.None, Score: undecided}
	calibration, known := m.spec.Profiles[p]
	if len(rows) == 0 || !known {
		return none, score
	}
	for _, row := range rows {
		score.Raw += row.Raw / float64(len(rows))
		score.Other += row.Other / float64(len(rows))
	}
	if !finite(score.Raw) || !finite(score.Other) {
		// Run answers no such rows; the report, which is JSON, could not hold them either.
		score.Raw, score.Other = 0, 0
		return none, score
	}
	score.Probability = calibration.Probability(score.Raw)
	if score.Other > prevails {
		return none, score
	}
	lane := engine.Lane{Verdict: calibration.Band.verdict(score.Probability), Score: int(math.Round(100 * score.Probability))}
	return lane, score
}
