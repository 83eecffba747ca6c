package voice

// The noise floor of a band is a low quantile of its power over some seconds around a frame (Stahl, Fischer and Bippus,
// "Quantile based noise estimation", ICASSP 2000): in every band even fluent speech pauses that often, and what never
// pauses, a hum or a fan, is noise.
const (
	floorReach    = 200 // frames to either side: 2 s
	floorQuantile = 0.2
	// floorLeast keeps digital silence from making the faintest rounding stand out: some 100 dB below full scale, which
	// in a band is +42.
	floorLeast = -60
)

// histogram counts levels in steps of half a decibel, so that a quantile of a sliding range costs no sorting.
type histogram struct {
	counts [histogramSize]int
	total  int
}

const (
	histogramStep = 0.5
	histogramSize = 320 // from leastLevel up
)

func slot(level float32) int {
	return min(max(int((level-leastLevel)/histogramStep), 0), histogramSize-1)
}

func (h *histogram) add(level float32, n int) {
	h.counts[slot(level)] += n
	h.total += n
}

func (h *histogram) quantile(q float64) float32 {
	rest := int(q * float64(h.total))
	for i, n := range &h.counts {
		if rest -= n; rest < 0 {
			return leastLevel + (float32(i)+0.5)*histogramStep
		}
	}
	return leastLevel
}

// noiseFloor is the floor under every frame and band, laid out as frames.bands.
func noiseFloor(f frames) []float32 {
	floor := make([]float32, len(f.bands))
	for b := range bandCount {
		var h histogram
		at := func(t int) float32 { return f.bands[t*bandCount+b] }
		for t := range min(floorReach, f.count) {
			h.add(at(t), 1)
		}
		for t := range f.count {
			if in := t + floorReach; in < f.count {
				h.add(at(in), 1)
			}
			if out := t - floorReach - 1; out >= 0 {
				h.add(at(out), -1)
			}
			floor[t*bandCount+b] = max(floorLeast, h.quantile(floorQuantile))
		}
	}
	return floor
}
