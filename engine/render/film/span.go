package film

import (
	"math"

	"veracity/engine/ffmpeg"
)

// span is a run of the output's pictures, counted from 0.
type span struct{ from, frames int }

// fewest is the least number of pictures in a sample: x264 needs some behind a key frame to show what it is worth.
const fewest = 6

// spans chooses the pictures that are measured: runs of equal length in the middles of equal parts of the clip, or all of
// it when it is no longer than they are together.
func spans(v ffmpeg.Video, s stage, cfg Config) []span {
	whole := min(framesIn(v.Seconds, s.rate), cfg.MaxFrames)
	each := int(math.Ceil(min(cfg.SampleSeconds*s.rate.Float(), float64(cfg.MaxFrames))))
	room := cfg.SamplePixels / int64(s.width) / int64(s.height) / int64(cfg.Samples)
	each = max(min(each, int(min(room, int64(cfg.MaxFrames)))), fewest)
	if whole <= each*cfg.Samples {
		return []span{{0, whole}}
	}
	all := make([]span, cfg.Samples)
	for i := range all {
		middle := whole * (2*i + 1) / (2 * cfg.Samples)
		all[i] = span{middle - each/2, each}
	}
	return all
}
