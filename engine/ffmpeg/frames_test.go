package ffmpeg

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/raster"
)

// pixel is the colour at a place.
func pixel(m *raster.Image, x, y int) [3]int {
	row := m.Row(y)
	return [3]int{int(row[3*x]), int(row[3*x+1]), int(row[3*x+2])}
}

// requireColour demands a colour to the given tolerance a channel.
func requireColour(t *testing.T, want, got [3]int, slip float64, about string) {
	t.Helper()
	for k := range want {
		require.InDelta(t, want[k], got[k], slip, "%s: %v is not %v", about, got, want)
	}
}

// requireCounted demands that each frame of a Counter clip shows the number that its time says, at the given rate.
func requireCounted(t *testing.T, frames []Frame, rate float64) {
	t.Helper()
	for i, f := range frames {
		if i > 0 {
			require.Greater(t, f.T, frames[i-1].T)
		}
		number := int(math.Round(f.T * rate))
		require.Equal(t, number%24, clips.FrameOf(pixel(f.Image, f.Image.Width/2, f.Image.Height/2)[0]), "at %v s", f.T)
	}
}

func TestFramesAreWhatTheirTimesSay(t *testing.T) {
	t.Parallel()
	cases := map[string]clips.Spec{
		"key frames":      {Format: probe.MP4, Frames: 160, KeyEvery: 10},
		"one key frame":   {Format: probe.MP4, Frames: 60},
		"some key frames": {Format: probe.MP4, Frames: 60, KeyEvery: 12},
		"fragments":       {Format: probe.MP4, Frames: 80, KeyEvery: 10, Fragmented: true},
		"webm":            {Format: probe.WebM, Frames: 80, KeyEvery: 10},
		"webm with sound": {Format: probe.WebM, Frames: 60, Sound: clips.Tone},
		"webm, vp8":       {Format: probe.WebM, Video: clips.VP8, Frames: 80, KeyEvery: 10},
		"jpeg":            {Format: probe.MOV, Video: clips.MJPEG, PixelFormat: "yuvj422p", FullRange: true},
		"prores":          {Format: probe.MOV, Video: clips.ProRes, PixelFormat: "yuv422p10le"},
		"hevc":            {Format: probe.MP4, Video: clips.HEVC, Frames: 80, KeyEvery: 10},
		"av1":             {Format: probe.MP4, Video: clips.AV1, Frames: 20, KeyEvery: 2},
		"mpeg4":           {Format: probe.MP4, Video: clips.MPEG4, Frames: 80, KeyEvery: 10},
		"grey":            {Format: probe.MOV, Video: clips.PNG, PixelFormat: "gray"},
	}
	tool := newTool(t)
	for name, s := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Picture, s.Width, s.Height = clips.Counter, 64, 48
			clip := probed(t, tool, s)
			at := eighths(clip.Seconds)
			frames, err := tool.Frames(t.Context(), clip, at, 1000)
			require.NoError(t, err)
			require.Len(t, frames, 8)
			requireCounted(t, frames, 30)
			for i, f := range frames {
				require.Equal(t, []int{64, 48, 3, 64 * 48 * 3}, []int{f.Image.Width, f.Image.Height, f.Image.Channels, len(f.Image.Pix)})
				require.InDelta(t, at[i], f.T, clip.Seconds/8)
			}
		})
	}
}

func TestFewFramesAreAllRead(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, count := range []int{1, 3, 9} {
		clip := probed(t, tool, clips.Spec{Format: probe.MP4, Frames: count, Picture: clips.Counter})
		frames, err := tool.Frames(t.Context(), clip, eighths(clip.Seconds), 160)
		require.NoError(t, err)
		require.Len(t, frames, min(count, 8))
		requireCounted(t, frames, 30)
	}
}

