package film

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/ffmpeg"
)

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	require.NoError(t, DefaultConfig().Validate())
	for name, spoil := range map[string]func(*Config){
		"MeanSSIM":      func(c *Config) { c.MeanSSIM = 1 },
		"WorstSSIM":     func(c *Config) { c.WorstSSIM = 0.99 },
		"BestCRF":       func(c *Config) { c.BestCRF = -1 },
		"LowestCRF":     func(c *Config) { c.LowestCRF = 52 },
		"Trials":        func(c *Config) { c.Trials = 0 },
		"Samples":       func(c *Config) { c.Samples = 17 },
		"SampleSeconds": func(c *Config) { c.SampleSeconds = 0 },
		"SamplePixels":  func(c *Config) { c.SamplePixels = 0 },
		"MaxSeconds":    func(c *Config) { c.MaxSeconds = 0 },
		"MaxFrames":     func(c *Config) { c.MaxFrames = 0 },
		"MaxPixels":     func(c *Config) { c.MaxPixels = 1 },
		"MaxSide":       func(c *Config) { c.MaxSide = 1 },
		"EncodeTime":    func(c *Config) { c.EncodeTime = 0 },
		"Threads":       func(c *Config) { c.Threads = 65 },
		"FinerChroma":   func(c *Config) { c.FinerChroma = 13 },
	} {
		cfg := DefaultConfig()
		spoil(&cfg)
		require.ErrorContains(t, cfg.Validate(), name)
		_, err := Encode(t.Context(), nil, ffmpeg.Clip{}, "", "", cfg, nil)
		require.ErrorContains(t, err, name)
	}
}

func rate(num, den int) ffmpeg.Rate { return ffmpeg.Rate{Num: num, Den: den} }

func TestTheRateIsTheSourcesOrTheNextThatHasRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		video    ffmpeg.Video
		expected ffmpeg.Rate
	}{
		{"constant", ffmpeg.Video{FPS: rate(30000, 1001), Seconds: 10}, rate(30000, 1001)},
		{"constant, not in lowest terms", ffmpeg.Video{FPS: rate(25000, 1000), Seconds: 10}, rate(25, 1)},
		{"constant and odd", ffmpeg.Video{FPS: rate(17, 1), Seconds: 10}, rate(17, 1)},
		{"constant and fast", ffmpeg.Video{FPS: rate(960, 1), Seconds: 1}, rate(960, 1)},
		{"a slide every ten seconds", ffmpeg.Video{FPS: rate(1, 10), Seconds: 100}, rate(1, 10)},
		{"one picture without a length", ffmpeg.Video{Frames: 1}, rate(25, 1)},
		{"a phone that skips", ffmpeg.Video{FPS: rate(29510, 1000), Seconds: 10, VariableRate: true}, rate(30000, 1001)},
		{"a phone in the dark", ffmpeg.Video{FPS: rate(26300, 1000), Seconds: 10, VariableRate: true}, rate(30000, 1001)},
		{"a recorded screen", ffmpeg.Video{FPS: rate(12300, 1000), Seconds: 10, VariableRate: true}, rate(15, 1)},
		{"hardly ever", ffmpeg.Video{FPS: rate(250, 1000), Seconds: 10, VariableRate: true}, rate(1, 1)},
		{"above all standards", ffmpeg.Video{FPS: rate(700, 1), Seconds: 1, VariableRate: true}, rate(700, 1)},
		{"more pictures than there may be", ffmpeg.Video{FPS: rate(65, 1), Seconds: 83, VariableRate: true}, rate(65, 1)},
	} {
		require.Equal(t, c.expected, outputRate(c.video, 5400), c.name)
	}
}

func video(w, h int) ffmpeg.Video {
	return ffmpeg.Video{
		Width: w, Height: h, CodedWidth: w, CodedHeight: h, FPS: rate(30, 1), Seconds: 60, Frames: 1800,
		Matrix: "bt709", Range: "tv", PixelFormat: "yuv420p",
	}
}

