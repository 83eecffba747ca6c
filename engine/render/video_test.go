package render_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/ffmpeg"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/provenance"
	"veracity/engine/render"
	"veracity/platform/fault"
)

const label = `AIGC={"Label":"1","ContentProducer":"maker"}`

func tool(t *testing.T) *ffmpeg.Tool {
	t.Helper()
	tl, err := ffmpeg.New(ffmpeg.DefaultConfig())
	require.NoError(t, err)
	return tl
}

// jobOn is a job in a folder of its own.
func jobOn(t *testing.T, source []byte) render.Job {
	t.Helper()
	dir := t.TempDir()
	job := render.Job{Path: filepath.Join(dir, "source"), Dir: dir, Out: filepath.Join(dir, "out.mp4"), MaxSeconds: engine.MaxClipSeconds}
	require.NoError(t, os.WriteFile(job.Path, source, 0o600))
	return job
}

func readClip(t *testing.T, data []byte) provenance.Report {
	t.Helper()
	return provenance.ReadClip(bytes.NewReader(data), int64(len(data)), probe.Sniff(data[:min(len(data), probe.HeadBytes)]))
}

func TestAVideoOfAnyFormatBecomesAnMP4ThatSaysTheSame(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]clips.Spec{
		"MP4":         {Format: probe.MP4, Frames: 20, Sound: clips.Tone, Tags: label, Keys: true},
		"MOV, turned": {Format: probe.MOV, Frames: 20, Rotation: 90, Tags: label, Keys: true},
		"WebM":        {Format: probe.WebM, Frames: 20, Tags: label},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := clips.Make(t, spec)
			job := jobOn(t, source)
			var told steps
			job.Progress = told.tell
			out, err := render.Video(t.Context(), tool(t), job)
			require.NoError(t, err)
			told.requireWhole(t)
			file, err := os.ReadFile(job.Out)
			require.NoError(t, err)
			require.Equal(t, engine.AI, readClip(t, source).Verdict)
			require.Equal(t, readClip(t, source).Lane(), readClip(t, file).Lane())
			require.EqualValues(t, len(file), out.Bytes)
			require.Equal(t, "video/mp4", out.ContentType)

			clip, err := tool(t).Probe(t.Context(), job.Out, probe.MP4)
			require.NoError(t, err)
			require.Equal(t, []int{clip.Video.Width, clip.Video.Height}, []int{out.Width, out.Height})
			require.Equal(t, clip.Video.Frames, out.Video.Frames)
			require.InDelta(t, clip.Seconds, out.Video.Seconds, 0.05)
			require.Equal(t, "h264", out.Video.Codec)
			require.EqualValues(t, len(source), out.Video.SourceBytes)
			require.Equal(t, out.Bytes, out.Video.Bytes)
			detail := out.Detail.(render.Detail)
			require.Equal(t, []string{"AIGC"}, detail.Carried)
			require.Equal(t, engine.ZoneOf(out.Score.Score), out.Score.Zone)
			if detail.LargerThanSource {
				require.Less(t, out.Score.Score, 80)
			}
		})
	}
}

func TestWhatIsNoVideoIsRefused(t *testing.T) {
	t.Parallel()
	whole := clips.Make(t, clips.Spec{Format: probe.MP4, Frames: 20})
	for name, tt := range map[string]struct {
		source []byte
		max    float64
		want   fault.Code
	}{
		"a voice clip":   {mediatest.WAV(1), 180, fault.VideoUnsupported},
		"an image":       {mediatest.JPEG(t, 8, 8), 180, fault.VideoUnsupported},
		"a head alone":   {mediatest.MP4Head(), 180, fault.VideoUnsupported},
		"sound in MP4":   {clips.Make(t, clips.Spec{Format: probe.MP4, Video: clips.NoVideo, Sound: clips.Tone}), 180, fault.VideoUnsupported},
		"nothing":        {nil, 180, fault.VideoUnsupported},
		"past its time":  {whole, 0.3, fault.VideoTooLong},
		"within the sum": {whole, 20.0 / 30, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := jobOn(t, tt.source)
			job.MaxSeconds = tt.max
			_, err := render.Video(t.Context(), tool(t), job)
			require.Equal(t, tt.want, fault.CodeOf(err), "%v", err)
			if tt.want != "" {
				require.NoFileExists(t, job.Out)
			}
		})
	}
}

func TestAVideoEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := render.Video(ctx, tool(t), jobOn(t, clips.Make(t, clips.Spec{Format: probe.MP4, Frames: 20})))
	require.ErrorIs(t, err, context.Canceled)
	require.NotEqual(t, fault.VideoUnsupported, fault.CodeOf(err))
}
