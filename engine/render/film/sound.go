package film

import (
	"slices"
	"strconv"

	"veracity/engine/ffmpeg"
)

// SoundMode says where the output's sound comes from.
type SoundMode string

const (
	// NoSound is a source without a sound track that can be decoded. A silent track is a track.
	NoSound SoundMode = "none"
	// CopiedSound is the source's own AAC-LC, packet by packet.
	CopiedSound SoundMode = "copied"
	// EncodedSound was coded anew as AAC-LC.
	EncodedSound SoundMode = "encoded"
)

const (
	// maxCopiedRate is the highest bit rate of AAC-LC that is copied; above it coding anew saves something.
	maxCopiedRate = 160_000
	stereoRate    = 128_000
	monoRate      = 64_000
	maxSampleRate = 48_000
)

// sampleRates are those at which AAC is coded, in Hz; others become 48,000.
var sampleRates = []int{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000}

// sound is what becomes of a clip's sound.
type sound struct {
	mode  SoundMode
	track string
	// channels and rate are those of the output.
	channels, rate int
}

// newSound decides by the clip and by its AAC track as it was copied into MP4, nil when it was not.
func newSound(s *ffmpeg.Sound, copied *track) sound {
	if s == nil {
		return sound{mode: NoSound}
	}
	out := sound{mode: EncodedSound, track: "0:" + strconv.Itoa(s.Index), channels: min(s.Channels, 2), rate: maxSampleRate}
	if slices.Contains(sampleRates, s.SampleRate) {
		out.rate = s.SampleRate
	}
	if copied != nil && s.Seconds > 0 && plainAAC(copied.config) && float64(copied.bytes)*8 <= maxCopiedRate*s.Seconds {
		out.mode = CopiedSound
	}
	return out
}

// mayCopy says whether a sound track could be copied, before its bytes are known.
func mayCopy(s *ffmpeg.Sound) bool {
	return s != nil && s.Codec == "aac" && s.Channels >= 1 && s.Channels <= 2 && slices.Contains(sampleRates, s.SampleRate)
}

// arguments are the options that put the sound into an output, whose picture was mapped before. Gaps in the source's
// times become silence, so that sound and picture stay together.
func (s sound) arguments() []string {
	switch s.mode {
	case NoSound:
		return []string{"-an"}
	case CopiedSound:
		return []string{"-map", s.track, "-c:a", "copy"}
	case EncodedSound:
	}
	rate := stereoRate
	if s.channels == 1 {
		rate = monoRate
	}
	return []string{
		"-map", s.track, "-c:a", "aac", "-profile:a", "aac_low", "-b:a", strconv.Itoa(rate), "-ac", strconv.Itoa(s.channels),
		"-ar", strconv.Itoa(s.rate), "-af", "aresample=async=1:first_pts=0", "-flags:a", "+bitexact",
	}
}

// Tags of the descriptors in an esds box (ISO/IEC 14496-1, 7.2.6).
const (
	tagES       = 3
	tagDecoder  = 4
	tagSpecific = 5
)

// plainAAC says whether an esds box holds AAC-LC and nothing on top of it (ISO/IEC 14496-3, 1.6.2.1: object type 2, and no
// spectral band replication that is announced).
func plainAAC(esds []byte) bool {
	if len(esds) < 4 {
		return false
	}
	_, es := descriptor(esds[4:], tagES)
	if len(es) < 3 {
		return false
	}
	skip := 3
	if flags := es[2]; flags&0x80 != 0 {
		skip += 2
	} else if flags&0x60 != 0 {
		return false // A URL or a clock of its own: no file of ours has one.
	}
	const decoderHead = 13
	if len(es) < skip {
		return false
	}
	object, decoder := descriptor(es[skip:], tagDecoder)
	if object != 0x40 || len(decoder) < decoderHead {
		return false
	}
	_, specific := descriptor(decoder[decoderHead:], tagSpecific)
	b := &bits{data: specific}
	const lowComplexity, syncExtension, spectralBand = 2, 0x2b7, 5
	if b.read(5) != lowComplexity || b.read(4) == 15 || b.read(4) > 2 || b.broken {
		return false
	}
	b.read(3) // GASpecificConfig of AAC-LC
	if b.read(11) == syncExtension && b.read(5) == spectralBand {
		return b.read(1) == 0
	}
	return true
}

// descriptor gives the body of the descriptor that b begins with and the body's first byte, or nothing when it has another
// tag.
func descriptor(b []byte, tag byte) (first byte, body []byte) {
	if len(b) == 0 || b[0] != tag {
		return 0, nil
	}
	size := 0
	for i, c := range b[1:min(len(b), 5)] {
		size = size<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			rest := b[2+i:]
			if size == 0 || size > len(rest) {
				return 0, nil
			}
			return rest[0], rest[:size]
		}
	}
	return 0, nil
}
