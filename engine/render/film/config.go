package film

import (
	"fmt"
	"runtime"
	"time"
)

// Config is the fidelity aimed at and the bounds of the work.
type Config struct {
	// MeanSSIM is the structural similarity of luma that the sampled pictures have on average, WorstSSIM what each sample
	// has at least; both above 0 and below 1.
	MeanSSIM, WorstSSIM float64
	// BestCRF and LowestCRF bound the search, 0 to 51, the better (smaller) first.
	BestCRF, LowestCRF float64
	// Trials bounds the qualities tried, 1 to 8.
	Trials int
	// Samples is how many places of a clip are measured, SampleSeconds how long each is, SamplePixels bounds the pixels of
	// all of them together.
	Samples       int
	SampleSeconds float64
	SamplePixels  int64
	// MaxSeconds and MaxFrames end the output. Callers refuse longer clips; this is for those whose header lied.
	MaxSeconds float64
	MaxFrames  int
	// MaxPixels and MaxSide bound the output's picture; larger ones are scaled down.
	MaxPixels, MaxSide int
	// EncodeTime is what the encode of the whole clip may take by the measure of the samples; quicker presets are taken to
	// stay below.
	EncodeTime time.Duration
	// Threads is how many threads an encode has, 1 to 64.
	Threads int
	// FinerChroma is by how many steps of the quantiser chroma is coded finer than x264 would by itself, 0 to 12. Six halve
	// the error. SSIM of luma does not see it; marks that lie in chroma live by it.
	FinerChroma int
}

// mostThreads keeps the default in bounds on large machines: x264 holds pictures for each thread and gains little beyond
// these.
const mostThreads = 8

// DefaultConfig is the product's.
//
// The target of 0.986 (18.5 dB) is a little above where x264's own choice, CRF 23, lies on clips from cameras. Clean clips
// reach it with half of CRF 23's bytes, busy ones need more than CRF 23 gives them. By SSIMULACRA2, a metric for stills on
// which 70 is high quality and at 80 nobody sees a difference side by side, it gave 72 and 80 on two clips from a generator
// and a phone, and 67 on a drawn fractal. SSIM sees little of banding on smooth pictures and far too much of lost noise, so
// the search stays between CRF 18, which x264's guide calls visually lossless or nearly so, and CRF 28, the cheap end of
// the range that it calls sane. One sample may be worse than the mean by 3 dB, as scenes differ by as much.
func DefaultConfig() Config {
	return Config{
		MeanSSIM: 0.986, WorstSSIM: 0.972, BestCRF: 18, LowestCRF: 28, Trials: 4,
		Samples: 4, SampleSeconds: 1.5, SamplePixels: 400_000_000,
		MaxSeconds: 181, MaxFrames: 5400, MaxPixels: 9_437_184, MaxSide: 8192,
		EncodeTime: 12 * time.Minute, Threads: min(runtime.GOMAXPROCS(0), mostThreads),
	}
}

// Validate names the first field that has a value it may not have.
func (c Config) Validate() error {
	const mostCRF = 51 // x264's scale for 8 bits
	switch {
	case !isTarget(c.MeanSSIM) || !isTarget(c.WorstSSIM) || c.WorstSSIM > c.MeanSSIM:
		return fmt.Errorf("film: MeanSSIM is %g and WorstSSIM is %g: both must lie between 0 and 1, the worst no higher", c.MeanSSIM, c.WorstSSIM)
	case c.BestCRF < 0 || c.LowestCRF > mostCRF || c.BestCRF > c.LowestCRF:
		return fmt.Errorf("film: BestCRF is %g and LowestCRF is %g: 0 to %d are needed, the best no higher", c.BestCRF, c.LowestCRF, mostCRF)
	case c.Trials < 1 || c.Trials > 8:
		return fmt.Errorf("film: Trials is %d: 1 to 8 are needed", c.Trials)
	case c.Samples < 1 || c.Samples > 16:
		return fmt.Errorf("film: Samples is %d: 1 to 16 are needed", c.Samples)
	case c.SampleSeconds <= 0 || c.SamplePixels < 1:
		return fmt.Errorf("film: SampleSeconds is %g and SamplePixels is %d: positive numbers are needed", c.SampleSeconds, c.SamplePixels)
	case c.MaxSeconds <= 0 || c.MaxFrames < 1:
		return fmt.Errorf("film: MaxSeconds is %g and MaxFrames is %d: positive numbers are needed", c.MaxSeconds, c.MaxFrames)
	case c.MaxPixels < 256 || c.MaxSide < 16:
		return fmt.Errorf("film: MaxPixels is %d and MaxSide is %d: at least 256 and 16 are needed", c.MaxPixels, c.MaxSide)
	case c.EncodeTime <= 0:
		return fmt.Errorf("film: EncodeTime is %s: a positive duration is needed", c.EncodeTime)
	case c.Threads < 1 || c.Threads > 64:
		return fmt.Errorf("film: Threads is %d: 1 to 64 are needed", c.Threads)
	case c.FinerChroma < 0 || c.FinerChroma > 12:
		return fmt.Errorf("film: FinerChroma is %d: 0 to 12 are needed", c.FinerChroma)
	}
	return nil
}

func isTarget(ssim float64) bool { return ssim > 0 && ssim < 1 }
