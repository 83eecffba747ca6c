package inspect

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/render"
	"veracity/engine/serve"
	"veracity/platform/fault"
)

// jobOn is a job on the file at path that takes clips of the greatest length.
func jobOn(t *testing.T, media engine.Media, path string) serve.Job {
	t.Helper()
	dir := t.TempDir()
	return serve.Job{
		Media: media, Path: path, Dir: dir, Out: filepath.Join(dir, "out"),
		MaxSeconds: engine.MaxClipSeconds, Progress: func(float64) {},
	}
}

func jobOnBytes(t *testing.T, media engine.Media, data []byte) serve.Job {
	t.Helper()
	return jobOn(t, media, clips.Write(t, "source", data))
}

// label is the mark that Chinese law asks of generated media (TC260).
const label = `AIGC={"Label":"1","ContentProducer":"001191110108MA01KP2T5U00000","ProduceID":"7351"}`

func TestProvenanceOfAClipDecides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		media engine.Media
		spec  clips.Spec
	}{
		{engine.Video, clips.Spec{Format: probe.MP4, Tags: label, Keys: true}},
		{engine.Audio, clips.Spec{Format: probe.MP3, Tags: label}},
	} {
		t.Run(c.spec.Format.Name(), func(t *testing.T) {
			t.Parallel()
			report, err := shared.InspectClip(t.Context(), jobOn(t, c.media, clips.File(t, c.spec)))
			require.NoError(t, err)
			require.Equal(t, engine.AI, report.Lanes.Provenance.Verdict)
			require.Equal(t, engine.AI, report.Verdict)
			require.Equal(t, engine.ByProvenance, report.DecidedBy)
			require.Equal(t, 98, *report.Score)
			require.NotNil(t, report.Detail.Provenance)
		})
	}
}

func TestFilesOfAnotherKindAreRefusedWithTheirReason(t *testing.T) {
	t.Parallel()
	whole := clips.Make(t, clips.Spec{Format: probe.MP4, Sound: clips.Tone})
	soundOnly := clips.Make(t, clips.Spec{Format: probe.MP4, Video: clips.NoVideo})
	cases := map[string]struct {
		media engine.Media
		data  []byte
		want  fault.Code
		says  string
	}{
		"an image as video":     {engine.Video, mediatest.JPEG(t, 64, 48), fault.VideoUnsupported, "JPEG"},
		"text as video":         {engine.Video, []byte("no video"), fault.VideoUnsupported, "unknown format"},
		"a clip as video":       {engine.Video, mediatest.WAV(1), fault.VideoUnsupported, "WAV"},
		"MP4 of sound as video": {engine.Video, soundOnly, fault.VideoUnsupported, "no picture"},
		"a header as video":     {engine.Video, mediatest.MP4Head(), fault.VideoUnsupported, "MP4"},
		"a cut video":           {engine.Video, whole[:len(whole)/3], fault.VideoUnsupported, "MP4"},
		"an image as voice":     {engine.Audio, mediatest.JPEG(t, 64, 48), fault.AudioUnsupported, "JPEG"},
		"a video as voice":      {engine.Audio, whole, fault.AudioUnsupported, "video_url"},
		"WebM as voice":         {engine.Audio, clips.Make(t, clips.Spec{Format: probe.WebM}), fault.AudioUnsupported, "WebM"},
		"a header as voice":     {engine.Audio, mediatest.M4AHead(), fault.AudioUnsupported, "WAV"},
		"no samples as voice":   {engine.Audio, mediatest.WAV(0), fault.AudioUnsupported, "WAV"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := shared.InspectClip(t.Context(), jobOnBytes(t, c.media, c.data))
			require.Equal(t, c.want, fault.CodeOf(err), "%v", err)
			require.Contains(t, fault.From(err).Message, c.says)
		})
	}
}

func TestAnMP4OfSoundAloneIsAVoiceClip(t *testing.T) {
	t.Parallel()
	spec := clips.Spec{Format: probe.MP4, Video: clips.NoVideo, Seconds: 2}
	report, err := shared.InspectClip(t.Context(), jobOn(t, engine.Audio, clips.File(t, spec)))
	require.NoError(t, err)
	require.NotNil(t, report.Audio)
}

func TestACoverPictureIsNoVideo(t *testing.T) {
	t.Parallel()
	spec := clips.Spec{Format: probe.MP3, Cover: true}
	report, err := shared.InspectClip(t.Context(), jobOn(t, engine.Audio, clips.File(t, spec)))
	require.NoError(t, err)
	require.Equal(t, "mp3", report.Audio.Codec)
}

func TestClipsThatAreTooLongTellHowLong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		media engine.Media
		spec  clips.Spec
		want  fault.Code
	}{
		{engine.Video, clips.Spec{Format: probe.MP4, Frames: 60}, fault.VideoTooLong},
		{engine.Video, clips.Spec{Format: probe.WebM, Frames: 60}, fault.VideoTooLong},
		{engine.Audio, clips.Spec{Format: probe.WAV, Seconds: 2}, fault.AudioTooLong},
		{engine.Audio, clips.Spec{Format: probe.MP3, Seconds: 2}, fault.AudioTooLong},
	} {
		t.Run(c.spec.Format.Name(), func(t *testing.T) {
			t.Parallel()
			job := jobOn(t, c.media, clips.File(t, c.spec))
			job.MaxSeconds = 1.5
			_, err := shared.InspectClip(t.Context(), job)
			require.Equal(t, c.want, fault.CodeOf(err), "%v", err)
			detail, ok := fault.From(err).Detail.(render.TooLong)
			require.True(t, ok)
			require.InDelta(t, 2, detail.Seconds, 0.1)
			require.InDelta(t, 1.5, detail.MaxSeconds, 0)
			job.MaxSeconds = 2
			_, err = shared.InspectClip(t.Context(), job)
			require.NoError(t, err, "what encoders add to a clip of 2 s does not count")
		})
	}
}

func TestACancelledJobEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for media, format := range map[engine.Media]probe.Format{engine.Video: probe.MP4, engine.Audio: probe.WAV} {
		_, err := shared.InspectClip(ctx, jobOn(t, media, clips.File(t, clips.Spec{Format: format})))
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestAMissingFileIsOurOwnFault(t *testing.T) {
	t.Parallel()
	for _, media := range []engine.Media{engine.Video, engine.Audio} {
		_, err := shared.InspectClip(t.Context(), jobOn(t, media, "/nowhere"))
		require.ErrorIs(t, err, os.ErrNotExist)
		require.Equal(t, fault.InternalError, fault.CodeOf(err))
	}
}

func TestProgressNeverGoesBackAndReachesTheEnd(t *testing.T) {
	t.Parallel()
	for media, spec := range map[engine.Media]clips.Spec{
		engine.Video: {Format: probe.MP4, Sound: clips.Speech, Frames: 90},
		engine.Audio: {Format: probe.WAV, Sound: clips.Speech, Seconds: 9},
	} {
		t.Run(string(media), func(t *testing.T) {
			t.Parallel()
			job := jobOn(t, media, clips.File(t, spec))
			var told []float64
			job.Progress = func(done float64) { told = append(told, done) }
			_, err := shared.InspectClip(t.Context(), job)
			require.NoError(t, err)
			require.IsNonDecreasing(t, told)
			require.Greater(t, len(told), 3)
			require.InDelta(t, 1, told[len(told)-1], 1e-9)
		})
	}
}

func TestAnEngineWithoutFFmpegReadsImagesAlone(t *testing.T) {
	t.Parallel()
	bare := *shared.(*inspector)
	tool, err := newTool(serve.Setup{Log: bare.log})
	require.NoError(t, err)
	require.Nil(t, tool)
	bare.tool = tool
	path := clips.File(t, clips.Spec{Format: probe.MP4})
	_, err = bare.InspectClip(t.Context(), jobOn(t, engine.Video, path))
	require.Equal(t, fault.EngineError, fault.CodeOf(err))
	_, err = bare.Render(t.Context(), jobOn(t, engine.Video, path))
	require.Equal(t, fault.EngineError, fault.CodeOf(err))
	_, err = bare.Inspect(t.Context(), labelled(t))
	require.NoError(t, err)
	_, err = newTool(serve.Setup{FFmpeg: "/nowhere/ffmpeg", FFprobe: "/nowhere/ffprobe", Log: bare.log})
	require.ErrorContains(t, err, "/nowhere/ff")
}
