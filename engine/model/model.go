// Package model runs the networks of the learned lanes, the product's own and an operator's, with ONNX Runtime. It knows
// tensors and calibrations; which patches or windows a file is shown in is for packages pixels and voice.
package model

import (
	"context"

	"veracity/engine"
)

// Config says which model to load.
type Config struct {
	// Library is the path of ONNX Runtime's shared library.
	Library string
	// Dir is the folder with model.onnx and model.json; "" is the product's own model of the lane.
	Dir  string
	Lane Lane
	// Threads is how many threads one run computes with.
	Threads int
}

// Model is a loaded network. It is safe for use by several goroutines.
type Model struct{ spec Spec }

// Open loads and validates a model. The error says which file or field is wrong and what is allowed.
func Open(cfg Config) (*Model, error) { panic("H1") }

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
// Spec.Input.
func (m *Model) Run(ctx context.Context, n int, input []float32) ([]Row, error) { panic("H1") }

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

// Judge pools rows and calibrates them. No rows, or rows of which Other prevails (above one half), make the lane say
// `none`.
func (m *Model) Judge(p Profile, rows []Row) (engine.Lane, Score) { panic("H1") }
