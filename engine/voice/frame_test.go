package voice

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTransformIsTheDiscreteFourierTransform(t *testing.T) {
	t.Parallel()
	const n = 32
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	want := make([]complex128, n)
	for k := range want {
		for i, v := range x {
			want[k] += v * cmplx.Rect(1, -2*math.Pi*float64(i*k)/n)
		}
	}
	newFourier(n).transform(x)
	for k := range want {
		require.InDelta(t, 0, cmplx.Abs(want[k]-x[k]), 1e-9)
	}
}

func TestLevelsAreRelativeToAFullSine(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0, levelOf(sine(1000, 1, 1).pcm()), 0.05)
	require.InDelta(t, -20, levelOf(sine(1000, 0.1, 1).pcm()), 0.05)
	require.InDelta(t, leastLevel, levelOf(nil), 0)
	require.InDelta(t, leastLevel, levelOf([]int16{900, 900, 900}), 0, "an offset is no sound")
}

func TestBandsShareTheSpectrumOut(t *testing.T) {
	t.Parallel()
	edges := bandEdges()
	for i := range bandCount {
		require.Less(t, edges[i], edges[i+1])
	}
	require.Equal(t, 3, edges[0])
	require.Equal(t, 224, edges[bandCount])
}

func TestVoicingIsHighForPeriodicSoundAlone(t *testing.T) {
	t.Parallel()
	voicing := func(s sound) float64 { return newPitchTrack(s.pcm()).voicing(50) }
	for _, hz := range []float64{75, 120, 187, 290, 390} {
		require.Greater(t, voicing(vowel(formants[0], hz, 1)), 0.85, "%.0f Hz", hz)
	}
	require.Less(t, voicing(whiteNoise(0.1, 1)), voicedFrom)
	require.Zero(t, voicing(silence(1)))
	require.Zero(t, newPitchTrack(sine(100, 1, 0.05).pcm()).voicing(2), "too short for two periods")
}
