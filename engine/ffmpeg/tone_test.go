package ffmpeg

import (
	"fmt"
	"math"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest/clips"
	"veracity/engine/probe"
)

func TestCurvesGoThroughTheirPublishedPoints(t *testing.T) {
	t.Parallel()
	// ITU-R BT.2408-7, table 1: 203 cd/m² is 58 % PQ and 75 % HLG; BT.2100: PQ ends at 10,000 cd/m².
	require.InDelta(t, 0.5806, toPQ(203), 1e-3)
	require.InDelta(t, 0.7518, toPQ(1000), 1e-3)
	require.InDelta(t, 10_000, fromPQ(1), 1e-6)
	require.Zero(t, fromPQ(0))
	require.InDelta(t, 1, fromHLG(1), 1e-6)
	require.InDelta(t, 1.0/12, fromHLG(0.5), 1e-9)
	grey := float32(fromHLG(0.75))
	require.InDelta(t, 1, display([3]float32{grey, grey, grey})[0], 0.01)
	for code := 0.0; code <= 1; code += 0.01 {
		require.InDelta(t, code, toPQ(fromPQ(code)), 1e-6)
	}
}

func TestTheKneeKeepsShadowsAndEndsAtWhite(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 50, compress(50), 1e-9)
	require.InDelta(t, white, compress(peak), 0.5)
	last := 0.0
	for l := 0.5; l < 2000; l *= 1.01 {
		now := compress(l)
		require.GreaterOrEqual(t, now, last)
		require.LessOrEqual(t, now, l+1e-6)
		last = now
		c := knee([3]float32{float32(l / white), float32(l / white / 2), 0})
		require.LessOrEqual(t, c[0], float32(1.0001))
		require.InDelta(t, 0.5, c[1]/c[0], 1e-5, "hues stay")
		require.InDelta(t, math.Min(now, white)/white, float64(c[0]), 0.003)
	}
	require.Equal(t, [3]float32{}, knee([3]float32{}))
	require.Equal(t, [3]float32{}, display([3]float32{}))
}

func TestGradesKeepGreyGrey(t *testing.T) {
	t.Parallel()
	for _, v := range []Video{
		{HDR: true, Transfer: transferPQ, Primaries: "bt2020"},
		{HDR: true, Transfer: transferHLG},
		{Primaries: "bt2020"},
		{Primaries: "smpte432"},
	} {
		g := v.Grade()
		require.NotNil(t, g)
		last := -1.0
		for code := 0.0; code <= 1; code += 1.0 / 64 {
			r, gr, b := g.Map(code, code, code)
			require.InDelta(t, r, gr, 0.002)
			require.InDelta(t, r, b, 0.002)
			require.GreaterOrEqual(t, r, last)
			last = r
			if !v.HDR {
				require.InDelta(t, code, r, 0.002, "ordinary greys stay as they are")
			}
		}
		require.InDelta(t, 1, last, 0.001)
	}
	require.Nil(t, Video{Primaries: "bt709", Transfer: "bt709"}.Grade())
	require.Nil(t, Video{}.Grade())
}

func TestPixelsAreMappedAsTheGradeSays(t *testing.T) {
	t.Parallel()
	g := Video{HDR: true, Transfer: transferHLG}.Grade()
	raw := []byte{0x00, 0x80, 0x00, 0x40, 0xFF, 0xFF}
	r, gr, b := g.Map(float64(0x8000)/65535, float64(0x4000)/65535, 1)
	got := g.develop(raw)
	for k, want := range []float64{r, gr, b} {
		require.InDelta(t, want*255, float64(got[k]), 0.6)
	}
}

func TestWideColoursComeOutAsTheyLook(t *testing.T) {
	t.Parallel()
	// The red of BT.709 in the code values of P3 (SMPTE EG 432-1, D65, with sRGB's curve).
	r, g, b := Video{Primaries: "smpte432"}.Grade().Map(0.9175, 0.2003, 0.1386)
	require.InDelta(t, 1, r, 0.01)
	require.InDelta(t, 0, g, 0.03)
	require.InDelta(t, 0, b, 0.03)
}

func TestHDRFramesHaveTheRightLight(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, transfer := range []clips.Transfer{clips.PQ, clips.HLG} {
		clip := probed(t, tool, clips.Spec{Format: probe.MP4, Video: clips.HEVC, HDR: transfer, Picture: clips.Grey, Frames: 2})
		require.True(t, clip.Video.HDR)
		frames, err := tool.Frames(t.Context(), clip, []float64{0}, 160)
		require.NoError(t, err)
		const code = 128.0 / 255
		want, _, _ := clip.Video.Grade().Map(code, code, code)
		grey := int(math.Round(want * 255))
		requireColour(t, [3]int{grey, grey, grey}, pixel(frames[0].Image, 80, 60), 2, string(transfer))
	}
}

// TestShadowsAgreeWithZimg compares what lies below the knee, where nothing is a matter of taste, with zimg's conversion.
func TestShadowsAgreeWithZimg(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	clip := probed(t, tool, clips.Spec{Format: probe.MP4, Video: clips.HEVC, HDR: clips.PQ, PixelFormat: "yuv444p10le", Frames: 1})
	frames, err := tool.Frames(t.Context(), clip, []float64{0}, 160)
	require.NoError(t, err)
	filter := fmt.Sprintf("zscale=t=linear:npl=%d:p=bt709:m=gbr:r=full:f=point,format=gbrpf32le,"+
		"zscale=t=iec61966-2-1:npl=%d,format=rgb24", white, white)
	out, err := exec.CommandContext(t.Context(), tool.cfg.FFmpeg, "-v", "error", "-i", clip.Path, "-vf", filter, "-f", "rawvideo", "-").Output()
	require.NoError(t, err)
	m := frames[0].Image
	require.Len(t, out, len(m.Pix))
	compared, off := 0, 0.0
	for i := 0; i < len(out); i += 3 {
		most := max(out[i], out[i+1], out[i+2])
		if least := min(out[i], out[i+1], out[i+2]); most > 150 || least < 8 {
			continue
		}
		for k := range 3 {
			compared++
			off += math.Abs(float64(out[i+k]) - float64(m.Pix[i+k]))
		}
	}
	require.Greater(t, compared, 300)
	require.Less(t, off/float64(compared), 1.5)
}
