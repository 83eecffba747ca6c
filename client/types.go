package client

import (
	"encoding/json"
	"time"
)

// Media is the kind of a file.
type Media string

// Kinds of media.
const (
	MediaImage Media = "image"
	MediaVideo Media = "video"
	MediaAudio Media = "audio"
)

// Verdict is what a check, or one reading in it, says.
type Verdict string

// Verdicts. VerdictNone is of lanes and readings alone: they found nothing to go by.
const (
	VerdictAI          Verdict = "ai"
	VerdictReal        Verdict = "real"
	VerdictUncertain   Verdict = "uncertain"
	VerdictNone        Verdict = "none"
	VerdictUnavailable Verdict = "unavailable"
)

// DecidedBy names what a verdict rests on.
type DecidedBy string

// What a verdict can rest on.
const (
	ByWatermark  DecidedBy = "watermark"
	ByProvenance DecidedBy = "provenance"
	ByPixels     DecidedBy = "pixels"
	ByWeighed    DecidedBy = "weighed"
	ByConflict   DecidedBy = "conflict"
	ByVoice      DecidedBy = "voice"
)

// Check is the result of a check. Scores go from 0, surely captured or recorded, to 100, surely made by AI.
type Check struct {
	Verdict Verdict `json:"verdict"`
	// Score is nil when the verdict is unavailable.
	Score     *int      `json:"score"`
	DecidedBy DecidedBy `json:"decided_by"`
	Lanes     Lanes     `json:"lanes"`
	Media     Media     `json:"media"`
	// Video describes a checked video, Audio a checked voice clip.
	Video *Video `json:"video,omitempty"`
	Audio *Audio `json:"audio,omitempty"`
	// Detail is the engine's raw report, when it was asked for. Its shape may change.
	Detail json.RawMessage `json:"detail,omitempty"`
}

// Lanes are the readings behind a verdict.
type Lanes struct {
	Pixels     Lane           `json:"pixels"`
	Watermark  Lane           `json:"watermark"`
	Provenance ProvenanceLane `json:"provenance"`
}

// Lane is one reading with a score.
type Lane struct {
	Verdict Verdict `json:"verdict"`
	Score   int     `json:"score"`
}

// ProvenanceLane is what the file says of its own origin.
type ProvenanceLane struct {
	Verdict Verdict `json:"verdict"`
	// Issuer is who said it, nil when unknown.
	Issuer *string `json:"issuer"`
}

// Video is what a check found a video to be.
type Video struct {
	Seconds float64 `json:"seconds"`
	FPS     float64 `json:"fps"`
	Frames  int     `json:"frames"`
	// Width and Height are in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Audio is none (no sound track), silent, or the verdict on the sound track.
	Audio string `json:"audio"`
	// Readings are those of the frames that were looked at.
	Readings []Reading `json:"readings"`
}

// Audio is what a check found a voice clip to be.
type Audio struct {
	Seconds float64 `json:"seconds"`
	// SampleRate is in Hz.
	SampleRate int    `json:"sample_rate"`
	Channels   int    `json:"channels"`
	Codec      string `json:"codec"`
	// Readings are those of the windows that were listened to.
	Readings []Reading `json:"readings"`
}

// Reading is what one frame or window says.
type Reading struct {
	// T is where it lies, in seconds from the start.
	T       float64 `json:"t"`
	Verdict Verdict `json:"verdict"`
	Score   int     `json:"score"`
}

// Status is how far a job has come.
type Status string

// The states of a job. It moves from queued to running to one of the last two, or from queued to failed.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// Ended tells whether a job stays as it is.
func (s Status) Ended() bool { return s == Succeeded || s == Failed }

// CheckJob is the check of a video or a voice clip. Its Check is filled in once it has succeeded, but for Media, which is
// always there.
type CheckJob struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	Check
	// Error says why a failed job failed.
	Error *JobError `json:"error,omitempty"`
}

// Optimization is the optimization of an image or a video.
type Optimization struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	Media  Media  `json:"media"`
	// FileURL is where anybody can fetch the optimized PNG or MP4 until ExpiresAt. ImageURL is the same for an image.
	FileURL   string     `json:"file_url,omitempty"`
	ImageURL  string     `json:"image_url,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	// Video describes an optimized video.
	Video *OptimizedVideo    `json:"video,omitempty"`
	Score *OptimizationScore `json:"optimization_score,omitempty"`
	// Error says why a failed job failed.
	Error *JobError `json:"error,omitempty"`
}

// OptimizedVideo describes the file that an optimization of a video gave.
type OptimizedVideo struct {
	Seconds float64 `json:"seconds"`
	FPS     float64 `json:"fps"`
	Frames  int     `json:"frames"`
	// Width and Height are in pixels.
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Codec  string `json:"codec"`
	// Bytes is the length of the file, SourceBytes that of what was sent.
	Bytes       int64 `json:"bytes"`
	SourceBytes int64 `json:"source_bytes"`
}

// OptimizationScore says how well an optimization went, from 0 to 100, and in a word.
type OptimizationScore struct {
	Score int  `json:"score"`
	Zone  Zone `json:"zone"`
}

// Zone is a range of optimization scores.
type Zone string

// The zones; each begins at 0, 40, 60 and 80.
const (
	Poor      Zone = "poor"
	Fair      Zone = "fair"
	Good      Zone = "good"
	Excellent Zone = "excellent"
)

// Upload is a ticket to send one file to storage.
type Upload struct {
	// ID names the file in a check or an optimization, once it has been sent.
	ID     string `json:"id"`
	URL    string `json:"upload_url"`
	Method string `json:"method"`
	// Headers are exactly those that the file must be sent with.
	Headers   map[string]string `json:"headers"`
	MaxBytes  int64             `json:"max_bytes"`
	ExpiresAt time.Time         `json:"expires_at"`
}
