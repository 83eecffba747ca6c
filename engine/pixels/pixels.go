// Package pixels reads a picture with a learned model: whether its pixels look captured or made. It decides which parts
// of a picture the model is shown and puts them into the model's layout, so the same picture is always shown in the same
// way (docs/checks.md). It knows no file formats; networks and calibration are package model's, and what a verdict on the
// whole file rests on is decided in package engine.
package pixels

import (
	"context"
	"fmt"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/engine/raster"
)

// Network is what the lane needs of a model: *[model.Model] is one.
type Network interface {
	Spec() model.Spec
	Run(ctx context.Context, n int, input []float32) ([]model.Row, error)
	Judge(p model.Profile, rows []model.Row) (engine.Lane, model.Score)
}

// leastSide is the shortest side of a picture that is read, in pixels: below it one patch would speak for all, and that
// patch be a mirror image in part.
const leastSide = 112

// undecided is the score of a lane that leans to neither side.
const undecided = 50

// Reason says why a picture was not shown to the model, or why the model has nothing to say of it.
type Reason string

// Reasons.
const (
	// Small is a picture with a side under 112 pixels.
	Small Reason = "too_small"
	// Drawn is a picture that is for the most part exactly flat: a screen, a chart or a drawing ([Surface]).
	Drawn Reason = "no_photograph"
	// Plain is a picture without a place that has texture and is neither black nor blown out.
	Plain Reason = "no_texture"
	// Other is a picture of which the model itself says that it is neither photograph nor AI.
	Other Reason = "model_other"
)

// Report is what the pixels of one picture or video say.
type Report struct {
	// Verdict is ai, real, uncertain, none (Reason says why) or unavailable (no model is set up).
	Verdict engine.Verdict `json:"verdict"`
	// Score is the calibrated probability of AI in percent, 50 where there is none.
	Score  int    `json:"score"`
	Reason Reason `json:"reason,omitempty"`
	// Model names the model and gives what it said before and after calibration.
	Model *model.Score `json:"model,omitempty"`
	// Surface is what the gate for photographs measured. It is not given for a video.
	Surface *Surface `json:"surface,omitempty"`
	// Patches are the places that the model was shown.
	Patches []Patch `json:"patches,omitempty"`
}

// Patch is one place of a picture and what the model said of it.
type Patch struct {
	Place
	// Raw is the log-odds of AI, Other the probability of neither photograph nor AI.
	Raw   float64 `json:"raw"`
	Other float64 `json:"other"`
}

// Lane is the report in the contract's shape.
func (r Report) Lane() engine.Lane { return engine.Lane{Verdict: r.Verdict, Score: r.Score} }

// Rows are what the model said of the patches.
func (r Report) Rows() []model.Row {
	rows := make([]model.Row, len(r.Patches))
	for i, p := range r.Patches {
		rows[i] = model.Row{Raw: p.Raw, Other: p.Other}
	}
	return rows
}

// Read reads a picture; a nil m says `unavailable`. Errors are those of m and of ctx.
func Read(ctx context.Context, m Network, picture *raster.Image) (Report, error) {
	return read(ctx, m, picture, model.Image)
}

// Clip reads the frames of one video with Model, one after the other.
type Clip struct {
	Model Network
	rows  []model.Row
	// reason is that of the first frame that was not shown to the model.
	reason Reason
}

// Add reads a frame and answers what it says by itself. Errors are those of [Read].
func (c *Clip) Add(ctx context.Context, frame *raster.Image) (Report, error) {
	r, err := read(ctx, c.Model, frame, model.Video)
	if err != nil {
		return Report{}, err
	}
	c.rows = append(c.rows, r.Rows()...)
	if c.reason == "" && len(r.Patches) == 0 {
		c.reason = r.Reason
	}
	return r, nil
}

// Report is what the frames read so far say together: their patches are pooled as those of one picture are, for they show
// one scene and are no independent evidence.
func (c *Clip) Report() Report {
	if c.Model == nil {
		return Report{Verdict: engine.Unavailable, Score: undecided}
	}
	r := judge(c.Model, model.Video, c.rows)
	if len(c.rows) == 0 {
		r.Reason = c.reason
	}
	return r
}

func read(ctx context.Context, m Network, picture *raster.Image, p model.Profile) (Report, error) {
	if m == nil {
		return Report{Verdict: engine.Unavailable, Score: undecided}, nil
	}
	if min(picture.Width, picture.Height) < leastSide {
		return Report{Verdict: engine.None, Score: undecided, Reason: Small}, nil
	}
	picture = onWhite(picture)
	surface := measure(picture)
	if surface.drawn() {
		return Report{Verdict: engine.None, Score: undecided, Reason: Drawn, Surface: &surface}, nil
	}
	patches, err := show(ctx, m, picture)
	if err != nil {
		return Report{}, err
	}
	rows := Report{Patches: patches}.Rows()
	r := judge(m, p, rows)
	r.Surface, r.Patches = &surface, patches
	return r, nil
}

// judge is the model's word on rows, with the reason where that is `none`.
func judge(m Network, p model.Profile, rows []model.Row) Report {
	lane, score := m.Judge(p, rows)
	r := Report{Verdict: lane.Verdict, Score: lane.Score, Model: &score}
	switch {
	case len(rows) == 0:
		r.Reason = Plain
	case lane.Verdict == engine.None:
		r.Reason = Other
	}
	return r
}

// batch is how many patches go through the network at once: more are no faster on a processor, and take more memory.
const batch = 4

// show has the network look at the parts of a picture that its crop policy names.
func show(ctx context.Context, m Network, picture *raster.Image) ([]Patch, error) {
	spec := m.Spec()
	places, cut := parts(spec, picture)
	patches := make([]Patch, 0, len(places))
	each := 3 * spec.Input.Width * spec.Input.Height
	input := make([]float32, min(batch, len(places))*each)
	for len(places) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("show the model a picture: %w", err)
		}
		some := places[:min(batch, len(places))]
		for i, at := range some {
			cut(at, input[i*each:(i+1)*each])
		}
		rows, err := m.Run(ctx, len(some), input[:len(some)*each])
		if err != nil {
			return nil, fmt.Errorf("show the model a picture: %w", err)
		}
		for i, at := range some {
			patches = append(patches, Patch{Place: at, Raw: rows[i].Raw, Other: rows[i].Other})
		}
		places = places[len(some):]
	}
	return patches, nil
}

// parts are the places that the network is shown, and how one is put into its layout.
func parts(spec model.Spec, picture *raster.Image) (places []Place, cut func(at Place, into []float32)) {
	to := newLayout(spec.Input)
	if spec.Crop.Policy == model.Resize {
		at, scaled := cover(picture, spec.Input.Width, spec.Input.Height)
		return []Place{at}, func(_ Place, into []float32) { to.put(scaled, into) }
	}
	picture = mirrored(picture, spec.Input.Width, spec.Input.Height)
	places = Patches(picture, spec.Input.Width, spec.Input.Height, spec.Crop.Count)
	return places, func(at Place, into []float32) { to.put(part(picture, at), into) }
}
