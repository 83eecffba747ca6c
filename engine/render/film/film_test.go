package film

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/ffmpeg"
	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
	"veracity/engine/raster"
	"veracity/platform/fault"
)

// bundle is a clip and what it takes to encode it.
type bundle struct {
	tool     *ffmpeg.Tool
	cfg      Config
	clip     ffmpeg.Clip
	dir, out string
}

func newTool(t *testing.T) *ffmpeg.Tool {
	t.Helper()
	cfg := ffmpeg.DefaultConfig()
	cfg.Threads = 1
	tool, err := ffmpeg.New(cfg)
	require.NoError(t, err)
	return tool
}

// setup probes a file.
func setup(t *testing.T, path string, format probe.Format) *bundle {
	t.Helper()
	b := &bundle{tool: newTool(t), cfg: DefaultConfig(), dir: t.TempDir()}
	b.cfg.Threads, b.cfg.Trials = 1, 1
	b.out = filepath.Join(b.dir, "out.mp4")
	var err error
	b.clip, err = b.tool.Probe(t.Context(), path, format)
	require.NoError(t, err)
	return b
}

func made(t *testing.T, s clips.Spec) *bundle {
	t.Helper()
	return setup(t, clips.File(t, s), s.Format)
}

func (b *bundle) encode(ctx context.Context) (Result, error) {
	return Encode(ctx, b.tool, b.clip, b.dir, b.out, b.cfg, nil)
}

// mustEncode demands an output of the one kind that there is, and answers it probed.
func (b *bundle) mustEncode(t *testing.T) (Result, ffmpeg.Clip) {
	t.Helper()
	r, err := b.encode(t.Context())
	require.NoError(t, err)
	out, err := b.tool.Probe(t.Context(), b.out, probe.MP4)
	require.NoError(t, err)
	require.NotNil(t, out.Video)
	b.requireDeliverable(t, r, out)
	return r, out
}

// requireDeliverable demands what holds for every output.
func (b *bundle) requireDeliverable(t *testing.T, r Result, out ffmpeg.Clip) {
	t.Helper()
	v := out.Video
	require.Equal(t, "h264", v.Codec)
	require.Equal(t, "yuv420p", v.PixelFormat)
	require.False(t, v.VariableRate)
	require.Zero(t, v.Rotation)
	require.Equal(t, []int{v.CodedWidth, v.CodedHeight}, []int{v.Width, v.Height}, "pixels are square")
	require.Zero(t, v.Width%2+v.Height%2)
	require.LessOrEqual(t, v.Width, max(2, b.clip.Video.Width))
	require.LessOrEqual(t, v.Height, max(2, b.clip.Video.Height))
	require.Equal(t, []string{"bt709", "bt709", "bt709", "tv"}, []string{v.Matrix, v.Primaries, v.Transfer, v.Range})
	require.Equal(t, []any{v.Width, v.Height, v.Frames, v.Seconds, v.FPS.Float(), "h264"},
		[]any{r.Width, r.Height, r.Frames, r.Seconds, r.FPS, r.Codec})

	file, err := os.ReadFile(b.out)
	require.NoError(t, err)
	require.EqualValues(t, len(file), r.Bytes)
	require.Less(t, bytes.Index(file, []byte("moov")), bytes.Index(file, []byte("mdat")), "the index comes first")
	told := inspect(t, b.out)
	require.Contains(t, []string{"High", "Main"}, told.Streams[0].Profile)
	require.Empty(t, told.Streams[0].Side, "no rotation is left")
	require.Empty(t, told.Format.Tags.without("major_brand", "minor_version", "compatible_brands"))
	for _, s := range told.Streams {
		require.Empty(t, s.Tags.without("language", "handler_name", "vendor_id", "encoder"))
		require.Contains(t, []string{"", "Lavc libx264"}, s.Tags["encoder"], "no version")
		require.Contains(t, []string{"", "und"}, s.Tags["language"])
	}
	if r.Sound == NoSound {
		require.Nil(t, out.Sound)
		require.Len(t, told.Streams, 1)
	} else {
		require.Equal(t, "aac", out.Sound.Codec)
		require.Equal(t, "LC", told.Streams[1].Profile)
		require.InDelta(t, b.clip.Sound.Seconds, out.Sound.Seconds, 0.06)
		require.LessOrEqual(t, out.Sound.Channels, 2)
	}
	left, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside the output")
	require.Positive(t, r.PlainBytes)
	require.Greater(t, r.SSIM, 0.5)
	require.LessOrEqual(t, r.WorstSSIM, r.SSIM+1e-9)
}

