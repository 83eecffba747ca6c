package film

import (
	"math"
	"strconv"
	"time"
)

// presets are x264's from the thorough to the quick one, each with the time that it takes of the first one's.
var presets = []struct {
	name string
	time float64
}{{"medium", 1}, {"faster", 0.77}, {"veryfast", 0.45}, {"superfast", 0.35}, {"ultrafast", 0.2}}

// quickEnough is the first preset that brings a time measured with presets[0] under the limit, or the quickest.
func quickEnough(measured, limit time.Duration) int {
	for i, p := range presets {
		if float64(measured)*p.time <= float64(limit) {
			return i
		}
	}
	return len(presets) - 1
}

// plainPreset and plainCRF are what ffmpeg takes when it is told nothing.
const (
	plainPreset = "medium"
	plainCRF    = 23
)

const (
	// keySeconds is the longest distance of key frames, to which players seek; x264's own is 250 pictures.
	keySeconds = 8
	minKeys    = 24
	maxKeys    = 600
	// largePixels is from where on x264 gets fewer pictures to look ahead and fewer threads, so that 4096 x 2304 stays
	// well below 2 GB. It stands between 2560 x 1440 and 3840 x 2160.
	largePixels  = 5_000_000
	largeAhead   = 16
	largeThreads = 3
)

// threads is how many work on pictures of a size.
func (w *work) threads(width, height int) int {
	if width*height > largePixels {
		return min(w.cfg.Threads, largeThreads)
	}
	return w.cfg.Threads
}

// source is the clip as an input of a long decode.
func (w *work) source() []string {
	v := w.clip.Video
	return withThreads(w.tool.Input(w.clip), w.threads(v.CodedWidth, v.CodedHeight))
}

// keyEvery is the longest distance of key frames in pictures.
func (w *work) keyEvery() int {
	return min(max(int(math.Round(keySeconds*w.stage.rate.Float())), minKeys), maxKeys)
}

// x264 are the options that code pictures at a quality.
func (w *work) x264(preset string, crf float64) []string {
	args := append([]string{"-profile:v", "high", "-x264-params", tuning}, w.common(preset)...)
	return append(args, "-crf", number(crf))
}

// plain are the options of an encoder that is told nothing but where its limits are.
func (w *work) plain() []string {
	return append(w.common(plainPreset), "-crf", number(plainCRF))
}

// tuning is where the encoder differs from its preset. psy=0: x264 else spends bytes on grain of its own making, which
// looks crisp and is not what the source showed. At equal likeness that takes 5 to 13 % more by SSIM, 3 to 5 % by
// SSIMULACRA2.
const tuning = "psy=0"

// common are the options that all coded pictures have.
func (w *work) common(preset string) []string {
	args := []string{
		"-c:v", "libx264", "-preset", preset, "-g", strconv.Itoa(w.keyEvery()), "-pix_fmt", pixelFormat,
		"-flags:v", "+bitexact",
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
	}
	if preset == presets[0].name && w.stage.width*w.stage.height > largePixels {
		args = append(args, "-rc-lookahead", strconv.Itoa(largeAhead))
	}
	return append(args, "-threads", strconv.Itoa(w.threads(w.stage.width, w.stage.height)))
}

// lossless are the options that code pictures without any loss, quickly.
func (w *work) lossless() []string {
	return []string{
		"-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", pixelFormat, "-threads",
		strconv.Itoa(w.threads(w.stage.width, w.stage.height)),
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
