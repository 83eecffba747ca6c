package engine

import (
	"math"
	"slices"
)

// Bounds on what an engine may say of a file: it is not to be trusted once a file has taken it over, and its word on a
// clip's length is charged.
const (
	// lengthSlack is how far over its limit a clip's length may read, in seconds: containers round it.
	lengthSlack = 1
	// maxWindows is the largest number of readings of a voice clip.
	maxWindows = 256
	// maxOutputBytes is the largest rendering: as much as the engine reserves for the largest source.
	maxOutputBytes = 2 * MaxClipBytes
	maxScore       = 100
)

// valid says whether the report says anything.
func (r Report) valid() bool {
	switch r.Verdict {
	case AI, Real, Uncertain:
		return r.Score != nil && validScore(*r.Score) && r.DecidedBy != ""
	case Unavailable:
		return r.Score == nil && r.DecidedBy != ""
	case None:
	}
	return false
}

// validClip says whether the report is one of a clip of the given kind.
func (r Report) validClip(media Media) bool {
	if !r.valid() || r.Media != media {
		return false
	}
	if media == Audio {
		return r.Video == nil && r.Audio != nil && r.Audio.valid()
	}
	return r.Audio == nil && r.Video != nil && r.Video.valid()
}

func (v VideoInfo) valid() bool {
	words := []string{NoSound, SilentSound, string(AI), string(Real), string(Uncertain), string(Unavailable)}
	return validLength(v.Seconds) && positive(v.FPS) && v.Frames > 0 && v.Frames <= MaxFrames &&
		v.Width > 0 && v.Height > 0 && slices.Contains(words, v.Audio) && validReadings(v.Readings, FrameReadings)
}

func (a AudioInfo) valid() bool {
	return validLength(a.Seconds) && a.SampleRate > 0 && a.Channels > 0 && validReadings(a.Readings, maxWindows)
}

func validReadings(readings []Reading, most int) bool {
	for _, r := range readings {
		switch r.Verdict {
		case AI, Real, Uncertain, None, Unavailable:
		default:
			return false
		}
		if !validScore(r.Score) || r.T < 0 || r.T > MaxClipSeconds+lengthSlack {
			return false
		}
	}
	return len(readings) <= most
}

// valid says whether the engine has found the file to be anything.
func (f File) valid() bool { return f.Format != "" && f.Bytes > 0 && f.Width > 0 && f.Height > 0 }

// valid says whether what was rendered is what media becomes.
func (r Rendered) valid(media Media) bool {
	if r.Bytes <= 0 || r.Bytes > maxOutputBytes || r.Width <= 0 || r.Height <= 0 ||
		!validScore(r.Score.Score) || r.Score.Zone != ZoneOf(r.Score.Score) {
		return false
	}
	if media == Image {
		return r.ContentType == "image/png" && r.Video == nil
	}
	return r.ContentType == "video/mp4" && r.Video != nil && r.Video.valid(r.Bytes)
}

func (v RenderedVideo) valid(size int64) bool {
	return validLength(v.Seconds) && positive(v.FPS) && v.Frames > 0 && v.Width > 0 && v.Height > 0 && v.Codec != "" &&
		v.Bytes == size && v.SourceBytes > 0
}

func validScore(score int) bool { return score >= 0 && score <= maxScore }

func validLength(seconds float64) bool {
	return positive(seconds) && seconds <= MaxClipSeconds+lengthSlack
}

// positive is false for infinities and what is no number.
func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }
