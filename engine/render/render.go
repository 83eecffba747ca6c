// Package render optimizes: it has a file decoded and re-rendered (stage 1), encoded as small as its look allows
// (stage 2), and puts the statements of origin that the source made into the output. What each step does is the packages'
// below it; here they are put in order, limits are kept, and the outcome is scored. It knows no job, no storage and no
// HTTP.
package render

import (
	"context"
	"errors"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/raster"
)

// Job is one video to be optimized.
type Job struct {
	// Path is the source, Dir a folder for what is needed on the way, Out where the output goes. Dir and Out's folder exist
	// and can be written; what is left in Dir is the caller's to remove.
	Path, Dir, Out string
	// MaxSeconds is the longest video that is taken.
	MaxSeconds float64
	// Progress, when set, is told how much is done, 0 to 1.
	Progress func(done float64)
}

// Image optimizes an image file into a PNG.
func Image(_ context.Context, _ *raster.Decoder, _ []byte, _ func(done float64)) ([]byte, engine.Rendered, error) {
	return nil, engine.Rendered{}, errors.New("optimize image: the encoder has not landed")
}

// Video optimizes the video at job.Path into an MP4 at job.Out.
func Video(_ context.Context, _ *ffmpeg.Tool, _ Job) (engine.Rendered, error) {
	return engine.Rendered{}, errors.New("optimize video: the encoder has not landed")
}
