package still

import (
	"context"

	"veracity/engine/raster"
)

// candidate is a way to hold the picture that looks like it.
type candidate struct {
	*scan
	plan
	likeness
	lossless bool
}

// exactly gives the candidates that lose nothing.
func exactly(m *raster.Image, s survey) []*candidate {
	var out []*candidate
	for _, s := range exact(m, s) {
		out = append(out, &candidate{scan: s, likeness: identical(), lossless: true})
	}
	return out
}

// press finds the strongest pressing of s that passes, nil when none does. The search is made on a sample; on the whole
// of a large picture a few steps must do, and the last of them may be better than asked.
func (e *encoder) press(ctx context.Context, s *scan) (*candidate, error) {
	const sampleTries, tries = 9, 6
	const sampleClose, wholeClose, cautious = 0.2, 0.6, 0.98
	small := s.sample(4, 4)
	found, err := e.pressOnce(ctx, small, usual, limits{sampleTries, sampleClose})
	if err != nil || found.strength == 0 {
		return nil, err
	}
	if small != s {
		found, err = e.pressOnce(ctx, s, found.strength*cautious, limits{tries, wholeClose})
		if err != nil || found.strength == 0 {
			return nil, err
		}
	}
	return &candidate{scan: found.scan, likeness: found.likeness}, nil
}

// pressed is a picture pressed at a strength, 0 for none.
type pressed struct {
	strength float64
	scan     *scan
	likeness likeness
}

func (e *encoder) pressOnce(ctx context.Context, s *scan, start float64, until limits) (pressed, error) {
	kinds, err := classify(ctx, s, e.cfg.Workers)
	if err != nil {
		return pressed{}, err
	}
	j := e.judge(s)
	var last pressed
	passed := false
	measure := func(ctx context.Context, strength float64) (float64, error) {
		out, err := near(ctx, s, kinds, strength, e.cfg.Workers, last.scan)
		if err != nil {
			return 0, err
		}
		like, err := j.of(ctx, out)
		if err != nil {
			return 0, err
		}
		last = pressed{strength, out, like}
		margin := j.margin(like)
		// Where only some places fail, they are pressed less from now on, and much the same strength may do. Once a try
		// has passed, nothing else may change, so that it can be made again.
		if !passed && like.worst < j.floor() && soften(kinds, s.width, j.tiles, like.tiles, j.floor()) {
			margin = min(like.whole-j.target, -rounding)
		}
		passed = passed || margin >= 0
		return margin, nil
	}
	strength, err := seek(ctx, start, until, measure)
	if err != nil || strength == 0 {
		return pressed{}, err
	}
	if last.strength != strength { // a later try failed; to keep both would take more memory than this takes time
		if _, err := measure(ctx, strength); err != nil {
			return pressed{}, err
		}
	}
	return last, nil
}

func (e *encoder) judge(s *scan) *judge { return newJudge(s, e.cfg.Fidelity.Target(), e.cfg.Workers) }
