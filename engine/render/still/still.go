// Package still makes the smallest PNG of decoded pixels that looks like them, at a fidelity that has a name and a
// number. It takes pixels that are upright, sRGB and 8 bit already and writes a PNG that says nothing but how it looks:
// what a picture says of its origin is put in by others, and so is the score.
package still

import (
	"context"
	"fmt"

	"veracity/engine/raster"
)

// Result is an encoded picture.
type Result struct {
	// PNG is the file: IHDR, sRGB, PLTE and tRNS where there is a palette, IDAT, IEND.
	PNG []byte
	// Mode is how it holds its pixels.
	Mode Mode
	// Lossless says that every visible pixel is as it was.
	Lossless bool
	// Similarity is how like the source it looks, in points of SSIMULACRA 2: 100 when Lossless, else at least the
	// fidelity's target.
	Similarity float64
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
	plain, err := plainBytes(ctx, m)
	if err != nil {
		return Result{}, err
	}
	progress(0.2)
	file, of, err := pack(ctx, exact(m, look(m)))
	if err != nil {
		return Result{}, fmt.Errorf("encode PNG: %w", err)
	}
	progress(1)
	return Result{PNG: file, Mode: of.mode, Lossless: true, Similarity: 100, PlainBytes: plain}, nil
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
