package render

import (
	"errors"
	"math"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/platform/fault"
)

// lengthTolerance is by how many seconds a video may run past the length that it is taken with: containers round lengths
// to their clock, so that a video of 10 s rarely has 10.000 s.
const lengthTolerance = 0.1

// TooLong is the detail of video_too_long.
type TooLong struct {
	// Seconds is the video's length, MaxSeconds the longest that is taken.
	Seconds    float64 `json:"seconds"`
	MaxSeconds float64 `json:"max_seconds"`
}

// CheckVideo refuses a clip that has no moving picture with a usable frame rate (video_unsupported), or that runs past
// maxSeconds or [engine.MaxFrames] (video_too_long with [TooLong] as detail).
func CheckVideo(c ffmpeg.Clip, maxSeconds float64) error {
	v := c.Video
	switch {
	case v == nil:
		return fault.New(fault.VideoUnsupported,
			"The file has no picture that can be decoded. Export it as MP4 with H.264 and send that.")
	case v.FPS.Float() <= 0 || v.Frames <= 0 || c.Seconds <= 0:
		return fault.New(fault.VideoUnsupported,
			"The video has no usable frame rate. Export it as MP4 with a constant frame rate and send that.")
	case c.Seconds > maxSeconds+lengthTolerance:
		return fault.New(fault.VideoTooLong,
			"The video is %.1f s long; at most %g s are taken. Say its whole length in seconds, up to %d, or send a shorter one.",
			c.Seconds, maxSeconds, engine.MaxClipSeconds).WithDetail(TooLong{Seconds: milli(c.Seconds), MaxSeconds: maxSeconds})
	case v.Frames > engine.MaxFrames:
		return fault.New(fault.VideoTooLong,
			"The video has %d frames; at most %d are taken. Send a shorter one or one with fewer frames a second.",
			v.Frames, engine.MaxFrames).WithDetail(TooLong{Seconds: milli(c.Seconds), MaxSeconds: maxSeconds})
	}
	return nil
}

// unreadable makes what was found wrong with a file the caller's fault. Any other error stays what it is.
func unreadable(err error) error {
	switch {
	case errors.Is(err, ffmpeg.ErrOverTime):
		return fault.Wrap(err, fault.VideoUnsupported, "The video takes too long to read. Export it as MP4 with H.264 and send that.")
	case errors.Is(err, ffmpeg.ErrUndecodable), errors.Is(err, ffmpeg.ErrNoVideo):
		return fault.Wrap(err, fault.VideoUnsupported,
			"The video cannot be decoded: the file is damaged, cut short or of a kind that is not read here. Export it as MP4 with H.264 and send that.")
	}
	return err
}

// milli rounds to three places.
func milli(v float64) float64 { return math.Round(v*1000) / 1000 }
