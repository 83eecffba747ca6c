// Package render optimizes: it has a file decoded and re-rendered (stage 1), encoded as small as its look allows
// (stage 2), and puts the statements of origin that the source makes into the output. How each step is done is the
// business of the packages below it; here they are put in order, limits are kept and the outcome is scored
// (docs/optimization.md). It knows no job, no storage and no HTTP.
package render

import (
	"context"
	"errors"
	"math"

	"veracity/engine/render/origin"
	"veracity/platform/fault"
)

// Detail says how an output came about. Its shape may change.
type Detail struct {
	// Mode is how the output holds its picture: still.Mode of an image, film.Mode of a video.
	Mode string `json:"mode"`
	// Metric names the measure of likeness, Likeness is its value and Points what it counts in the score, 0 to 100.
	Metric   string  `json:"metric"`
	Likeness float64 `json:"likeness"`
	Points   float64 `json:"points"`
	// PlainBytes is the length of a plain encoding of the same kind, SourceBytes the source's.
	PlainBytes  int64 `json:"plain_bytes"`
	SourceBytes int64 `json:"source_bytes"`
	// LargerThanSource says that a video's output is more than 1 % longer than its source.
	LargerThanSource bool `json:"larger_than_source"`
	// Carried names the statements of origin and of rights that were carried over.
	Carried []string `json:"carried"`
	// Pixels is what the pixels lane says before and after, nil without a model.
	Pixels *PixelsKept `json:"pixels,omitempty"`
	// Encoding is the encoder's own account.
	Encoding any `json:"encoding"`
}

// part tells progress of a part of the work, which goes from one share of the whole to another.
func part(progress func(done float64), from, to float64) func(done float64) {
	if progress == nil {
		return func(float64) {}
	}
	return func(done float64) { progress(from + (to-from)*min(max(done, 0), 1)) }
}

// shown rounds a measure to what is worth showing of it: SSIM has its news in the fourth place.
func shown(v float64) float64 { return math.Round(v*1e5) / 1e5 }

// lost turns statements that cannot be carried over into the caller's fault; any other error is ours.
func lost(err error) error {
	if errors.Is(err, origin.ErrLost) {
		return fault.Wrap(err, fault.Stage1Failed,
			"The file says of its origin what cannot be carried over whole, so it was not optimized. Remove contradicting metadata and send it again.")
	}
	return err
}

// ended tells that the work stopped because its time or its caller was gone, which is no fault of the file.
func ended(ctx context.Context, err error) bool { return ctx.Err() != nil && errors.Is(err, ctx.Err()) }
