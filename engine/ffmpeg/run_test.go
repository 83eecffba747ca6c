package ffmpeg

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

func TestRunEncodesAClipAndTellsItsProgress(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.WebM, Frames: 20, Sound: clips.Tone})
	out := filepath.Join(t.TempDir(), "out.mp4")
	require.NoError(t, os.WriteFile(out, []byte("old"), 0o600))
	var last float64
	args := append(tool.Input(clip), "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", out)
	require.NoError(t, tool.Run(t.Context(), args, func(s float64) { last = s }))
	require.InDelta(t, clip.Seconds, last, 0.1)
	made, err := tool.Probe(t.Context(), out, probe.MP4)
	require.NoError(t, err)
	require.Equal(t, []any{"h264", 20, "aac"}, []any{made.Video.Codec, made.Video.Frames, made.Sound.Codec})
}

func TestAFailedRunSaysWhy(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := Clip{Path: filepath.Join(t.TempDir(), "missing.mp4"), Format: probe.MP4}
	err := tool.Run(t.Context(), append(tool.Input(clip), "-f", "null", "-"), nil)
	require.ErrorContains(t, err, "No such file or directory")
	require.NotErrorIs(t, err, ErrUndecodable)
}

func TestInputsAreGuarded(t *testing.T) {
	t.Parallel()
	tool := newTool(t, func(c *Config) { c.Threads = 3 })
	for format, demuxer := range demuxers {
		input := tool.Input(Clip{Path: "/scratch/-i odd:name", Format: format})
		text := strings.Join(input, " ")
		require.Equal(t, "file:/scratch/-i odd:name", input[len(input)-1])
		for _, part := range []string{
			"-threads 3 ", "-protocol_whitelist file ", "-format_whitelist " + demuxer + " ", "-f " + demuxer + " ", "-codec_whitelist h264,",
			"-max_pixels 35389440 ",
		} {
			require.Contains(t, text, part)
		}
	}
	// What Probe never took is not opened by anything but the strictest reader.
	require.Contains(t, strings.Join(tool.Input(Clip{Path: "/x"}), " "), "-format_whitelist mov -i file:/x")
}

func TestProgressIsReadFromItsLines(t *testing.T) {
	t.Parallel()
	var told []float64
	read := readProgress(func(s float64) { told = append(told, s) })
	text := "frame=1\nout_time_us=N/A\nout_time_us=-5\nout_time_us=1500000\nprogress=continue\nout_time_us=2000000\n"
	require.NoError(t, read(strings.NewReader(text)))
	require.Equal(t, []float64{1.5, 2}, told)
	require.Error(t, read(strings.NewReader(strings.Repeat("x", 1<<20))))
}
