package clips_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// described is what ffprobe says of a clip.
type described struct {
	Streams []struct {
		CodecName   string         `json:"codec_name"`
		CodecType   string         `json:"codec_type"`
		Width       int            `json:"width"`
		Height      int            `json:"height"`
		PixelFormat string         `json:"pix_fmt"`
		Transfer    string         `json:"color_transfer"`
		Range       string         `json:"color_range"`
		Aspect      string         `json:"sample_aspect_ratio"`
		FrameRate   string         `json:"r_frame_rate"`
		AverageRate string         `json:"avg_frame_rate"`
		Packets     string         `json:"nb_read_packets"`
		SampleRate  string         `json:"sample_rate"`
		Channels    int            `json:"channels"`
		Disposition map[string]int `json:"disposition"`
		SideData    []struct {
			Rotation int `json:"rotation"`
		} `json:"side_data_list"`
	} `json:"streams"`
	Format struct {
		Duration string            `json:"duration"`
		Tags     map[string]string `json:"tags"`
	} `json:"format"`
}

func describe(t *testing.T, s clips.Spec) described {
	t.Helper()
	path := clips.File(t, s)
	head, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, s.Format, probe.Sniff(head[:min(len(head), probe.HeadBytes)]))
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-count_packets", "-show_streams", "-show_format", "-of", "json", path).Output()
	require.NoError(t, err)
	var d described
	require.NoError(t, json.Unmarshal(out, &d))
	require.NotEmpty(t, d.Streams)
	return d
}

func TestEveryFormatComesOutAsAsked(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		spec  clips.Spec
		video string
		sound string
	}{
		"mp4":           {clips.Spec{Format: probe.MP4, Sound: clips.Tone}, "h264", "aac"},
		"mov, hevc":     {clips.Spec{Format: probe.MOV, Video: clips.HEVC}, "hevc", ""},
		"mov, prores":   {clips.Spec{Format: probe.MOV, Video: clips.ProRes, PixelFormat: "yuv422p10le"}, "prores", ""},
		"mov, mjpeg":    {clips.Spec{Format: probe.MOV, Video: clips.MJPEG, PixelFormat: "yuvj422p", FullRange: true}, "mjpeg", ""},
		"mov, png":      {clips.Spec{Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgb24"}, "png", ""},
		"mp4, mpeg4":    {clips.Spec{Format: probe.MP4, Video: clips.MPEG4}, "mpeg4", ""},
		"mp4, av1":      {clips.Spec{Format: probe.MP4, Video: clips.AV1, Frames: 3}, "av1", ""},
		"mp4, fragment": {clips.Spec{Format: probe.MP4, Fragmented: true, KeyEvery: 10}, "h264", ""},
		"webm":          {clips.Spec{Format: probe.WebM, Sound: clips.Noise}, "vp9", "opus"},
		"webm, vp8":     {clips.Spec{Format: probe.WebM, Video: clips.VP8, Sound: clips.Tone, SoundCodec: clips.Vorbis}, "vp8", "vorbis"},
		"mp4, sound":    {clips.Spec{Format: probe.MP4, Video: clips.NoVideo, Sound: clips.Silence}, "", "aac"},
		"mp3":           {clips.Spec{Format: probe.MP3, Sound: clips.Speech, Seconds: 2}, "", "mp3"},
		"wav":           {clips.Spec{Format: probe.WAV, Channels: 2, SampleRate: 44100}, "", "pcm_s16le"},
		"m4a":           {clips.Spec{Format: probe.M4A}, "", "aac"},
		"m4a, alac":     {clips.Spec{Format: probe.M4A, SoundCodec: clips.ALAC}, "", "alac"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var video, sound string
			for _, stream := range describe(t, c.spec).Streams {
				switch stream.CodecType {
				case "video":
					video = stream.CodecName
				case "audio":
					sound = stream.CodecName
				}
			}
			require.Equal(t, c.video, video)
			require.Equal(t, c.sound, sound)
		})
	}
}

func TestThePictureIsAsAsked(t *testing.T) {
	t.Parallel()
	d := describe(t, clips.Spec{
		Format: probe.MP4, Width: 96, Height: 64, Frames: 7, FPS: "30000/1001", Rotation: 90, PixelAspect: "4:3",
		FullRange: true, PixelFormat: "yuv422p10le", HDR: clips.HLG,
	})
	require.Len(t, d.Streams, 1)
	v := d.Streams[0]
	require.Equal(t, []any{96, 64, "yuv422p10le", "arib-std-b67", "pc", "4:3", "30000/1001", "7"},
		[]any{v.Width, v.Height, v.PixelFormat, v.Transfer, v.Range, v.Aspect, v.AverageRate, v.Packets})
	require.Len(t, v.SideData, 1)
	require.Equal(t, -90, v.SideData[0].Rotation, "ffprobe counts anticlockwise")
}

