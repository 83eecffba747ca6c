package film

import "math"

// trial is one quality, tried on the samples.
type trial struct {
	crf float64
	likeness
	// sizes are those of the coded pictures.
	sizes sizes
}

// spare is how far a likeness lies above what the target asks for, in dB; below it is negative.
func (c Config) spare(l likeness) float64 {
	return min(decibels(l.mean)-decibels(c.MeanSSIM), decibels(l.worst)-decibels(c.WorstSSIM))
}

const (
	// firstCRF is x264's own default, from which the search sets out.
	firstCRF = 23
	// slope is by how many dB the likeness falls with each step of CRF, until two trials tell. On clips from cameras and
	// generators, drawn ones and noise it was measured between 0.3 and 1.6.
	slope = 0.5
	// tolerance is what a trial may lie below the target and still count as reaching it, slack above which another trial is
	// worth its time; in dB.
	tolerance = 0.02
	slack     = 0.2
	// grain is the step in which CRFs are tried.
	grain = 0.25
	// resort is by how much the last trial aims lower when none before it passed.
	resort = 0.5
)

// outcome is what a search found: the trial to go by, whether it reached the target, and how many there were.
type outcome struct {
	trial
	reached bool
	trials  int
}

// search finds the highest CRF, the smallest output, that reaches the target. Likeness falls as CRF rises, and in dB it
// does so nearly in a line, so that each two trials say where the next one is to be. When no trial reaches the target it
// answers the likest.
func (c Config) search(try func(crf float64) (trial, error)) (outcome, error) {
	r := bracket{cfg: c}
	crf := min(max(firstCRF, c.BestCRF), c.LowestCRF)
	for {
		got, err := try(crf)
		if err != nil {
			return outcome{}, err
		}
		r.add(got)
		next, worth := r.next()
		if !worth || len(r.done) == c.Trials {
			break
		}
		crf = next
	}
	best := r.failed
	if r.passed != nil {
		best = r.passed
	}
	return outcome{trial: *best, reached: r.passed != nil, trials: len(r.done)}, nil
}

// bracket is a search under way.
type bracket struct {
	cfg  Config
	done []trial
	// passed is the trial with the highest CRF that reached the target, failed that with the lowest that did not.
	passed, failed *trial
}

func (b *bracket) add(t trial) {
	b.done = append(b.done, t)
	if b.cfg.spare(t.likeness) >= -tolerance {
		b.passed = &t
		return
	}
	b.failed = &t
}

// next is the CRF to be tried, and whether a trial can still gain anything.
func (b *bracket) next() (crf float64, worth bool) {
	last := b.done[len(b.done)-1]
	spare := b.cfg.spare(last.likeness)
	if b.passed != nil && b.cfg.spare(b.passed.likeness) <= slack {
		return 0, false
	}
	low, high := b.cfg.BestCRF, b.cfg.LowestCRF
	if b.passed != nil {
		low = b.passed.crf + grain
	}
	if b.failed != nil {
		high = b.failed.crf - grain
	}
	if low > high {
		return 0, false
	}
	// The aim is a little above the target, so that most aims pass.
	aim := last.crf + (spare-slack/4)/b.fall()
	if b.passed == nil && len(b.done) == b.cfg.Trials-1 {
		aim -= resort
	}
	return min(max(math.Floor(aim/grain)*grain, low), high), true
}

// fall is by how much likeness falls with CRF between the last two trials, kept within four times and a quarter of what
// is usual.
func (b *bracket) fall() float64 {
	if len(b.done) < 2 {
		return slope
	}
	one, two := b.done[len(b.done)-2], b.done[len(b.done)-1]
	fall := (b.cfg.spare(one.likeness) - b.cfg.spare(two.likeness)) / (two.crf - one.crf)
	return min(max(fall, slope/4), slope*4)
}
