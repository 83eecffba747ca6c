// Package still makes the smallest PNG of decoded pixels that looks like them, at a fidelity that has a name and a
// number. It takes pixels that are upright, sRGB and 8 bit already and writes a PNG that says nothing but how it looks:
// what a picture says of its origin is put in by others, and so is the score.
package still

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"veracity/engine/raster"
)

// Result is an encoded picture.
type Result struct {
	// PNG is the file: IHDR, sRGB, PLTE and tRNS where there is a palette, IDAT, IEND.
	PNG []byte
	// Mode is how it holds its pixels.
	Mode Mode
	// Colours is how many its palette has, 0 without one.
	Colours int
	// Lossless says that every visible pixel is as it was.
	Lossless bool
	// Similarity is how like the source it looks, in points of SSIMULACRA 2: 100 when Lossless, else at least the
	// fidelity's target.
	Similarity float64
	// Worst is the similarity of its worst square of about 256 pixels a side: at least the target less 5.
	Worst float64
	// PlainBytes is the length that an ordinary encoder's PNG of the same pixels would have: truecolour, adaptive filters,
	// zlib level 6.
	PlainBytes int64
}

// Encode makes the smallest PNG of m that it finds at cfg.Fidelity. Equal pixels give equal bytes. progress, when set,
// is told how much is done, 0 to 1. m is not changed.
//
// It ends soon after ctx does, with an error that wraps ctx's.
func Encode(ctx context.Context, m *raster.Image, cfg Config, progress func(done float64)) (Result, error) {
	if err := check(m, cfg); err != nil {
		return Result{}, fmt.Errorf("encode PNG: %w", err)
	}
	if progress == nil {
		progress = func(float64) {}
	}
	e := &encoder{m: m, cfg: cfg, progress: progress}
	r, err := e.encode(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("encode PNG: %w", err)
	}
	return r, nil
}

func check(m *raster.Image, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if m.Width < 1 || m.Height < 1 || (m.Channels != 3 && m.Channels != 4) || len(m.Pix) != m.Width*m.Height*m.Channels {
		return fmt.Errorf("%d bytes are not %d x %d pixels of %d channels", len(m.Pix), m.Width, m.Height, m.Channels)
	}
	return nil
}

// encoder is one picture's way to its PNG.
type encoder struct {
	m        *raster.Image
	cfg      Config
	progress func(float64)
}

func (e *encoder) encode(ctx context.Context) (Result, error) {
	plain, err := plainBytes(ctx, e.m)
	if err != nil {
		return Result{}, err
	}
	e.progress(0.1)
	all, err := e.candidates(ctx)
	if err != nil {
		return Result{}, err
	}
	e.progress(0.7)
	png, of, err := e.smallest(ctx, all)
	if err != nil {
		return Result{}, err
	}
	e.progress(1)
	return Result{
		PNG: png, Mode: of.mode, Colours: len(of.plte) / 3, Lossless: of.lossless,
		Similarity: of.whole, Worst: of.worst, PlainBytes: plain,
	}, nil
}

// candidates are the ways to hold the picture at the fidelity asked for.
func (e *encoder) candidates(ctx context.Context) ([]*candidate, error) {
	s := look(e.m)
	all := exactly(e.m, s)
	if e.cfg.Fidelity == Lossless {
		return all, nil
	}
	base := all[0].scan
	if base.depth == 8 {
		found, err := e.press(ctx, base)
		if err != nil {
			return nil, err
		}
		if found != nil {
			all = append(all, found)
		}
		if found, err = e.reduce(ctx, base); err != nil {
			return nil, err
		}
		if found != nil {
			all = append(all, found)
		}
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
