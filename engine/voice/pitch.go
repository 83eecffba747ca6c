package voice

import "math"

// Voicing is looked for below 900 Hz, where the first harmonics lie, at a quarter of the rate.
const (
	pitchDecimation = 4
	pitchRate       = Rate / pitchDecimation
	pitchCutoff     = 900.0
	pitchTaps       = 41
	// The range of voices: 70 to 400 Hz.
	longestLag  = pitchRate / 70
	shortestLag = pitchRate / 400
	pitchWindow = pitchRate * 4 / 100 // 40 ms: two periods of the lowest voice, nearly three of most
)

// pitchTrack is the clip as voicing needs it: low-passed, at pitchRate.
type pitchTrack []float32

// newPitchTrack filters with a windowed sinc and keeps every fourth sample.
func newPitchTrack(pcm []int16) pitchTrack {
	taps := hann(pitchTaps + 1)[1:]
	var sum float64
	for i := range taps {
		x := 2 * pitchCutoff / Rate * float64(i-pitchTaps/2)
		if x != 0 {
			taps[i] *= math.Sin(math.Pi*x) / (math.Pi * x)
		}
		sum += taps[i]
	}
	track := make(pitchTrack, len(pcm)/pitchDecimation)
	for i := range track {
		first := i*pitchDecimation - pitchTaps/2
		var y float64
		for k := max(0, -first); k < pitchTaps && first+k < len(pcm); k++ {
			y += taps[k] * float64(pcm[first+k])
		}
		track[i] = float32(y / sum / 32768)
	}
	return track
}

// voicing is how periodic the sound around frame t is, up to 1: the highest normalised cross-correlation of a stretch
// with itself one period later, over the periods of human voices (Atal and Rabiner, 1976; Talkin, "RAPT", 1995).
func (p pitchTrack) voicing(t int) float64 {
	start := (t*stepSamples+stepSamples/2)/pitchDecimation - (pitchWindow+longestLag)/2
	start = max(0, min(start, len(p)-pitchWindow-longestLag))
	if start+pitchWindow+longestLag > len(p) {
		return 0
	}
	x := p[start : start+pitchWindow+longestLag]
	var mean float32
	for _, v := range x {
		mean += v
	}
	mean /= float32(len(x))
	var centred [pitchWindow + longestLag]float32
	for i, v := range x {
		centred[i] = v - mean
	}
	return peak(correlations(&centred))
}

// correlations are the normalised cross-correlations at the lags around the range of voices, from shortestLag-1.
func correlations(x *[pitchWindow + longestLag]float32) []float64 {
	energy := func(s []float32) (sum float64) {
		for _, v := range s {
			sum += float64(v) * float64(v)
		}
		return sum
	}
	own := energy(x[:pitchWindow])
	var found [longestLag - shortestLag + 2]float64
	for i := range found {
		lag := shortestLag - 1 + i
		later := x[lag : lag+pitchWindow]
		var dot float32
		for k, v := range x[:pitchWindow] {
			dot += v * later[k]
		}
		if e := own * energy(later); e > 0 {
			found[i] = float64(dot) / math.Sqrt(e)
		}
	}
	return found[:]
}

// peak is the height of the highest local maximum, between the lags by a parabola through its neighbours.
func peak(c []float64) float64 {
	var best float64
	for i := 1; i < len(c)-1; i++ {
		a, b, d := c[i-1], c[i], c[i+1]
		if b < a || b < d {
			continue
		}
		if bend := a - 2*b + d; bend < 0 {
			b -= (a - d) * (a - d) / (8 * bend)
		}
		best = max(best, min(b, 1))
	}
	return best
}