// told is what ffprobe says.
type told struct {
	Streams []struct {
		Profile string
		Tags    tags
		Side    []any `json:"side_data_list"`
	}
	Format struct{ Tags tags }
}

type tags map[string]string

func (t tags) without(names ...string) tags {
	rest := tags{}
	for name, value := range t {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") {
			rest[name] = value
		}
	}
	return rest
}

func inspect(t *testing.T, path string) told {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", path).Output()
	require.NoError(t, err)
	var all told
	require.NoError(t, json.Unmarshal(text, &all))
	return all
}

// picture is any of a clip's.
func picture(t *testing.T, tool *ffmpeg.Tool, clip ffmpeg.Clip) *raster.Image {
	t.Helper()
	frames, err := tool.Frames(t.Context(), clip, []float64{0}, 4096)
	require.NoError(t, err)
	return frames[0].Image
}

// private is metadata that no output may hold.
const private = "location=+52.5+13.4/\ncomment=mine\ncreation_time=2024-01-01T00:00:00Z"

func TestEveryKindOfClipBecomesDeliverable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec   clips.Spec
		frames int
		fps    float64
		size   [2]int
		sound  SoundMode
	}{
		"mp4":                       {clips.Spec{Format: probe.MP4, Sound: clips.Tone, Tags: private}, 30, 30, [2]int{160, 120}, CopiedSound},
		"vp9 and opus":              {clips.Spec{Format: probe.WebM, Sound: clips.Tone}, 30, 30, [2]int{160, 120}, EncodedSound},
		"vp8":                       {clips.Spec{Format: probe.WebM, Video: clips.VP8}, 30, 30, [2]int{160, 120}, NoSound},
		"hevc":                      {clips.Spec{Format: probe.MP4, Video: clips.HEVC}, 30, 30, [2]int{160, 120}, NoSound},
		"film rate, webm":           {clips.Spec{Format: probe.WebM, FPS: "24000/1001"}, 30, 24000.0 / 1001, [2]int{160, 120}, NoSound},
		"slow and tiny":             {clips.Spec{Format: probe.MP4, FPS: "120", Width: 16, Height: 16}, 30, 120, [2]int{16, 16}, NoSound},
		"film rate, silence":        {clips.Spec{Format: probe.MP4, FPS: "24000/1001", Sound: clips.Silence}, 30, 24000.0 / 1001, [2]int{160, 120}, CopiedSound},
		"upside down, surround":     {clips.Spec{Format: probe.MP4, Rotation: 180, Sound: clips.Tone, Channels: 6}, 30, 30, [2]int{160, 120}, EncodedSound},
		"fragments, three pictures": {clips.Spec{Format: probe.MP4, Fragmented: true, Frames: 3, KeyEvery: 1}, 3, 30, [2]int{160, 120}, NoSound},
		"rgb, high sample rate":     {clips.Spec{Format: probe.MOV, Video: clips.PNG, PixelFormat: "rgb24", Sound: clips.Tone, SoundCodec: clips.PCM, SampleRate: 96_000}, 30, 30, [2]int{160, 120}, EncodedSound},
		"variable rate":             {clips.Spec{Format: probe.MP4, Variable: true}, 30, 30000.0 / 1001, [2]int{160, 120}, NoSound},
		"odd size":                  {clips.Spec{Format: probe.MOV, Video: clips.MPEG4, Width: 63, Height: 49}, 30, 30, [2]int{62, 48}, NoSound},
		"turned by 90":              {clips.Spec{Format: probe.MOV, Rotation: 90}, 30, 30, [2]int{120, 160}, NoSound},
		"4096 x 2160":               {clips.Spec{Format: probe.MP4, Video: clips.MPEG4, Width: 4096, Height: 2160, Frames: 2}, 2, 30, [2]int{4096, 2160}, NoSound},
		"wide pixels":               {clips.Spec{Format: probe.MP4, PixelAspect: "4:3"}, 30, 30, [2]int{212, 120}, NoSound},
		"pq":                        {clips.Spec{Format: probe.MP4, Video: clips.HEVC, HDR: clips.PQ}, 30, 30, [2]int{160, 120}, NoSound},
		"hlg":                       {clips.Spec{Format: probe.WebM, HDR: clips.HLG}, 30, 30, [2]int{160, 120}, NoSound},
		"full range, 422":           {clips.Spec{Format: probe.MOV, Video: clips.MJPEG, PixelFormat: "yuvj422p", FullRange: true}, 30, 30, [2]int{160, 120}, NoSound},
		"prores":                    {clips.Spec{Format: probe.MOV, Video: clips.ProRes, PixelFormat: "yuv422p10le"}, 30, 30, [2]int{160, 120}, NoSound},
		"one picture":               {clips.Spec{Format: probe.MP4, Frames: 1}, 1, 30, [2]int{160, 120}, NoSound},
		"a tenth second":            {clips.Spec{Format: probe.WebM, Frames: 3, Sound: clips.Tone}, 3, 30, [2]int{160, 120}, EncodedSound},
		"several tracks":            {clips.Spec{Format: probe.MP4, Sound: clips.Tone, DecoyVideo: true, DecoySound: true, Cover: true}, 30, 30, [2]int{160, 120}, CopiedSound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Picture = clips.Quarters
			b := made(t, c.spec)
			r, out := b.mustEncode(t)
			require.Equal(t, c.frames, r.Frames)
			require.InDelta(t, c.fps, r.FPS, 1e-6)
			require.Equal(t, c.size, [2]int{r.Width, r.Height})
			require.Equal(t, c.sound, r.Sound)
			require.InDelta(t, b.clip.Seconds, r.Seconds, 1.1/c.fps)
			requireAlike(t, b, out)
		})
	}
}

