package ffmpeg

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

func TestProbeReadsEveryFormat(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		spec    clips.Spec
		video   string
		pixels  string
		sound   string
		seconds float64
	}{
		"mp4":             {clips.Spec{Format: probe.MP4, Sound: clips.Tone}, "h264", "yuv420p", "aac", 1},
		"mp4, fragments":  {clips.Spec{Format: probe.MP4, Fragmented: true, KeyEvery: 10}, "h264", "yuv420p", "", 1},
		"mp4, sound":      {clips.Spec{Format: probe.MP4, Video: clips.NoVideo}, "", "", "aac", 1},
		"mp4, av1":        {clips.Spec{Format: probe.MP4, Video: clips.AV1, Frames: 3}, "av1", "yuv420p", "", 0.1},
		"mp4, mpeg4":      {clips.Spec{Format: probe.MP4, Video: clips.MPEG4}, "mpeg4", "yuv420p", "", 1},
		"mov, hevc":       {clips.Spec{Format: probe.MOV, Video: clips.HEVC, HDR: clips.HLG}, "hevc", "yuv420p10le", "", 1},
		"mov, prores":     {clips.Spec{Format: probe.MOV, Video: clips.ProRes, PixelFormat: "yuv422p10le"}, "prores", "yuv422p10le", "", 1},
		"mov, rgb":        {clips.Spec{Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgb24"}, "png", "rgb24", "", 1},
		"mov, grey":       {clips.Spec{Format: probe.MOV, Video: clips.PNG, PixelFormat: "gray"}, "png", "gray", "", 1},
		"mov, jpeg":       {clips.Spec{Format: probe.MOV, Video: clips.MJPEG, PixelFormat: "yuvj422p", FullRange: true}, "mjpeg", "yuvj422p", "", 1},
		"webm":            {clips.Spec{Format: probe.WebM, Sound: clips.Tone}, "vp9", "yuv420p", "opus", 1},
		"webm, vp8 alpha": {clips.Spec{Format: probe.WebM, Video: clips.VP8, PixelFormat: "yuva420p"}, "vp8", "yuv420p", "", 1},
		"mp3 with cover":  {clips.Spec{Format: probe.MP3, Cover: true, Seconds: 2}, "", "", "mp3", 2.04},
		"wav":             {clips.Spec{Format: probe.WAV, Channels: 2, SampleRate: 44100, Seconds: 2}, "", "", "pcm_s16le", 2},
		"m4a":             {clips.Spec{Format: probe.M4A, Cover: true, Seconds: 2}, "", "", "aac", 2},
	}
	tool := newTool(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clip := probed(t, tool, c.spec)
			require.InDelta(t, c.seconds, clip.Seconds, 0.04)
			if c.video == "" {
				require.Nil(t, clip.Video)
			} else {
				require.NotNil(t, clip.Video)
				v := clip.Video
				require.Equal(t, []any{c.video, c.pixels, 160, 120, Rate{30, 1}, false, c.spec.HDR != ""},
					[]any{v.Codec, v.PixelFormat, v.Width, v.Height, v.FPS, v.VariableRate, v.HDR})
				require.Equal(t, int(c.seconds*30+0.5), v.Frames)
			}
			if c.sound == "" {
				require.Nil(t, clip.Sound)
			} else {
				require.NotNil(t, clip.Sound)
				require.Equal(t, c.sound, clip.Sound.Codec)
				require.InDelta(t, c.seconds, clip.Sound.Seconds, 0.04)
			}
		})
	}
}

func TestProbeSaysHowThePictureIsShown(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	turned := probed(t, tool, clips.Spec{
		Format: probe.MOV, Width: 96, Height: 60, Rotation: 270, PixelAspect: "4:3", Frames: 4, FPS: "24000/1001",
	}).Video
	require.Equal(t, []int{60, 128, 96, 60, 270}, []int{turned.Width, turned.Height, turned.CodedWidth, turned.CodedHeight, turned.Rotation})
	require.Equal(t, Rate{24000, 1001}, turned.FPS)
	require.InDelta(t, 23.976, turned.FPS.Float(), 0.001)

	odd := probed(t, tool, clips.Spec{Format: probe.MP4, Width: 97, Height: 61, PixelFormat: "yuv444p", Frames: 4}).Video
	require.Equal(t, []int{97, 61}, []int{odd.Width, odd.Height})

	hdr := probed(t, tool, clips.Spec{Format: probe.MP4, Video: clips.HEVC, HDR: clips.PQ, Frames: 4}).Video
	require.Equal(t, []any{true, "smpte2084", "bt2020", "bt2020nc", "tv"}, []any{hdr.HDR, hdr.Transfer, hdr.Primaries, hdr.Matrix, hdr.Range})
}

func TestProbeTakesTheTrackThatPlayersTake(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.MP4, Sound: clips.Tone, DecoyVideo: true, DecoySound: true, Cover: true})
	require.Equal(t, []int{1, 160}, []int{clip.Video.Index, clip.Video.Width})
	require.Equal(t, 3, clip.Sound.Index)

	only := probed(t, tool, clips.Spec{Format: probe.MP4, Video: clips.NoVideo, Cover: true})
	require.Nil(t, only.Video, "a cover is no video")
	require.NotNil(t, only.Sound)
}

func TestVariableRatesAreSeenAndAveraged(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, format := range []probe.Format{probe.MP4, probe.WebM} {
		v := probed(t, tool, clips.Spec{Format: format, Variable: true, Frames: 20}).Video
		require.True(t, v.VariableRate)
		require.Equal(t, 20, v.Frames)
		require.InDelta(t, 20.0/30, v.Seconds, 0.05)
		require.InDelta(t, 20/v.Seconds, v.FPS.Float(), 0.2)
	}
}

