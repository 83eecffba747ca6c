package voice

import "iter"

// A frame stands out when enough bands at once lie over the noise floor: a voice fills many of them, a tone two or three.
// Bands far below the loudest one hold what the window's side lobes leak, and do not count.
const (
	standsOut   = 5.0  // dB over the floor
	leakage     = 40.0 // dB below the loudest band
	bandsNeeded = 4
	// audible is the least level of a frame that can hold speech, in dBFS.
	audible = silentBelow
)

// Speech is anchored in voiced frames and held over what stands out around them, as in Tan, Sarkar and Dehak, "rVAD"
// (2020): consonants without voice lie next to a vowel. The band test is the a-posteriori signal-to-noise ratio of Sohn,
// Kim and Sung (1999) with a count of bands in place of its mean, which one loud band can carry.
const (
	voicedFrom  = 0.6
	anchorLeast = 4  // frames: the shortest vowels have some 50 ms
	reach       = 25 // frames that stand out are taken up to so far from an anchor
	hangover    = 6  // frames added at either end, since words fade in and out below the threshold
	bridge      = 30 // frames: pauses within a sentence belong to it
	voicedLeast = 10 // frames of voice that a stretch of speech has at the least
)

// mask says for each frame whether it holds speech.
type mask []bool

// detect finds speech.
func detect(f frames, pcm []int16) mask {
	floor, track := noiseFloor(f), newPitchTrack(pcm)
	active, voiced := make(mask, f.count), make(mask, f.count)
	for t := range f.count {
		active[t] = f.level[t] >= audible && f.standOut(t, floor) >= bandsNeeded
		voiced[t] = active[t] && track.voicing(t) >= voicedFrom
	}
	spoken := make(mask, f.count)
	for from, to := range voiced.runs() {
		if to-from >= anchorLeast {
			spoken.set(active.extend(from, to))
		}
	}
	spoken.close()
	for from, to := range spoken.runs() {
		if voiced.countIn(from, to) < voicedLeast {
			clear(spoken[from:to])
		}
	}
	return spoken
}

// standOut counts the bands of frame t that stand out.
func (f frames) standOut(t int, floor []float32) int {
	from, to := t*bandCount, (t+1)*bandCount
	loudest := float32(leastLevel)
	for _, level := range f.bands[from:to] {
		loudest = max(loudest, level)
	}
	n := 0
	for b, level := range f.bands[from:to] {
		if level >= floor[from+b]+standsOut && level >= loudest-leakage {
			n++
		}
	}
	return n
}

// runs gives each run of set frames as [from, to). The mask may change behind the run that is being given.
func (m mask) runs() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for t := 0; t < len(m); t++ {
			if !m[t] {
				continue
			}
			from := t
			for t < len(m) && m[t] {
				t++
			}
			if !yield(from, t) {
				return
			}
		}
	}
}

// extend widens [from, to) over the frames of m next to it, and by the hangover.
func (m mask) extend(from, to int) (wideFrom, wideTo int) {
	wideFrom, wideTo = from, to
	for wideFrom > 0 && from-wideFrom < reach && m[wideFrom-1] {
		wideFrom--
	}
	for wideTo < len(m) && wideTo-to < reach && m[wideTo] {
		wideTo++
	}
	return max(0, wideFrom-hangover), min(len(m), wideTo+hangover)
}

func (m mask) set(from, to int) {
	for t := from; t < to; t++ {
		m[t] = true
	}
}

// close sets the pauses between runs that are no longer than bridge.
func (m mask) close() {
	end := -1
	for from, to := range m.runs() {
		if end >= 0 && from-end <= bridge {
			m.set(end, from)
		}
		end = to
	}
}

func (m mask) countIn(from, to int) int {
	n := 0
	for _, set := range m[from:to] {
		if set {
			n++
		}
	}
	return n
}

// seconds is how much of the samples [from, to) the mask covers, in whole frames.
func (m mask) seconds(from, to int) float64 {
	first, last := (from+stepSamples-1)/stepSamples, (to+stepSamples-1)/stepSamples
	return min(seconds(m.countIn(first, last)*stepSamples), seconds(to-from))
}

// part is the mask of the samples [from, to).
func (m mask) part(from, to int) mask {
	first, last := from/stepSamples, (to+stepSamples-1)/stepSamples
	return m[min(first, len(m)):min(last, len(m))]
}

// densest is where a stretch of wanted samples holds most speech, of n that the mask is about. It is the first of equals.
func (m mask) densest(n, wanted int) int {
	frames := wanted / stepSamples
	inside := m.countIn(0, min(frames, len(m)))
	best, most := 0, inside
	for t := 1; t+frames <= len(m) && t*stepSamples+wanted <= n; t++ {
		inside += m.countIn(t+frames-1, t+frames) - m.countIn(t-1, t)
		if inside > most {
			best, most = t*stepSamples, inside
		}
	}
	return best
}
