package ffmpeg

import (
	"fmt"
	"strconv"
	"strings"

	"veracity/engine/probe"
)

// demuxers are the only readers of containers that each format may meet. One is named outright, so that a playlist or a
// script under a video's name is a damaged video and nothing more.
var demuxers = map[probe.Format]string{
	probe.MP4: "mov", probe.MOV: "mov", probe.M4A: "mov", probe.WebM: "matroska", probe.MP3: "mp3", probe.WAV: "wav",
}

// between is the container in which coded pictures pass from one ffmpeg to the next.
const between = "matroska"

// decoders may be opened. It lists what cameras, phones, editors and generators put into MP4, MOV, WebM, MP3, WAV and
// M4A, by the names that libavcodec has had for them; those that a build lacks do no harm. ffprobe opens the decoder of
// every track, so that texts beside the picture are listed too.
var decoders = strings.Join([]string{
	// Video of today, and of cameras and editors.
	"h264", "hevc", "vp8", "vp9", "libvpx", "libvpx-vp9", "av1", "libdav1d", "libaom-av1", "mpeg4", "h263", "mpeg1video",
	"mpeg2video", "mjpeg", "prores", "dnxhd", "cfhd", "dvvideo", "png", "qtrle", "jpeg2000", "libopenjpeg", "rawvideo",
	"v210", "yuv4", "svq1", "svq3", "bmp",
	// Sound.
	"aac", "aac_fixed", "aac_latm", "ac3", "ac3_fixed", "eac3", "alac", "dca", "flac", "mp1", "mp1float", "mp2", "mp2float",
	"mp3", "mp3float", "opus", "libopus", "vorbis", "libvorbis", "amrnb", "amrwb", "libopencore_amrnb", "libopencore_amrwb",
	"adpcm_ms", "adpcm_ima_wav", "adpcm_ima_qt", "gsm", "gsm_ms", "libgsm", "libgsm_ms", "qdm2", "mace3", "mace6",
	"pcm_alaw", "pcm_mulaw", "pcm_u8", "pcm_s8", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le",
	"pcm_s32be", "pcm_f32le", "pcm_f32be", "pcm_f64le", "pcm_f64be",
	// Texts.
	"mov_text", "webvtt", "cc_dec",
}, ",")

// Bounds on what a header may ask for.
const (
	maxStreams = 64
	// maxBlock is the largest block of memory that is allocated at once: an 8K picture of 16 bits and four channels fits.
	maxBlock = 512 << 20
)

// leading are the options before all others: no questions, no terminal, no chatter.
func leading() []string {
	return []string{
		"-nostdin", "-hide_banner", "-loglevel", "error", "-max_alloc", strconv.Itoa(maxBlock),
	}
}

// guarded are the options of one input: through which protocol it is read, and what may read it.
func (t *Tool) guarded(protocol, demuxer string) []string {
	options := []string{
		"-protocol_whitelist", protocol, "-format_whitelist", demuxer, "-codec_whitelist", decoders,
		"-max_pixels", strconv.FormatInt(t.cfg.MaxPixels, 10), "-max_streams", strconv.Itoa(maxStreams), "-f", demuxer,
	}
	if demuxer == "mov" {
		// References to media in other files stay unread.
		options = append(options, "-enable_drefs", "0", "-use_absolute_path", "0")
	}
	return options
}

// fileInput is path as an input, with its options but for the number of threads.
func (t *Tool) fileInput(path string, format probe.Format) ([]string, error) {
	demuxer, known := demuxers[format]
	if !known {
		return nil, fmt.Errorf("%w: %s is no video or sound", ErrUndecodable, format.Name())
	}
	return append(t.guarded("file", demuxer), "-i", "file:"+path), nil
}

// Input gives the options that read a clip, for [Tool.Run]: its last is the file. Options before it, such as -ss, hold for
// it too.
func (t *Tool) Input(clip Clip) []string {
	input, err := t.fileInput(clip.Path, clip.Format)
	if err != nil {
		// A Clip comes from Probe, which takes known formats alone; ffmpeg says so of any other.
		return []string{"-protocol_whitelist", "file", "-format_whitelist", "mov", "-i", "file:" + clip.Path}
	}
	return append([]string{"-threads", strconv.Itoa(t.cfg.Threads)}, input...)
}
