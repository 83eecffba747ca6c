package voice

import (
	"context"
	"math"
)

// Analysis frames: 32 ms every 10 ms, the usual grid of speech analysis.
const (
	frameSamples = 512
	stepSamples  = Rate / 100
)

// Bands in which a frame is set against the noise: equal steps of the mel scale (Stevens, Volkmann and Newman, 1937).
const (
	bandCount  = 20
	lowestHz   = 100
	highestHz  = 7000
	leastLevel = -99 // dB: what stands for nothing at all
)

// frames is the whole clip in analysis frames.
type frames struct {
	count int
	// level is each frame's loudness in dBFS, without its DC offset.
	level []float32
	// bands is each frame's power in each band, in dB; frame t has bandCount values from t*bandCount.
	bands []float32
}

// startOf is the first sample of frame t. Frames are centred on their step, so that the first and last sounds of a clip
// fall into as many as any other.
func startOf(t int) int { return t*stepSamples + stepSamples/2 - frameSamples/2 }

// analyse cuts the clip into frames. It ends with ctx's error when ctx ends.
func analyse(ctx context.Context, pcm []int16) (frames, error) {
	const checkEvery = 1000
	n := (len(pcm) + stepSamples - 1) / stepSamples
	f := frames{count: n, level: make([]float32, n), bands: make([]float32, n*bandCount)}
	window, edges := hann(frameSamples), bandEdges()
	spectrum := newFourier(frameSamples)
	x := make([]complex128, frameSamples)
	for t := range n {
		if t%checkEvery == 0 && ctx.Err() != nil {
			return frames{}, ctx.Err()
		}
		f.level[t] = float32(fill(x, pcm, startOf(t), window))
		spectrum.transform(x)
		for b := range bandCount {
			var power float64
			for _, bin := range x[edges[b]:edges[b+1]] {
				power += real(bin)*real(bin) + imag(bin)*imag(bin)
			}
			f.bands[t*bandCount+b] = float32(decibel(power))
		}
	}
	return f, nil
}

// fill puts the frame at start into x, windowed and without its mean, and answers its level. Samples outside of the clip
// count as silence.
func fill(x []complex128, pcm []int16, start int, window []float64) float64 {
	from, to := max(start, 0), min(start+frameSamples, len(pcm))
	inside := pcm[from:to]
	mean, power := moments(inside)
	clear(x)
	for i, s := range inside {
		k := from - start + i
		x[k] = complex((float64(s)-mean)*window[k]/32768, 0)
	}
	return decibel(2 * power)
}

// moments are the mean of the samples, and the mean power around it with full scale as 1.
func moments(pcm []int16) (mean, power float64) {
	if len(pcm) == 0 {
		return 0, 0
	}
	var sum, squares float64
	for _, s := range pcm {
		sum += float64(s)
		squares += float64(s) * float64(s)
	}
	n := float64(len(pcm))
	mean = sum / n
	return mean, max(0, squares/n-mean*mean) / (32768 * 32768)
}

// levelOf is the loudness of samples in dBFS. A sine at full scale has half the power of a constant, hence the 2 (AES17).
func levelOf(pcm []int16) float64 {
	_, power := moments(pcm)
	return round1(decibel(2 * power))
}

func (f frames) loudest(from, to int) float64 {
	loudest := float32(leastLevel)
	for _, l := range f.level[from:to] {
		loudest = max(loudest, l)
	}
	return round1(float64(loudest))
}

func decibel(power float64) float64 { return max(leastLevel, 10*math.Log10(power)) }

// round1 rounds to a tenth; adding 0 takes the sign from -0.
func round1(x float64) float64 { return math.Round(x*10)/10 + 0 }

func hann(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(n))
	}
	return w
}

// bandEdges are the first bins of the bands, and the end of the last.
func bandEdges() [bandCount + 1]int {
	mel := func(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }
	var edges [bandCount + 1]int
	for i := range edges {
		m := mel(lowestHz) + (mel(highestHz)-mel(lowestHz))*float64(i)/bandCount
		hz := 700 * (math.Pow(10, m/2595) - 1)
		edges[i] = int(math.Round(hz * frameSamples / Rate))
	}
	return edges
}
