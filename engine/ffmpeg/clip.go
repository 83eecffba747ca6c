package ffmpeg

import "veracity/engine/probe"

// Clip is a file of video or sound, as [Tool.Probe] found it.
type Clip struct {
	Path   string
	Format probe.Format
	// Video is the track that a player would show, nil when there is no moving picture that can be decoded. Cover pictures
	// do not count.
	Video *Video
	// Sound is the track that a player would play, nil when there is none that can be decoded.
	Sound *Sound
	// Seconds is the clip's length: the video's, or the sound's when there is no video.
	Seconds float64
}

// Rate is a number of frames a second, Num/Den. It is 0/0 when there is none, as with a single frame that has no length.
type Rate struct{ Num, Den int }

// Float is the rate in frames a second, 0 when there is none.
func (r Rate) Float() float64 {
	if r.Den == 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

// Video is a track of moving pictures. Its figures are counted from the packets in the file, not taken from what a header
// claims.
type Video struct {
	// Index is the track's number among all of the file's, from 0.
	Index int
	// Codec is in ffmpeg's spelling, such as h264.
	Codec string
	// Width and Height are in square pixels, as shown: turned upright.
	Width, Height int
	// CodedWidth and CodedHeight are as in the file.
	CodedWidth, CodedHeight int
	// Rotation is by how many degrees the coded picture is turned clockwise to be shown: 0, 90, 180 or 270.
	Rotation int
	// FPS is the rate of the frames, the mean one when VariableRate says that some frame lies off the even spacing.
	FPS          Rate
	VariableRate bool
	// Frames is how many frames are shown; Seconds how long, from the first one's beginning to the last one's end.
	Frames  int
	Seconds float64
	// HDR says that Transfer is one of high dynamic range: PQ or HLG (ITU-R BT.2100).
	HDR bool
	// Transfer, Primaries, Matrix and Range are in ffmpeg's spelling ("smpte2084", "bt2020", "bt2020nc", "tv"), "" where the
	// file does not say.
	Transfer, Primaries, Matrix, Range string
	// PixelFormat is in ffmpeg's spelling, such as yuv420p10le.
	PixelFormat string

	// turn are the filters that put the picture upright, mirrors among them.
	turn string
	// shown are the frames in the order in which they are shown, their times relative to the first; origin is the first
	// one's own time in the file.
	shown  []moment
	origin float64
}

// moment is one frame's place.
type moment struct {
	// at is in seconds from the first frame.
	at float64
	// key says that it can be decoded without the frames before it.
	key bool
}

// Sound is a track of sound.
type Sound struct {
	// Index is the track's number among all of the file's, from 0.
	Index int
	// Codec is in ffmpeg's spelling, such as aac.
	Codec string
	// SampleRate is in Hz, Channels counts them; both as in the file.
	SampleRate, Channels int
	// Seconds is how long it plays, counted from its packets.
	Seconds float64
}