func TestFramesOfAVariableRateAreReadAtTheirOwnTimes(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.MP4, Variable: true, Frames: 40, Picture: clips.Counter})
	frames, err := tool.Frames(t.Context(), clip, eighths(clip.Seconds), 160)
	require.NoError(t, err)
	require.Len(t, frames, 8)
	for _, f := range frames {
		number := math.Floor(f.T*30 + 0.1)
		require.Equal(t, int(number)%24, clips.FrameOf(pixel(f.Image, 80, 60)[0]), "at %v s", f.T)
	}
}

func TestFramesStandUpright(t *testing.T) {
	t.Parallel()
	red, green, blue, white := [3]int{255, 0, 0}, [3]int{0, 255, 0}, [3]int{0, 0, 255}, [3]int{255, 255, 255}
	// From the upper left, row by row.
	cases := map[int][4][3]int{
		0: {red, green, blue, white}, 90: {blue, red, white, green}, 180: {white, blue, green, red}, 270: {green, white, red, blue},
	}
	tool := newTool(t)
	for degrees, want := range cases {
		clip := probed(t, tool, clips.Spec{Format: probe.MP4, Picture: clips.Quarters, Rotation: degrees, Frames: 2, KeyEvery: 1})
		frames, err := tool.Frames(t.Context(), clip, []float64{0}, 4096)
		require.NoError(t, err)
		m := frames[0].Image
		require.Equal(t, []int{clip.Video.Width, clip.Video.Height}, []int{m.Width, m.Height})
		for i, place := range [][2]int{{1, 1}, {3, 1}, {1, 3}, {3, 3}} {
			requireColour(t, want[i], pixel(m, m.Width*place[0]/4, m.Height*place[1]/4), 4, fmt.Sprint(degrees, " degrees"))
		}
	}
}

func TestColoursSurviveEveryPixelFormat(t *testing.T) {
	t.Parallel()
	cases := map[string]clips.Spec{
		"4:2:0":             {Format: probe.MP4},
		"4:2:0, full range": {Format: probe.MP4, FullRange: true},
		"4:2:2, 10 bits":    {Format: probe.MP4, PixelFormat: "yuv422p10le"},
		"4:4:4":             {Format: probe.MP4, PixelFormat: "yuv444p"},
		"rgb":               {Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgb24"},
		"rgb, 16 bits":      {Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgb48be"},
		"rgb with alpha":    {Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgba"},
		"prores with alpha": {Format: probe.MOV, Video: clips.ProRes, PixelFormat: "yuva444p10le"},
		"vp9":               {Format: probe.WebM},
		"vp8 with alpha":    {Format: probe.WebM, Video: clips.VP8, PixelFormat: "yuva420p"},
	}
	tool := newTool(t)
	for name, s := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Picture, s.Frames = clips.Quarters, 2
			clip := probed(t, tool, s)
			frames, err := tool.Frames(t.Context(), clip, []float64{0}, 160)
			require.NoError(t, err)
			for i, want := range [][3]int{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}} {
				requireColour(t, want, pixel(frames[0].Image, 40+80*(i%2), 30+60*(i/2)), 6, name)
			}
		})
	}
}

func TestFramesAreScaledDownAndNeverUp(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.MP4, Width: 161, Height: 97, PixelFormat: "yuv444p", Frames: 2, Rotation: 90})
	for most, want := range map[int][2]int{8192: {97, 161}, 161: {97, 161}, 80: {48, 80}, 1: {1, 1}} {
		frames, err := tool.Frames(t.Context(), clip, []float64{0}, most)
		require.NoError(t, err)
		require.Equal(t, want, [2]int{frames[0].Image.Width, frames[0].Image.Height})
	}
}

func TestOddTimesAreTakenIntoTheClip(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.MP4, Picture: clips.Counter, KeyEvery: 3})
	frames, err := tool.Frames(t.Context(), clip, []float64{math.Inf(1), -4, math.NaN()}, 160)
	require.NoError(t, err)
	require.Len(t, frames, 3)
	requireCounted(t, frames, 30)
}