// requireAlike demands that a picture that stands still looks in the output as it does in the source, as a check would see both.
func requireAlike(t *testing.T, b *bundle, out ffmpeg.Clip) {
	t.Helper()
	was, is := picture(t, b.tool, b.clip), picture(t, b.tool, out)
	var off, n int
	for y := range min(was.Height, is.Height) {
		for x := range 3 * min(was.Width, is.Width) {
			d := int(was.Row(y)[x]) - int(is.Row(y)[x])
			off += max(d, -d)
			n++
		}
	}
	require.Less(t, float64(off)/float64(n), 5.0, "mean difference of a channel")
}

// TestEachPictureStaysInItsPlace tells the pictures by their grey: none is lost, repeated or put elsewhere.
func TestEachPictureStaysInItsPlace(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]clips.Spec{
		"mp4":           {Format: probe.MP4},
		"webm":          {Format: probe.WebM, FPS: "24000/1001", Sound: clips.Tone},
		"variable rate": {Format: probe.MP4, Variable: true},
		"edit list":     {Format: probe.MP4, Sound: clips.Tone, FPS: "24"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Picture, spec.Frames = clips.Counter, 24
			b := made(t, spec)
			_, out := b.mustEncode(t)
			require.Equal(t, 24, out.Video.Frames)
			for n, grey := range greys(t, b.out) {
				require.Equal(t, n, clips.FrameOf(grey))
			}
		})
	}
}

// greys are the levels in the middles of a file's pictures, in RGB.
func greys(t *testing.T, path string) (levels []int) {
	t.Helper()
	pixels, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough",
		"-vf", "crop=2:2,format=rgb24", "-f", "rawvideo", "-").Output()
	require.NoError(t, err)
	for ; len(pixels) >= 12; pixels = pixels[12:] {
		levels = append(levels, int(pixels[0]))
	}
	return levels
}

