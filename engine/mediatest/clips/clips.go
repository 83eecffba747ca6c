// Package clips makes small real videos and voice clips for tests, through the ffmpeg program with its encoders. Pictures
// are drawn in Go, so that a test knows what each frame shows. Nothing here may be linked into the product. A test that
// needs a clip fails where ffmpeg is missing.
package clips

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"veracity/engine"
	"veracity/engine/probe"
)

// Spec describes a clip. Its zero values are the usual thing: Spec{Format: probe.MP4} is one second of H.264 at 160 x 120
// and 30 frames a second without sound, Spec{Format: probe.WAV} one second of a tone. Equal Specs give equal bytes on one
// machine.
type Spec struct {
	// Format is one of probe.MP4, MOV, WebM, MP3, WAV and M4A; the latter three hold no picture.
	Format probe.Format

	// Video is the encoder, the format's usual one when empty, or NoVideo.
	Video VideoCodec
	// Picture is what the frames show; Moving when empty.
	Picture Picture
	// Width and Height are in coded pixels: 160 x 120 when 0.
	Width, Height int
	// Frames is how many there are, 30 when 0. FPS is how many a second, as a number or a fraction, "30" when empty.
	Frames int
	FPS    string
	// KeyEvery is the distance of key frames, 250 when 0.
	KeyEvery int
	// CRF is the encoder's quality, its own usual one when 0.
	CRF int
	// PixelFormat is in ffmpeg's spelling, yuv420p when empty, or yuv420p10le with HDR.
	PixelFormat string
	// HDR tags the picture as BT.2020 with this transfer curve. What Go drew is then taken for such code values.
	HDR Transfer
	// FullRange codes levels from 0 to 255 in place of 16 to 235; PNG always does.
	FullRange bool
	// PixelAspect is the shape of a pixel, such as "4:3"; square when empty.
	PixelAspect string
	// Rotation says by how many degrees the coded picture must be turned clockwise to stand upright: 0, 90, 180 or 270. MP4
	// and MOV alone hold it.
	Rotation int
	// Variable shows each second frame half a frame's time late.
	Variable bool

	// Sound is what is heard: nothing when empty, but a tone in MP3, WAV and M4A.
	Sound Sound
	// SoundCodec is the encoder, the format's usual one when empty.
	SoundCodec SoundCodec
	// SampleRate is in Hz, 48,000 when 0; Channels is 1 when 0.
	SampleRate, Channels int
	// Seconds is the sound's length: the picture's when 0, or one second without a picture.
	Seconds float64

	// Fragmented writes MP4 and MOV as fragments of one key frame each. Else Faststart puts the index before the media.
	Fragmented, Faststart bool
	// Cover adds a still cover picture (MP4, M4A, MP3).
	Cover bool
	// DecoyVideo puts a track of another, blue picture of half the size before the real one, which has the default mark.
	DecoyVideo bool
	// DecoySound puts a track with a tone of 880 Hz before the real one, which has the default mark.
	DecoySound bool
	// Tags are lines of key=value for the file's metadata. Keys writes them as QuickTime keys (mdta) in MP4 and MOV.
	Tags string
	Keys bool
}

// VideoCodec is a video encoder of ffmpeg's.
type VideoCodec string

// Video encoders.
const (
	NoVideo VideoCodec = "none"
	H264    VideoCodec = "libx264"
	HEVC    VideoCodec = "libx265"
	VP8     VideoCodec = "libvpx"
	VP9     VideoCodec = "libvpx-vp9"
	AV1     VideoCodec = "libaom-av1"
	MPEG4   VideoCodec = "mpeg4"
	MJPEG   VideoCodec = "mjpeg"
	ProRes  VideoCodec = "prores_ks"
	PNG     VideoCodec = "png"
)

// SoundCodec is a sound encoder of ffmpeg's.
type SoundCodec string

// Sound encoders.
const (
	AAC    SoundCodec = "aac"
	ALAC   SoundCodec = "alac"
	FLAC   SoundCodec = "flac"
	LAME   SoundCodec = "libmp3lame"
	Opus   SoundCodec = "libopus"
	PCM    SoundCodec = "pcm_s16le"
	PCM24  SoundCodec = "pcm_s24le"
	Vorbis SoundCodec = "libvorbis"
)

// Transfer is the curve of a picture with high dynamic range, in ffmpeg's spelling.
type Transfer string

// Transfer curves (ITU-R BT.2100).
const (
	PQ  Transfer = "smpte2084"
	HLG Transfer = "arib-std-b67"
)

// Sound is what a clip lets hear.
type Sound string

// Sounds.
const (
	NoSound Sound = ""
	// Tone is a sine of 440 Hz.
	Tone Sound = "tone"
	// Silence is digital zero.
	Silence Sound = "silence"
	// Speech is a synthetic voice that reads English sentences; it says the same again until the clip ends.
	Speech Sound = "speech"
	// Noise is soft pink noise.
	Noise Sound = "noise"
)

// made holds the clips of this process, each made once.
var made sync.Map

type outcome struct {
	bytes []byte
	err   error
}

// Make gives the clip's bytes, which the caller must not change.
func Make(tb testing.TB, s Spec) []byte {
	tb.Helper()
	s = s.withDefaults()
	once, _ := made.LoadOrStore(s, sync.OnceValue(func() outcome {
		bytes, err := encode(s)
		return outcome{bytes, err}
	}))
	got := once.(func() outcome)()
	if got.err != nil {
		tb.Fatalf("make %s clip: %v", s.Format.Name(), got.err)
	}
	return got.bytes
}

// File writes the clip into a folder of the test's own and gives its path. Its name ends as the format's files do.
func File(tb testing.TB, s Spec) string {
	tb.Helper()
	return Write(tb, "clip."+string(s.Format), Make(tb, s))
}

// Write puts bytes into a new folder of the test's own under the given name and gives the path.
func Write(tb testing.TB, name string, bytes []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		tb.Fatalf("write clip: %v", err)
	}
	return path
}

func (s Spec) withDefaults() Spec {
	if s.Format.Media() == engine.Audio {
		s.Video = NoVideo
	}
	if s.Video == "" {
		s.Video = H264
		if s.Format == probe.WebM {
			s.Video = VP9
		}
	}
	if s.Video == NoVideo && s.Sound == NoSound {
		s.Sound = Tone
	}
	s.Picture = orElse(s.Picture, Moving)
	s.Width, s.Height = orElse(s.Width, 160), orElse(s.Height, 120)
	s.Frames, s.FPS, s.KeyEvery = orElse(s.Frames, 30), orElse(s.FPS, "30"), orElse(s.KeyEvery, 250)
	s.SampleRate, s.Channels = orElse(s.SampleRate, 48_000), orElse(s.Channels, 1)
	if s.PixelFormat == "" {
		s.PixelFormat = "yuv420p"
		if s.HDR != "" {
			s.PixelFormat = "yuv420p10le"
		}
	}
	if s.SoundCodec == "" {
		s.SoundCodec = map[probe.Format]SoundCodec{
			probe.MP4: AAC, probe.MOV: AAC, probe.M4A: AAC, probe.WebM: Opus, probe.MP3: LAME, probe.WAV: PCM,
		}[s.Format]
	}
	return s
}

func orElse[T comparable](value, usual T) T {
	var zero T
	if value == zero {
		return usual
	}
	return value
}
