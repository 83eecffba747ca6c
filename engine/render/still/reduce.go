package still

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// palettes are the numbers of colours that are tried.
var palettes = [...]int{256, 224, 192, 160, 128, 112, 96, 80, 64, 56, 48, 40, 32, 28, 24, 20, 16, 14, 12, 10, 8, 6, 4, 2}

// dithers are the shares of errors that are handed on.
var dithers = [...]float32{0, 0.5, 0.85}

// reduction is a picture with a palette, and how it was made.
type reduction struct {
	candidate
	size   int // index of palettes
	dither float32
}

// reduce finds the palette that passes and makes the smallest file, nil when none passes. As with press, the search is
// made on a sample.
func (e *encoder) reduce(ctx context.Context, s *scan) (*candidate, error) {
	hopeless, err := e.hopeless(ctx, s.sample(4, 2))
	if err != nil || hopeless {
		return nil, err
	}
	small := s.sample(4, 4)
	found, err := e.bestReduction(ctx, small)
	if err != nil || found == nil {
		return nil, err
	}
	if small == s {
		return &found.candidate, nil
	}
	const tries = 3
	colours := swatches(s)
	for size := found.size; size >= max(0, found.size-tries+1); size-- {
		r, err := e.draw(ctx, s, colours, size, found.dither)
		if err != nil {
			return nil, err
		}
		if e.judge(s).margin(r.likeness) >= 0 {
			return &r.candidate, nil
		}
	}
	return nil, nil //nolint:nilnil // nothing found is no error
}

// hopeless says of most photographs that no palette will do for them.
func (e *encoder) hopeless(ctx context.Context, s *scan) (bool, error) {
	const far = -3
	r, err := e.draw(ctx, s, swatches(s), 0, 0.5)
	if err != nil {
		return false, err
	}
	return e.judge(s).margin(r.likeness) < far, nil
}

// bestReduction tries each way of dithering, nil when none passes.
func (e *encoder) bestReduction(ctx context.Context, s *scan) (*reduction, error) {
	colours := swatches(s)
	var found [len(dithers)]*reduction
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(e.cfg.Workers)
	for i, dither := range dithers {
		group.Go(func() (err error) {
			found[i], err = e.fewest(inner, s, colours, dither)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var best *reduction
	for _, r := range found {
		if r == nil {
			continue
		}
		var err error
		if r.plan, err = choose(ctx, r.scan, e.cfg.Workers); err != nil {
			return nil, err
		}
		if best == nil || r.bytes < best.bytes {
			best = r
		}
	}
	return best, nil
}

// fewest halves the range of palettes until it knows the smallest that passes, nil when the largest does not.
func (e *encoder) fewest(ctx context.Context, s *scan, colours []swatch, dither float32) (*reduction, error) {
	var best *reduction
	low, high := 0, len(palettes) // what passes lies below low; what fails, from high on
	for at := 0; low < high; at = (low + high) / 2 {
		r, err := e.draw(ctx, s, colours, at, dither)
		if err != nil {
			return nil, err
		}
		switch passes := e.judge(s).margin(r.likeness) >= 0; {
		case passes:
			best, low = r, at+1
		case at == 0:
			return nil, nil //nolint:nilnil // nothing found is no error
		default:
			high = at
		}
	}
	return best, nil
}

// draw maps s to a palette and judges what comes of it.
func (e *encoder) draw(ctx context.Context, s *scan, colours []swatch, size int, dither float32) (*reduction, error) {
	mapped, err := remap(ctx, s, quantize(colours, palettes[size]), dither)
	if err != nil {
		return nil, err
	}
	like, err := e.judge(s).of(ctx, mapped)
	if err != nil {
		return nil, err
	}
	return &reduction{candidate{scan: mapped, likeness: like}, size, dither}, nil
}