func TestAClipWithoutPicturesIsUnsupported(t *testing.T) {
	t.Parallel()
	b := made(t, clips.Spec{Format: probe.MP4, Video: clips.NoVideo})
	_, err := b.encode(t.Context())
	require.Equal(t, fault.VideoUnsupported, fault.CodeOf(err))
	requireNothingLeft(t, b)

	// A track whose packets are rubbish has a header and no pictures.
	file := bytes.Clone(clips.Make(t, clips.Spec{Format: probe.MP4, Video: clips.HEVC, Faststart: true}))
	at := bytes.Index(file, []byte("mdat")) + 4
	for i := range file[at:] {
		file[at+i] = byte(i * 37)
	}
	b = setup(t, clips.Write(t, "clip.mp4", file), probe.MP4)
	_, err = b.encode(t.Context())
	require.Equal(t, fault.VideoUnsupported, fault.CodeOf(err))
	requireNothingLeft(t, b)
}

func TestAClipThatEndsEarlyIsNotPassedOffAsWhole(t *testing.T) {
	t.Parallel()
	spec := clips.Spec{Format: probe.MOV, Video: clips.MJPEG, PixelFormat: "yuvj420p", FullRange: true, Frames: 60, Faststart: true}
	file := bytes.Clone(clips.Make(t, spec))
	media := file[bytes.Index(file, []byte("mdat"))+4:]
	clear(media[len(media)*6/10:])
	b := setup(t, clips.Write(t, "clip.mov", file), probe.MOV)
	require.Equal(t, 60, b.clip.Video.Frames)
	_, err := b.encode(t.Context())
	require.Equal(t, fault.Stage1Failed, fault.CodeOf(err))
	require.ErrorContains(t, err, "can be decoded")
	requireNothingLeft(t, b)
}

func requireNothingLeft(t *testing.T, b *bundle) {
	t.Helper()
	left, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestACancelledEncodeLeavesNothing(t *testing.T) {
	t.Parallel()
	b := made(t, clips.Spec{Format: probe.MP4, Width: 640, Height: 480, Frames: 60})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := context.DeadlineExceeded
	b.cfg.Samples = 2
	begin := time.Now()
	_, err := Encode(ctx, b.tool, b.clip, b.dir, b.out, b.cfg, func(done float64) {
		if done > sampled {
			cancel(gone)
		}
	})
	require.ErrorIs(t, err, gone)
	require.Equal(t, fault.InternalError, fault.CodeOf(err), "the clip is not to blame")
	require.Less(t, time.Since(begin), time.Minute)
	requireNothingLeft(t, b)
}

func TestProgressNeverGoesBack(t *testing.T) {
	t.Parallel()
	b := made(t, clips.Spec{Format: probe.MP4})
	var told []float64
	_, err := Encode(t.Context(), b.tool, b.clip, b.dir, b.out, b.cfg, func(done float64) { told = append(told, done) })
	require.NoError(t, err)
	require.IsIncreasing(t, told)
	require.Greater(t, len(told), 5)
	require.Greater(t, told[0], 0.0)
	require.InDelta(t, 1, told[len(told)-1], 1e-9)
}

func TestAnOutputIsReplacedOnlyBySuccess(t *testing.T) {
	t.Parallel()
	b := made(t, clips.Spec{Format: probe.MP4, Video: clips.NoVideo})
	require.NoError(t, os.WriteFile(b.out, []byte("old"), 0o600))
	_, err := b.encode(t.Context())
	require.Error(t, err)
	old, err := os.ReadFile(b.out)
	require.NoError(t, err)
	require.Equal(t, "old", string(old))

	good := made(t, clips.Spec{Format: probe.MP4})
	require.NoError(t, os.WriteFile(good.out, []byte("old"), 0o600))
	good.mustEncode(t)
}

func TestFoldersOfAnyNameWillDo(t *testing.T) {
	t.Parallel()
	b := made(t, clips.Spec{Format: probe.MP4, Video: clips.HEVC, HDR: clips.PQ, Frames: 6})
	b.dir += `/a b:c'd,[e];f\g%d`
	b.out = filepath.Join(b.dir, "out.mp4")
	require.NoError(t, os.Mkdir(b.dir, 0o700))
	r, _ := b.mustEncode(t)
	require.True(t, r.ToneMapped)
}

func TestAFolderThatCannotBeWrittenIsNoFaultOfTheClip(t *testing.T) {
	t.Parallel()
	b := made(t, clips.Spec{Format: probe.MP4})
	b.dir = filepath.Join(b.dir, "missing")
	_, err := b.encode(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Equal(t, fault.InternalError, fault.CodeOf(err))
}
