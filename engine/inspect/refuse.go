package inspect

import (
	"errors"
	"math"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/probe"
	"veracity/engine/render"
	"veracity/platform/fault"
)

// lengthTolerance is by how many seconds a voice clip may run past the length that it is taken with: encoders of sound pad
// to whole frames, up to 0.05 s at either end, so that a clip of 10 s rarely has 10.000 s. [render.CheckVideo] allows
// videos as much.
const lengthTolerance = 0.1

// checkKind refuses a file that is of another kind than its field says. MP4 and MOV can hold sound alone, which their
// tracks tell.
func checkKind(media engine.Media, format probe.Format) error {
	switch {
	case media == engine.Video && format.Media() != engine.Video:
		return fault.New(fault.VideoUnsupported, "The file is no video that is read here: its content is %s. Send an MP4, MOV or WebM file.",
			named(format))
	case media == engine.Audio && format.Media() != engine.Audio && format != probe.MP4 && format != probe.MOV:
		return fault.New(fault.AudioUnsupported, "The file is no voice clip that is read here: its content is %s. Send an MP3, WAV or M4A file.",
			named(format))
	}
	return nil
}

func named(format probe.Format) string {
	if format == probe.Unknown {
		return "of an " + format.Name()
	}
	return format.Name()
}

// checkVoice refuses what is no sound alone. Its length is known once it has been heard.
func checkVoice(c ffmpeg.Clip) error {
	switch {
	case c.Video != nil:
		return fault.New(fault.AudioUnsupported,
			"The file has a moving picture, so it is a video. Send it as video_url or video_upload_id.")
	case c.Sound == nil:
		return noSound(nil)
	}
	return nil
}

func noSound(cause error) error {
	return fault.Wrap(cause, fault.AudioUnsupported,
		"The voice clip has no sound that can be decoded. Open it in a player, export it as WAV or MP3 and send that.")
}

func voiceTooLong(seconds, maxSeconds float64) error {
	return fault.New(fault.AudioTooLong,
		"The voice clip is %.1f s long; at most %g s are taken. Say its whole length in seconds, up to %d, or send a shorter one.",
		seconds, maxSeconds, engine.MaxClipSeconds).WithDetail(render.TooLong{Seconds: milli(seconds), MaxSeconds: maxSeconds})
}

// needTool refuses clips on an engine without ffmpeg.
func (i *inspector) needTool() error {
	if i.tool != nil {
		return nil
	}
	return fault.Wrap(errors.New("ffmpeg or ffprobe is missing"), fault.EngineError,
		"This service cannot read videos and voice clips right now.")
}

// unreadable makes what a decoder found wrong with a file the caller's fault. Any other error stays what it is.
func unreadable(media engine.Media, err error) error {
	switch {
	case errors.Is(err, ffmpeg.ErrOverTime) && media == engine.Video:
		return fault.Wrap(err, fault.VideoUnsupported, "The video takes too long to decode. Export it as MP4 with H.264 and send that.")
	case errors.Is(err, ffmpeg.ErrOverTime):
		return fault.Wrap(err, fault.AudioUnsupported, "The voice clip takes too long to decode. Export it as WAV or MP3 and send that.")
	case !errors.Is(err, ffmpeg.ErrUndecodable) && !errors.Is(err, ffmpeg.ErrNoVideo) && !errors.Is(err, ffmpeg.ErrNoSound):
		return err
	case media == engine.Audio:
		return noSound(err)
	}
	return fault.Wrap(err, fault.VideoUnsupported,
		"The video cannot be decoded: the file is damaged, cut short or of a kind that is not read here. Export it as MP4 with H.264 and send that.")
}

// milli rounds seconds to the millisecond.
func milli(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }
