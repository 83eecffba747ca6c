package inspect

import (
	"context"
	"io"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"veracity/engine"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/platform/fault"
)

func clipRequest(media engine.Media, data []byte) engine.ClipRequest {
	return engine.ClipRequest{Source: source(data), Media: media, MaxSeconds: engine.MaxClipSeconds}
}

func TestALockedEngineChecksClipsOfEveryFormat(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t)
	for media, specs := range map[engine.Media][]clips.Spec{
		engine.Video: {
			{Format: probe.MP4, Frames: 90, KeyEvery: 10, Sound: clips.Speech},
			{Format: probe.MOV, Rotation: 90, Sound: clips.Silence},
			{Format: probe.WebM, Sound: clips.Noise, FPS: "25"},
			{Format: probe.MP4, Video: clips.HEVC, HDR: clips.PQ},
		},
		engine.Audio: {
			{Format: probe.MP3, Sound: clips.Speech, Seconds: 5},
			{Format: probe.WAV, Sound: clips.Speech, Seconds: 5},
			{Format: probe.M4A, Sound: clips.Speech, Seconds: 5},
		},
	} {
		for _, spec := range specs {
			var told atomic.Int32
			req := clipRequest(media, clips.Make(t, spec))
			req.Progress = func(float64) { told.Add(1) }
			report, err := client.CheckClip(t.Context(), req)
			require.NoError(t, err, spec.Format.Name())
			require.Equal(t, media, report.Media)
			require.Equal(t, spec.Format.Name(), report.Detail.File.Format)
			if media == engine.Video {
				require.Len(t, report.Video.Readings, engine.FrameReadings)
			} else {
				require.Len(t, report.Audio.Readings, 2)
			}
		}
	}
}

func TestALockedEngineRefusesHostileClips(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t)
	whole := clips.Make(t, clips.Spec{Format: probe.MP4, Sound: clips.Tone})
	for name, data := range map[string][]byte{
		"a playlist":  []byte("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/x.ts\n"),
		"a script":    []byte("ffconcat version 1.0\nfile /etc/passwd\n"),
		"a cut video": whole[:len(whole)/3],
	} {
		_, err := client.CheckClip(t.Context(), clipRequest(engine.Video, data))
		require.Equal(t, fault.VideoUnsupported, fault.CodeOf(err), "%s: %v", name, err)
		_, err = client.CheckClip(t.Context(), clipRequest(engine.Audio, data))
		require.Equal(t, fault.AudioUnsupported, fault.CodeOf(err), "%s: %v", name, err)
	}
	_, err := client.CheckClip(t.Context(), engine.ClipRequest{Source: source(whole), Media: engine.Video, MaxSeconds: 0.5})
	require.Equal(t, fault.VideoTooLong, fault.CodeOf(err), "%v", err)
}

func TestImageChecksGoOnBesideClips(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t)
	group, ctx := errgroup.WithContext(t.Context())
	for range 3 {
		group.Go(func() error {
			_, err := client.CheckClip(ctx, clipRequest(engine.Video, clips.Make(t, clips.Spec{Format: probe.MP4, Sound: clips.Speech})))
			return err
		})
		group.Go(func() error {
			_, err := client.CheckImage(ctx, source(labelled(t)))
			return err
		})
	}
	require.NoError(t, group.Wait())
}

func TestALockedEngineOptimizes(t *testing.T) {
	t.Parallel()
	client := lockedEngine(t)
	for media, data := range map[engine.Media][]byte{
		engine.Image: labelled(t),
		engine.Video: clips.Make(t, clips.Spec{Format: probe.MP4, Sound: clips.Speech}),
	} {
		var saved []byte
		out, err := client.Render(t.Context(), engine.RenderRequest{
			Source: source(data), Media: media, MaxSeconds: engine.MaxClipSeconds,
			Save: func(_ context.Context, _ engine.Rendered, body io.Reader) (err error) {
				saved, err = io.ReadAll(body)
				return err
			},
		})
		require.NoError(t, err, media)
		require.Len(t, saved, int(out.Bytes))
		want := map[engine.Media]probe.Format{engine.Image: probe.PNG, engine.Video: probe.MP4}[media]
		require.Equal(t, want, probe.Sniff(saved[:min(len(saved), probe.HeadBytes)]))
		require.Equal(t, want.ContentType(), out.ContentType)
	}
}