func TestVariableFramesLieApart(t *testing.T) {
	t.Parallel()
	path := clips.File(t, clips.Spec{Format: probe.MP4, Variable: true, Frames: 5})
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries", "frame=pts_time", "-select_streams", "v", "-of", "default=nw=1:nk=1", path).Output()
	require.NoError(t, err)
	require.Equal(t, "0.000000\n0.050000\n0.066667\n0.116667\n0.133333\n", string(out))
}

func TestTheDecoysComeFirstAndAreNotTheDefault(t *testing.T) {
	t.Parallel()
	d := describe(t, clips.Spec{
		Format: probe.MP4, Sound: clips.Tone, DecoyVideo: true, DecoySound: true, Cover: true,
	})
	var got [][]any
	for _, s := range d.Streams {
		got = append(got, []any{s.CodecType, s.CodecName, s.Width, s.Disposition["default"], s.Disposition["attached_pic"]})
	}
	require.Equal(t, [][]any{
		{"video", "h264", 80, 0, 0},
		{"video", "h264", 160, 1, 0},
		{"audio", "aac", 0, 0, 0},
		{"audio", "aac", 0, 1, 0},
		{"video", "png", 64, 0, 1},
	}, got)
}

func TestTagsAreWritten(t *testing.T) {
	t.Parallel()
	for _, s := range []clips.Spec{
		{Format: probe.MP4, Tags: "comment=made by a model\ntitle=Dawn"},
		{Format: probe.MOV, Tags: "comment=made by a model\ntitle=Dawn", Keys: true},
		{Format: probe.MP3, Tags: "comment=made by a model\ntitle=Dawn"},
	} {
		tags := describe(t, s).Format.Tags
		require.Equal(t, "made by a model", tags["comment"])
		require.Equal(t, "Dawn", tags["title"])
	}
}

func TestACounterTellsItsFrames(t *testing.T) {
	t.Parallel()
	for n := range 24 {
		for slip := -4; slip <= 4; slip++ {
			require.Equal(t, n, clips.FrameOf(clips.Level(n)+slip))
		}
	}
	path := clips.File(t, clips.Spec{Format: probe.MP4, Picture: clips.Counter, Width: 16, Height: 16, Frames: 30})
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-vf", "format=rgb24,format=gray",
		"-f", "rawvideo", "-").Output()
	require.NoError(t, err)
	require.Len(t, out, 30*16*16)
	for n := range 30 {
		require.Equal(t, n%24, clips.FrameOf(int(out[n*256+100])))
	}
}

func TestAClipIsMadeOnceAndTheSameAgain(t *testing.T) {
	t.Parallel()
	s := clips.Spec{Format: probe.MP4, Sound: clips.Tone, Frames: 4}
	first, second := clips.Make(t, s), clips.Make(t, s)
	require.Same(t, &first[0], &second[0])
	require.NotEqual(t, clips.File(t, s), clips.File(t, s))
}

// loudness is the mean strength of each tenth of a second, in 16-bit steps.
func loudness(t *testing.T, s clips.Sound) []float64 {
	t.Helper()
	const rate = 16_000
	file := clips.Make(t, clips.Spec{Format: probe.WAV, Sound: s, Seconds: 12, SampleRate: rate})
	samples := file[bytes.Index(file, []byte("data"))+8:]
	require.Len(t, samples, 12*rate*2)
	var all []float64
	for part := range slices.Chunk(samples, rate/10*2) {
		sum := 0.0
		for i := 0; i < len(part); i += 2 {
			sum += math.Abs(float64(int16(binary.LittleEndian.Uint16(part[i:]))))
		}
		all = append(all, sum/float64(len(part)/2))
	}
	return all
}

func TestSoundsAreWhatTheirNamesSay(t *testing.T) {
	t.Parallel()
	require.Zero(t, slices.Max(loudness(t, clips.Silence)))
	tone := loudness(t, clips.Tone)
	require.InDelta(t, 1, slices.Min(tone)/slices.Max(tone), 0.05, "a tone is even")
	require.Greater(t, slices.Min(loudness(t, clips.Noise)), 50.0)
	speech := loudness(t, clips.Speech)
	require.Greater(t, slices.Max(speech), 2000.0)
	require.Less(t, slices.Min(speech), 50.0, "speech has pauses")
	require.Greater(t, slices.Max(speech[110:]), 1000.0, "it goes on to the end")
}
