package render_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/ffmpeg"
	"veracity/engine/render"
	"veracity/platform/fault"
)

func TestVideosPastTheirLimitsAreRefused(t *testing.T) {
	t.Parallel()
	clip := func(seconds float64, frames int, fps ffmpeg.Rate) ffmpeg.Clip {
		return ffmpeg.Clip{Seconds: seconds, Video: &ffmpeg.Video{Seconds: seconds, Frames: frames, FPS: fps}}
	}
	thirty := ffmpeg.Rate{Num: 30, Den: 1}
	for name, tt := range map[string]struct {
		clip ffmpeg.Clip
		max  float64
		want fault.Code
	}{
		"within":                 {clip(9.9, 297, thirty), 10, ""},
		"as long as promised":    {clip(10, 300, thirty), 10, ""},
		"a rounding longer":      {clip(10.1, 303, thirty), 10, ""},
		"too long":               {clip(10.11, 303, thirty), 10, fault.VideoTooLong},
		"the longest":            {clip(180, 5400, thirty), 180, ""},
		"a frame too many":       {clip(180, 5401, thirty), 180, fault.VideoTooLong},
		"many frames in a blink": {clip(1, 6000, ffmpeg.Rate{Num: 6000, Den: 1}), 180, fault.VideoTooLong},
		"sound alone":            {ffmpeg.Clip{Seconds: 5, Sound: &ffmpeg.Sound{Seconds: 5}}, 10, fault.VideoUnsupported},
		"no rate":                {clip(1, 1, ffmpeg.Rate{}), 10, fault.VideoUnsupported},
		"no frames":              {clip(1, 0, thirty), 10, fault.VideoUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, fault.CodeOf(render.CheckVideo(tt.clip, tt.max)))
		})
	}
	err := render.CheckVideo(clip(12.3456, 300, thirty), 10)
	require.Equal(t, render.TooLong{Seconds: 12.346, MaxSeconds: 10}, fault.From(err).Detail)
}
