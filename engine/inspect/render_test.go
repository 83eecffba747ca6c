package inspect

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

func TestRenderWritesWhatItAnswers(t *testing.T) {
	t.Parallel()
	for media, data := range map[engine.Media][]byte{
		engine.Image: mediatest.JPEG(t, 64, 48),
		engine.Video: clips.Make(t, clips.Spec{Format: probe.MOV, Rotation: 90, Sound: clips.Tone}),
	} {
		t.Run(string(media), func(t *testing.T) {
			t.Parallel()
			job := jobOnBytes(t, media, data)
			out, err := shared.Render(t.Context(), job)
			require.NoError(t, err)
			written, err := os.ReadFile(job.Out)
			require.NoError(t, err)
			require.EqualValues(t, out.Bytes, len(written))
		})
	}
}

func TestRenderKeepsWhatTheCheckSays(t *testing.T) {
	t.Parallel()
	job := jobOnBytes(t, engine.Image, labelled(t))
	_, err := shared.Render(t.Context(), job)
	require.NoError(t, err)
	png, err := os.ReadFile(job.Out)
	require.NoError(t, err)
	report, err := shared.Inspect(t.Context(), png)
	require.NoError(t, err)
	require.Equal(t, engine.AI, report.Verdict)

	job = jobOn(t, engine.Video, clips.File(t, clips.Spec{Format: probe.MP4, Tags: label, Keys: true}))
	_, err = shared.Render(t.Context(), job)
	require.NoError(t, err)
	report, err = shared.InspectClip(t.Context(), jobOn(t, engine.Video, job.Out))
	require.NoError(t, err)
	require.Equal(t, engine.AI, report.Verdict)
}

func TestRenderRefusesWhatIsNoImageAndNoVideo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		media engine.Media
		data  []byte
		want  fault.Code
	}{
		{engine.Image, nil, fault.InvalidImage},
		{engine.Image, bytes.Repeat([]byte("x"), engine.MaxImageBytes+1), fault.ImageTooLarge},
		{engine.Video, mediatest.WAV(1), fault.VideoUnsupported},
	} {
		job := jobOnBytes(t, c.media, c.data)
		_, err := shared.Render(t.Context(), job)
		require.Equal(t, c.want, fault.CodeOf(err), "%v", err)
		require.NoFileExists(t, job.Out)
	}
}