func TestFewFramesAreCounted(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, frames := range []int{1, 3} {
		v := probed(t, tool, clips.Spec{Format: probe.MP4, Frames: frames, FPS: "10"}).Video
		require.Equal(t, frames, v.Frames)
		require.InDelta(t, float64(frames)/10, v.Seconds, 1e-6)
		require.Equal(t, Rate{10, 1}, v.FPS)
	}
}

// durations claims a length, in the container's own units, in every header that holds one.
func durations(t *testing.T, file []byte, units uint32) []byte {
	t.Helper()
	file = changed(t, file, "moov/mvhd", func(b []byte) []byte { return put(b, 16, units) })
	file = changed(t, file, "moov/trak/tkhd", func(b []byte) []byte { return put(b, 20, units) })
	return changed(t, file, "moov/trak/mdia/mdhd", func(b []byte) []byte { return put(b, 16, units) })
}

func TestLengthsAndCountsInHeadersAreNotBelieved(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	honest := clips.Make(t, clips.Spec{Format: probe.MP4})
	for _, units := range []uint32{1, 90_000_000} {
		clip, err := probedBytes(t, tool, durations(t, honest, units))
		require.NoError(t, err)
		require.Equal(t, 30, clip.Video.Frames)
		require.InDelta(t, 1, clip.Seconds, 1e-3)
		require.InDelta(t, 30, clip.Video.FPS.Float(), 0.05)
	}

	// 4,000 samples are claimed; the file has bytes for 30, and after them the index itself.
	const claimed, size = 4000, 50_000
	stbl := "moov/trak/mdia/minf/stbl/"
	lying := changed(t, honest, stbl+"stsz", func(b []byte) []byte {
		for range claimed - 30 {
			b = append(b, numbers(size)...)
		}
		return put(b, 8, claimed)
	})
	lying = changed(t, lying, stbl+"stts", func(b []byte) []byte { return put(b, 8, claimed) })
	lying = changed(t, lying, stbl+"stsc", func(b []byte) []byte { return put(b, 12, claimed) })
	clip, err := probedBytes(t, tool, lying)
	require.NoError(t, err)
	require.InDelta(t, 30, clip.Video.Frames, 1)
	require.InDelta(t, 1, clip.Seconds, 0.05)
}

func TestATruncatedClipIsAsLongAsWhatIsLeft(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	whole := clips.Make(t, clips.Spec{Format: probe.MP4, Faststart: true, Frames: 60, KeyEvery: 5})
	clip, err := probedBytes(t, tool, whole[:len(whole)*6/10])
	require.NoError(t, err)
	require.Greater(t, clip.Video.Frames, 20)
	require.Less(t, clip.Video.Frames, 45)
	require.InDelta(t, float64(clip.Video.Frames)/30, clip.Seconds, 0.2)
	frames, err := tool.Frames(t.Context(), clip, eighths(clip.Seconds), 160)
	require.NoError(t, err)
	require.Len(t, frames, 8)

	// With the index at the end, what is cut off is the index.
	whole = clips.Make(t, clips.Spec{Format: probe.MP4})
	_, err = probedBytes(t, tool, whole[:len(whole)*6/10])
	require.ErrorIs(t, err, ErrUndecodable)
}

func TestHiddenFramesOfVP8AreNotCounted(t *testing.T) {
	t.Parallel()
	p := &packets{}
	for _, at := range []string{"0.000000", "0.040000", "0.040000", "0.080000", "0.121000", "0.120000", "0.160000"} {
		p.add(at, "0.040000", "K_")
	}
	require.Len(t, p.timeline("vp8").shown, 5)
	require.Len(t, p.timeline("h264").shown, 7)
}

func TestPacketsWithoutTimesFollowEachOther(t *testing.T) {
	t.Parallel()
	p := &packets{}
	for range 4 {
		p.add("N/A", "0.5", "__")
	}
	p.add("0.1", "0.5", "_D")
	line := p.timeline("h264")
	require.Len(t, line.shown, 4)
	require.InDelta(t, 2, line.seconds, 1e-9)
	require.False(t, line.variable)
	require.InDelta(t, 2, p.sinceFirst(), 1e-9)
}

func TestPacketsThatClaimOneTimeStillTakeTheirs(t *testing.T) {
	t.Parallel()
	p := &packets{}
	for range 100 {
		p.add("0", "0.02", "K_")
	}
	require.InDelta(t, 2, p.sinceFirst(), 1e-9)
	require.Zero(t, (*packets)(nil).sinceFirst())
}

func TestRatesComeFromTheCount(t *testing.T) {
	t.Parallel()
	v := &Video{Frames: 3, Seconds: 0.1}
	require.Equal(t, Rate{30, 1}, frameRate(fields{"avg_frame_rate": "30/1"}, v))
	require.Equal(t, Rate{30, 1}, frameRate(fields{"avg_frame_rate": "25/1", "r_frame_rate": "30/1"}, v))
	require.Equal(t, Rate{30_000, 1000}, frameRate(fields{"avg_frame_rate": "0/0", "r_frame_rate": "2147483647/1"}, v))
	require.Equal(t, Rate{}, frameRate(fields{"avg_frame_rate": "30/1"}, &Video{Frames: 1}))
	require.Zero(t, Rate{}.Float())
}