func TestSizesAreEvenAndNeverLarger(t *testing.T) {
	t.Parallel()
	turned := video(1080, 1920)
	turned.CodedWidth, turned.CodedHeight, turned.Rotation = 1920, 1080, 90
	anamorphic := video(1919, 1080)
	anamorphic.CodedWidth = 1440
	for _, c := range []struct {
		name          string
		video         ffmpeg.Video
		width, height int
		cropped       bool
	}{
		{"even", video(1920, 1080), 1920, 1080, false},
		{"odd", video(63, 49), 62, 48, true},
		{"turned", turned, 1080, 1920, false},
		{"pixels that are not square", anamorphic, 1918, 1080, false},
		{"one column", video(1, 40), 2, 40, false},
		{"8K", video(7680, 4320), 4096, 2304, false},
		{"a banner", video(16000, 90), 8192, 46, false},
	} {
		s := newStage(c.video, DefaultConfig())
		require.Equal(t, []int{c.width, c.height}, []int{s.width, s.height}, c.name)
		require.Equal(t, c.cropped, s.cropped(), c.name)
		require.Equal(t, c.cropped, strings.Contains(s.filters(), "crop="), c.name)
	}
}

func TestColoursOfTheOutputsKindAreLeftAlone(t *testing.T) {
	t.Parallel()
	plain := video(1280, 720)
	require.NotContains(t, newStage(plain, DefaultConfig()).ptr().filters(), "color_matrix")
	unnamed := plain
	unnamed.Matrix = ""
	require.NotContains(t, newStage(unnamed, DefaultConfig()).ptr().filters(), "color_matrix", "players take it for BT.709")
	small := video(640, 360)
	small.Matrix = ""
	require.Contains(t, newStage(small, DefaultConfig()).ptr().filters(), "in_color_matrix=smpte170m", "and this for BT.601")
	full := plain
	full.Range = "pc"
	require.Contains(t, newStage(full, DefaultConfig()).ptr().filters(), "out_range=tv:in_color_matrix=bt709:in_range=pc")
}

func (s stage) ptr() *stage { return &s }

func TestSamplesLieApartAndWithinTheClip(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig()
	at := func(v ffmpeg.Video) []span { return spans(v, newStage(v, cfg), cfg) }
	require.Equal(t, []span{{203, 45}, {653, 45}, {1103, 45}, {1553, 45}}, at(video(1280, 720)))
	tiny := video(160, 120)
	tiny.Seconds = 3
	require.Equal(t, []span{{0, 90}}, at(tiny), "a clip of their length is sampled whole")
	tiny.Seconds = 0.01
	require.Equal(t, []span{{0, 1}}, at(tiny))
	large := video(4096, 2160)
	for _, s := range at(large) {
		require.LessOrEqual(t, int64(s.frames)*4096*2160*4, cfg.SamplePixels)
	}
	var end int
	for _, s := range at(large) {
		require.Greater(t, s.from, end)
		end = s.from + s.frames
	}
	require.Less(t, end, large.Frames)
}

func TestPresetsGiveWayToTime(t *testing.T) {
	t.Parallel()
	require.Equal(t, "medium", presets[quickEnough(time.Minute, time.Minute)].name)
	require.Equal(t, "faster", presets[quickEnough(70*time.Second, time.Minute)].name)
	require.Equal(t, "veryfast", presets[quickEnough(2*time.Minute, time.Minute)].name)
	require.Equal(t, "ultrafast", presets[quickEnough(time.Hour, time.Minute)].name)
}

func TestPathsOfAllKindsCanStandInFilters(t *testing.T) {
	t.Parallel()
	require.Equal(t, `/tmp/a b/x.cube`, quoted("/tmp/a b/x.cube"))
	require.Equal(t, `/a\\:b\\\'c\,d\[e\]\;f\\\\g`, quoted(`/a:b'c,d[e];f\g`))
}
