package film

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"veracity/engine/ffmpeg"
)

func TestOnlyWhatDiffersFromOrdinaryVideoIsMapped(t *testing.T) {
	t.Parallel()
	require.Nil(t, newTone(ffmpeg.Video{Primaries: "bt709", Transfer: "bt709"}))
	require.Nil(t, newTone(ffmpeg.Video{Primaries: "smpte170m"}))
	require.NotNil(t, newTone(ffmpeg.Video{Primaries: "smpte432", Transfer: "bt709"}))
	require.NotNil(t, newTone(ffmpeg.Video{HDR: true, Transfer: "smpte2084"}))
}

func TestToneKeepsGreysGreyAndInOrder(t *testing.T) {
	t.Parallel()
	for _, v := range []ffmpeg.Video{
		{HDR: true, Transfer: "smpte2084", Primaries: "bt2020"},
		{HDR: true, Transfer: "arib-std-b67"},
		{Primaries: "smpte432"},
	} {
		tone := newTone(v)
		var last float64
		for i := range 101 {
			code := float64(i) / 100
			c := tone.mapped(colour{code, code, code})
			require.InDelta(t, c[0], c[1], 0.002)
			require.InDelta(t, c[0], c[2], 0.002)
			require.GreaterOrEqual(t, c[0], last-1e-9)
			last = c[0]
		}
		require.Zero(t, tone.mapped(colour{})[0])
		require.InDelta(t, 1, last, 0.002)
	}
}

// TestPQLandsWhereTheStandardsSay: what is dark stays as it is, diffuse white comes down to make room for highlights.
func TestPQLandsWhereTheStandardsSay(t *testing.T) {
	t.Parallel()
	tone := newTone(ffmpeg.Video{HDR: true, Transfer: "smpte2084", Primaries: "bt2020"})
	grey := func(nits float64) float64 { code := toPQ(nits); return tone.mapped(colour{code, code, code})[1] }
	require.InDelta(t, toSRGB(50.0/white), grey(50), 1e-3)
	require.Less(t, grey(white), 0.95)
	require.Greater(t, grey(white), 0.8)
	require.InDelta(t, 1, grey(peak), 0.002)
	require.InDelta(t, 1, grey(peakPQ), 0.002)
}

// TestTheCubeIsFineEnough compares the mapping with what lies between the cube's steps.
func TestTheCubeIsFineEnough(t *testing.T) {
	t.Parallel()
	for _, transfer := range []string{"smpte2084", "arib-std-b67"} {
		tone := newTone(ffmpeg.Video{HDR: true, Transfer: transfer, Primaries: "bt2020"})
		rapid.Check(t, func(t *rapid.T) {
			code := rapid.Float64Range(0.1, 0.75).Draw(t, "grey")
			at := code * (cubeSide - 1)
			low := math.Floor(at)
			step := func(i float64) float64 { c := i / (cubeSide - 1); return tone.mapped(colour{c, c, c})[1] }
			between := step(low)*(1-(at-low)) + step(low+1)*(at-low)
			require.InDelta(t, tone.mapped(colour{code, code, code})[1], between, 1.5/255)
		})
	}
}

func TestTheCubeHasAllItsLines(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	require.NoError(t, newTone(ffmpeg.Video{HDR: true, Transfer: "arib-std-b67"}).write(&text))
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	require.Len(t, lines, 1+cubeSide*cubeSide*cubeSide)
	require.Equal(t, "0.000000 0.000000 0.000000", lines[1])
}
