package film

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

// pixels are all of a file's pictures, decoded, as one checksum.
func pixels(t *testing.T, path string) string {
	t.Helper()
	sum, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough",
		"-f", "md5", "-").Output()
	require.NoError(t, err)
	return string(sum)
}

// poor is a clip that is smaller than anything that looks as good.
var poor = clips.Spec{Format: probe.MP4, CRF: 40, Sound: clips.Tone}

func TestASmallerSourceKeepsItsPicture(t *testing.T) {
	t.Parallel()
	b := made(t, poor)
	r, _ := b.mustEncode(t)
	require.Equal(t, Kept, r.Mode)
	require.Equal(t, pixels(t, b.clip.Path), pixels(t, b.out))
	require.Equal(t, 1.0, r.SSIM)
	require.Zero(t, r.CRF)
	require.Greater(t, r.PlainBytes, r.Bytes)
	source, err := os.ReadFile(b.clip.Path)
	require.NoError(t, err)
	require.LessOrEqual(t, r.Bytes, int64(len(source)))

	// The encoder's own message, which every source of these tests has, stands for those with a place or a serial number.
	require.Contains(t, string(source), "x264 - core")
	kept, err := os.ReadFile(b.out)
	require.NoError(t, err)
	require.NotContains(t, string(kept), "x264 - core")
}

func TestAGenerousSourceIsEncoded(t *testing.T) {
	t.Parallel()
	b := made(t, clips.Spec{Format: probe.MP4, CRF: 4})
	b.cfg.Trials = 4
	r, _ := b.mustEncode(t)
	require.Equal(t, Encoded, r.Mode)
	require.True(t, r.Reached)
	require.GreaterOrEqual(t, r.SSIM, b.cfg.MeanSSIM-0.001)
	info, err := os.Stat(b.clip.Path)
	require.NoError(t, err)
	require.Less(t, 2*r.Bytes, info.Size())
}

// keepable says whether the source's picture would be kept, should it be the smaller one.
func (b *bundle) keepable(t *testing.T) bool {
	t.Helper()
	w := &work{tool: b.tool, clip: b.clip, cfg: b.cfg, dir: b.dir, stage: newStage(*b.clip.Video, b.cfg)}
	source, err := w.inspect(t.Context())
	require.NoError(t, err)
	return source.picture != nil
}

// TestSourcesOfAnotherKindAreNeverKept has pictures that would be kept but for one thing.
func TestSourcesOfAnotherKindAreNeverKept(t *testing.T) {
	t.Parallel()
	require.True(t, made(t, poor).keepable(t))
	for name, change := range map[string]func(*clips.Spec){
		"turned":             func(s *clips.Spec) { s.Rotation = 270 },
		"variable rate":      func(s *clips.Spec) { s.Variable = true },
		"full range":         func(s *clips.Spec) { s.FullRange = true },
		"444":                func(s *clips.Spec) { s.PixelFormat = "yuv444p" },
		"odd":                func(s *clips.Spec) { s.Width, s.PixelFormat = 161, "yuv444p" },
		"not square":         func(s *clips.Spec) { s.PixelAspect = "2:1" },
		"of another encoder": func(s *clips.Spec) { s.Video = clips.HEVC },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := poor
			change(&spec)
			require.False(t, made(t, spec).keepable(t))
		})
	}
}

// remade runs ffmpeg over a clip.
func remade(t *testing.T, spec clips.Spec, before []string, after ...string) *bundle {
	t.Helper()
	path := filepath.Join(t.TempDir(), "remade.mp4")
	args := append([]string{"-v", "error"}, before...)
	args = append(append(append(args, "-i", clips.File(t, spec)), after...), path)
	text, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput()
	require.NoError(t, err, string(text))
	return setup(t, path, probe.MP4)
}

// TestWhatAnEditCutAwayIsNotHandedOn has a clip whose file holds pictures that its edit list hides.
func TestWhatAnEditCutAwayIsNotHandedOn(t *testing.T) {
	t.Parallel()
	b := remade(t, clips.Spec{Format: probe.MP4, CRF: 40}, []string{"-ss", "0.5"}, "-c", "copy")
	require.Equal(t, 15, b.clip.Video.Frames)
	stored := look(b.clip.Path, "vide")
	require.NotNil(t, stored)
	require.Equal(t, 30, stored.samples)
	r, _ := b.mustEncode(t)
	require.Equal(t, Encoded, r.Mode)
	require.Equal(t, 15, r.Frames)
}

func TestInterlacedAndMirroredPicturesAreNotKept(t *testing.T) {
	t.Parallel()
	spec := clips.Spec{Format: probe.MP4, CRF: 40, Frames: 10}
	fields := remade(t, spec, nil, "-c:v", "libx264", "-crf", "40", "-flags", "+ilme+ildct", "-x264-params", "tff=1")
	require.False(t, fields.keepable(t))

	// A matrix of -1, 0, 0, 1 mirrors from left to right.
	file := bytes.Clone(clips.Make(t, spec))
	at := bytes.Index(file, []byte("tkhd")) + 4 + 4 + 20 + 16
	require.Equal(t, []byte{0, 1, 0, 0}, file[at:at+4])
	copy(file[at:], []byte{0xff, 0xff, 0, 0})
	mirrored := setup(t, clips.Write(t, "clip.mp4", file), probe.MP4)
	require.False(t, mirrored.keepable(t))
}

func TestUnnamedColoursAreNamedWhenKept(t *testing.T) {
	t.Parallel()
	for size, matrix := range map[string]string{"160x120": "smpte170m", "1280x720": "bt709"} {
		b := remade(t, clips.Spec{Format: probe.MP4, Frames: 3}, nil, "-vf", "scale="+size+",setparams=colorspace=unknown:"+
			"color_primaries=unknown:color_trc=unknown:range=unknown", "-color_range", "0", "-c:v", "libx264", "-crf", "45")
		require.Empty(t, b.clip.Video.Matrix)
		r, err := b.encode(t.Context())
		require.NoError(t, err)
		require.Equal(t, Kept, r.Mode, size)
		out, err := b.tool.Probe(t.Context(), b.out, probe.MP4)
		require.NoError(t, err)
		require.Equal(t, matrix, out.Video.Matrix)
		require.Equal(t, matrix, out.Video.Primaries)
	}
}