func TestWrongCallsAreRefused(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	sound := probed(t, tool, clips.Spec{Format: probe.WAV})
	_, err := tool.Frames(t.Context(), sound, []float64{0}, 160)
	require.ErrorIs(t, err, ErrNoVideo)
	clip := probed(t, tool, clips.Spec{Format: probe.MP4})
	_, err = tool.Frames(t.Context(), clip, nil, 160)
	require.ErrorContains(t, err, "0 times")
	_, err = tool.Frames(t.Context(), clip, make([]float64, 65), 160)
	require.ErrorContains(t, err, "65 times")
	_, err = tool.Frames(t.Context(), clip, []float64{0}, 0)
	require.ErrorContains(t, err, "maxSide")
}

// damage overwrites the packet of a key frame, found by its place in the file.
func damage(t *testing.T, file []byte, from, until float64) []byte {
	t.Helper()
	out := append([]byte{}, file...)
	for i := int(from * float64(len(out))); i < int(until*float64(len(out))); i++ {
		out[i] = 0xA5
	}
	return out
}

func TestDamagedFramesGiveWayToOthers(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	whole := clips.Make(t, clips.Spec{
		Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgb24", Frames: 60, Width: 64, Height: 48,
	})
	clip, err := tool.Probe(t.Context(), clips.Write(t, "clip.mov", damage(t, whole, 0.3, 0.5)), probe.MOV)
	require.NoError(t, err)
	frames, err := tool.Frames(t.Context(), clip, eighths(clip.Seconds), 160)
	require.NoError(t, err)
	require.Len(t, frames, 8)

	clip, err = tool.Probe(t.Context(), clips.Write(t, "clip.mov", damage(t, whole, 0.05, 0.95)), probe.MOV)
	require.NoError(t, err)
	clip.Video = &Video{Index: 0, CodedWidth: 64, CodedHeight: 48, Width: 64, Height: 48, shown: []moment{{0.9, true}, {1, true}}, Seconds: 2}
	_, err = tool.Frames(t.Context(), clip, eighths(clip.Seconds), 160)
	require.ErrorIs(t, err, ErrUndecodable)
}

// roleReport makes the test binary ffmpeg with a report of what it did beside the name by which it was called.
const roleReport = "reporting-ffmpeg"

var decoded = regexp.MustCompile(`(\d+) packets read \(\d+ bytes\); (\d+) frames decoded`)

func TestNoMoreFramesAreDecodedThanAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	reporting := filepath.Join(dir, roleReport)
	require.NoError(t, os.Symlink(self, reporting))
	tool := newTool(t, func(c *Config) { c.FFmpeg = reporting })
	for _, s := range []clips.Spec{
		{Format: probe.MP4, Frames: 240, KeyEvery: 20, Sound: clips.Tone},
		{Format: probe.WebM, Frames: 120, KeyEvery: 10},
		{Format: probe.MP4, Frames: 100, KeyEvery: 10, Fragmented: true},
	} {
		clip := probed(t, tool, s)
		frames, err := tool.Frames(t.Context(), clip, eighths(clip.Seconds), 160)
		require.NoError(t, err)
		require.Len(t, frames, 8)
		reports, err := filepath.Glob(filepath.Join(dir, "*.log"))
		require.NoError(t, err)
		require.Len(t, reports, 2, "one start finds the packets, one decodes them")
		packets, pictures := 0, 0
		for _, report := range reports {
			text, err := os.ReadFile(report)
			require.NoError(t, err)
			require.NoError(t, os.Remove(report))
			for _, m := range decoded.FindAllStringSubmatch(string(text), -1) {
				read, _ := strconv.Atoi(m[1])
				got, _ := strconv.Atoi(m[2])
				packets, pictures = packets+read, pictures+got
			}
		}
		require.Equal(t, []int{8, 8}, []int{packets, pictures})
	}
}
