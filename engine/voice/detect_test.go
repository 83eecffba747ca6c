package voice

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func masked(t *testing.T, s sound) mask {
	t.Helper()
	pcm := s.pcm()
	f, err := analyse(t.Context(), pcm)
	require.NoError(t, err)
	return detect(f, pcm)
}

func TestSpeechIsFoundWhereItIs(t *testing.T) {
	t.Parallel()
	for _, pitch := range []float64{90, 130, 210, 320} {
		t.Run(fmt.Sprintf("%.0f Hz", pitch), func(t *testing.T) {
			t.Parallel()
			clip := silence(2).then(speech(pitch, 4)).then(silence(3)).with(whiteNoise(0.002, 9))
			m := masked(t, clip)
			require.Zero(t, m.seconds(0, 18*Rate/10))
			require.Greater(t, m.seconds(2*Rate, 6*Rate), 3.3)
			require.Zero(t, m.seconds(63*Rate/10, 9*Rate))
		})
	}
}

func TestSpeechIsFoundInNoise(t *testing.T) {
	t.Parallel()
	for name, noise := range map[string]func(amplitude, secs float64) sound{"white": whiteNoise, "rumble": rumble} {
		for _, ratio := range []float64{20, 10, 5} {
			t.Run(fmt.Sprintf("%s at %.0f dB", name, ratio), func(t *testing.T) {
				t.Parallel()
				said := speech(120, 6)
				background := noise(1, 10)
				background = background.times(said.rms() / background.rms() / math.Pow(10, ratio/20))
				m := masked(t, silence(2).then(said).then(silence(2)).with(background))
				require.Greater(t, m.seconds(2*Rate, 8*Rate), 4.2)
				require.Less(t, m.seconds(0, 2*Rate)+m.seconds(8*Rate, 10*Rate), 0.6)
			})
		}
	}
}

func TestSpeechWithoutAPauseIsFound(t *testing.T) {
	t.Parallel()
	syllables := silence(0)
	for n := range 40 {
		syllables = syllables.then(vowel(formants[n%len(formants)], 110+float64(n%7)*4, 0.2))
	}
	m := masked(t, syllables.times(0.3))
	require.Greater(t, m.seconds(0, 8*Rate), 6.5)
}

func TestWhatNobodySaysIsNoSpeech(t *testing.T) {
	t.Parallel()
	hum := silence(8)
	for harmonic := range 10 {
		hum = hum.with(sine(50*float64(harmonic+1), 0.05/float64(harmonic+1), 8))
	}
	beeps, clicks := silence(0), silence(8)
	for range 8 {
		beeps = beeps.then(sine(300, 0.9, 0.3)).then(silence(0.7))
	}
	for i := 0; i < len(clicks); i += Rate / 3 {
		clicks[i] = 0.9
	}
	for name, s := range map[string]sound{
		"nothing": silence(8), "white noise": whiteNoise(0.1, 8), "rumble": rumble(0.1, 8), "a tone": sine(440, 0.3, 8),
		"a hum": hum, "beeps": beeps, "clicks": clicks, "noise that sets in": silence(3).then(whiteNoise(0.1, 5)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Zero(t, masked(t, s).seconds(0, len(s)))
		})
	}
}

func TestTheNoiseFloorFollowsTheNoise(t *testing.T) {
	t.Parallel()
	f, err := analyse(t.Context(), whiteNoise(0.001, 10).then(whiteNoise(0.1, 10)).pcm())
	require.NoError(t, err)
	floor := noiseFloor(f)
	const band = 10
	early, late := floor[300*bandCount+band], floor[1700*bandCount+band]
	require.InDelta(t, 40, late-early, 3)
	require.InDelta(t, f.bands[300*bandCount+band], early, 8)
}

func TestRunsAndGapsOfAMask(t *testing.T) {
	t.Parallel()
	m := make(mask, 100)
	m.set(0, 10)
	m.set(10+bridge, 45)
	m.set(45+bridge+1, 100)
	m.close()
	var runs [][2]int
	for from, to := range m.runs() {
		runs = append(runs, [2]int{from, to})
	}
	require.Equal(t, [][2]int{{0, 45}, {45 + bridge + 1, 100}}, runs)
}
