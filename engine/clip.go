package engine

import (
	"context"
	"io"

	"veracity/engine/c2pa/splice"
)

// Limits of videos and voice clips (API contract, "Limits").
const (
	// MaxClipBytes is the largest video or voice clip that the engine reads: 1 GB.
	MaxClipBytes = 1 << 30
	// MaxClipSeconds is the longest one.
	MaxClipSeconds = 180
	// MaxFrames is how many frames a video may have.
	MaxFrames = 5400
	// FrameReadings is how many frames of a video are read.
	FrameReadings = 8
	// MaxFrameSide bounds the frames that are read, in pixels: at 4096 x 4096 all eight take 400 MB.
	MaxFrameSide = 4096
)

// ReadingTimes are where a clip of a length in seconds is read: the middles of equal parts.
func ReadingTimes(seconds float64) []float64 {
	at := make([]float64, FrameReadings)
	for k := range at {
		at[k] = (float64(k) + 0.5) / FrameReadings * seconds
	}
	return at
}

// ClipRequest asks for the check of one video or voice clip.
type ClipRequest struct {
	Source
	// Media is Video or Audio, as the caller named it; the content decides whether that holds.
	Media Media
	// MaxSeconds is the longest length that is taken, at most MaxClipSeconds: a promise of the caller's or the limit.
	MaxSeconds float64
	// Progress, when set, is told how much of the work is done, 0 to 1, now and then and from one goroutine at a time.
	Progress func(done float64)
}

// Reading is what one frame of a video, or one window of a voice clip, says.
type Reading struct {
	// T is where it lies, in seconds from the clip's start.
	T       float64 `json:"t"`
	Verdict Verdict `json:"verdict"`
	Score   int     `json:"score"`
}

// Values of VideoInfo.Audio beside the verdicts of the voice lane.
const (
	NoSound     = "none"
	SilentSound = "silent"
)

// VideoInfo is the contract's video object of a check.
type VideoInfo struct {
	Seconds float64 `json:"seconds"`
	FPS     float64 `json:"fps"`
	Frames  int     `json:"frames"`
	// Width and Height are in pixels, as shown: after rotation.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Audio is NoSound, SilentSound or the verdict of the voice lane.
	Audio    string    `json:"audio"`
	Readings []Reading `json:"readings"`
}

// AudioInfo is the contract's audio object of a voice check.
type AudioInfo struct {
	Seconds float64 `json:"seconds"`
	// SampleRate is in Hz, as in the file.
	SampleRate int       `json:"sample_rate"`
	Channels   int       `json:"channels"`
	Codec      string    `json:"codec"`
	Readings   []Reading `json:"readings"`
}

// RenderRequest asks for the optimization of one image or video.
type RenderRequest struct {
	Source
	// Media is Image or Video.
	Media Media
	// MaxSeconds is the longest video that is taken, as in ClipRequest.
	MaxSeconds float64
	// Progress is as in ClipRequest.
	Progress func(done float64)
	// Sign, when set, has the output carry Content Credentials with the source as its ingredient. An error of it ends the
	// call and is returned as it is.
	Sign Signer
	// Save is called once, when the work has succeeded, with the output's bytes. It must read all of them; its error ends
	// the call and is returned as it is.
	Save func(ctx context.Context, out Rendered, body io.Reader) error
}

// Rendered is an optimized file.
type Rendered struct {
	// ContentType is image/png or video/mp4.
	ContentType string `json:"content_type"`
	// Bytes is the output's length.
	Bytes  int64             `json:"bytes"`
	Width  int               `json:"width"`
	Height int               `json:"height"`
	Score  OptimizationScore `json:"score"`
	// Video describes the output of a video.
	Video *RenderedVideo `json:"video,omitempty"`
	// Unsigned is what Signer signs, nil where nothing is to be signed.
	Unsigned *splice.Unsigned `json:"unsigned,omitempty"`
	// Detail says how the output came about. Its shape may change.
	Detail any `json:"detail,omitempty"`
}

// RenderedVideo is the contract's video object of an optimization.
type RenderedVideo struct {
	Seconds     float64 `json:"seconds"`
	FPS         float64 `json:"fps"`
	Frames      int     `json:"frames"`
	Width       int     `json:"width"`
	Height      int     `json:"height"`
	Codec       string  `json:"codec"`
	Bytes       int64   `json:"bytes"`
	SourceBytes int64   `json:"source_bytes"`
}

// OptimizationScore says how well an optimization went: 0 to 100 and its zone.
type OptimizationScore struct {
	Score int  `json:"score"`
	Zone  Zone `json:"zone"`
}

// Zone is a named range of optimization scores.
type Zone string

// Zones and where each begins: 0, 40, 60 and 80.
const (
	Poor      Zone = "poor"
	Fair      Zone = "fair"
	Good      Zone = "good"
	Excellent Zone = "excellent"
)

// ZoneOf is the zone of a score from 0 to 100.
func ZoneOf(score int) Zone {
	switch {
	case score >= 80:
		return Excellent
	case score >= 60:
		return Good
	case score >= 40:
		return Fair
	}
	return Poor
}

// Worker is the engine as the job workers need it. Its calls run for minutes; beside the faults of Checker they answer
// those of a failed job: video_too_long (with detail seconds and max_seconds), video_unsupported, audio_too_long,
// audio_unsupported, stage1_failed, model_unavailable, engine_error.
type Worker interface {
	CheckClip(ctx context.Context, req ClipRequest) (Report, error)
	// Render optimizes. Nothing is saved unless it succeeds.
	Render(ctx context.Context, req RenderRequest) (Rendered, error)
	// AcceptImage decodes an image and answers what it is when it can be optimized. Faults: too_many_pixels,
	// unsupported_media, image_too_large, invalid_image, engine_unavailable.
	AcceptImage(ctx context.Context, src Source) (File, error)
}
