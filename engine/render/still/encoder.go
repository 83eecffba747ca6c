package still

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"veracity/engine/raster"
)

// These are the shortest side and the fewest pixels of a picture that is worth changing: below that there is little to
// save, and the metric, which looks at 32nds of a picture, has little to go by.
const (
	leastSide   = 32
	leastPixels = 64 * 64
)

// encoder is one picture's way to its PNG.
type encoder struct {
	m        *raster.Image
	cfg      Config
	progress func(float64)
}

func (e *encoder) encode(ctx context.Context) (Result, error) {
	// The plain encoding keeps to one core, so the others go on beside it.
	var plain int64
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		plain, err = plainBytes(inner, e.m)
		return err
	})
	var png []byte
	var of *candidate
	group.Go(func() error {
		all, err := e.candidates(inner)
		if err != nil {
			return err
		}
		png, of, err = e.smallest(inner, all)
		return err
	})
	if err := group.Wait(); err != nil {
		return Result{}, err
	}
	if int64(len(png)) > plain {
		var err error
		if png, of, err = e.plainly(ctx); err != nil {
			return Result{}, err
		}
	}
	e.progress(1)
	return Result{
		PNG: png, Mode: of.mode, Colours: len(of.plte) / 3, Lossless: of.lossless,
		Similarity: of.whole, Worst: of.worst, PlainBytes: plain,
	}, nil
}

// candidates are the ways to hold the picture at the fidelity asked for.
func (e *encoder) candidates(ctx context.Context) ([]*candidate, error) {
	m := e.m
	s := look(m)
	keep := e.cfg.Fidelity == Lossless || hasStealth(m)
	if s.hidden && !keep {
		m = withoutHidden(m)
		s = look(m)
	}
	e.progress(0.05)
	all := exactly(m, s)
	base := all[0].scan
	if keep || base.depth != 8 || min(m.Width, m.Height) < leastSide || m.Width*m.Height < leastPixels {
		return all, nil
	}
	for i, find := range []func(context.Context, *scan) (*candidate, error){e.reduce, e.press} {
		found, err := find(ctx, base)
		if err != nil {
			return nil, err
		}
		if found != nil {
			all = append(all, found)
		}
		e.progress(0.25 + 0.3*float64(i))
	}
	return all, nil
}

// smallest compresses the candidates that may be the smallest.
func (e *encoder) smallest(ctx context.Context, all []*candidate) ([]byte, *candidate, error) {
	// A guess is off by less than that, by what a stronger compression makes of it.
	const doubt = 1.25
	for _, c := range all {
		var err error
		if c.plan, err = choose(ctx, c.scan, e.cfg.Workers); err != nil {
			return nil, nil, err
		}
	}
	e.progress(0.6)
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(a.bytes, b.bytes) })
	var best []byte
	var of *candidate
	for _, c := range all {
		if float64(c.bytes) > float64(all[0].bytes)*doubt {
			break
		}
		png, err := pack(ctx, c.scan, c.how, e.cfg.Workers)
		if err != nil {
			return nil, nil, err
		}
		if best == nil || len(png) < len(best) {
			best, of = png, c
		}
	}
	return best, of, nil
}

// plainly is the plain encoding itself.
func (e *encoder) plainly(ctx context.Context) ([]byte, *candidate, error) {
	s := plainScan(e.m)
	var stream bytes.Buffer
	if err := plainStream(ctx, s, &stream); err != nil {
		return nil, nil, err
	}
	return s.wrap([][]byte{stream.Bytes()}), &candidate{scan: s, likeness: identical(), lossless: true}, nil
}
