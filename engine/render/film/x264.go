package film

import (
	"math"
	"strconv"
	"strings"
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
	// Large pictures get fewer threads and fewer pictures to look ahead: each costs x264 or a decoder 25 to 140 MB there.
	// So the whole encode of 4096 x 2304 with high dynamic range takes 1.6 GB of private memory, below the 2 GB that a
	// program of the engine may have. largePixels stands between 2560 x 1440 and 3840 x 2160, hugePixels between that and
	// 7680 x 4320.
	largePixels, hugePixels   = 5_000_000, 20_000_000
	largeThreads, hugeThreads = 2, 1
	largeAhead                = 12
)

// threads is how many work on pictures of a size.
func (w *work) threads(width, height int) int {
	switch pixels := width * height; {
	case pixels > hugePixels:
		return hugeThreads
	case pixels > largePixels:
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

// tuning is where the encoder differs from its preset. psy=0: x264 else spends bytes on grain of its own making, which
// looks crisp and is not what the source showed. At equal likeness that takes 5 to 13 % more by SSIM, 3 to 5 % by
// SSIMULACRA2.
const tuning = "psy=0"

// x264 are the options that code pictures at a quality.
func (w *work) x264(preset string, crf float64) []string {
	params := []string{tuning}
	if w.cfg.FinerChroma > 0 {
		params = append(params, "chroma-qp-offset=-"+strconv.Itoa(w.cfg.FinerChroma))
	}
	return append(w.coder(preset, crf, params...), "-profile:v", "high")
}

// plain are the options of an encoder that is told nothing but where its limits are.
func (w *work) plain() []string { return w.coder(plainPreset, plainCRF) }

func (w *work) coder(preset string, crf float64, params ...string) []string {
	width, height := w.stage.width, w.stage.height
	if width*height > largePixels {
		params = append(params, "sync-lookahead=0")
		if preset == presets[0].name || preset == presets[1].name {
			params = append(params, "rc-lookahead="+strconv.Itoa(largeAhead))
		}
	}
	args := []string{
		"-c:v", "libx264", "-preset", preset, "-crf", number(crf), "-g", strconv.Itoa(w.keyEvery()), "-pix_fmt", pixelFormat,
		"-flags:v", "+bitexact", "-threads", strconv.Itoa(w.threads(width, height)),
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
	}
	if len(params) > 0 {
		args = append(args, "-x264-params", strings.Join(params, ":"))
	}
	return args
}

// lossless are the options that code pictures without any loss, quickly.
func (w *work) lossless() []string {
	return []string{"-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", pixelFormat, "-threads", "1"}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
