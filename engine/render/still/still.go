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
	// Colours is how many its palette has, 0 without one.
	Colours int
	// Lossless says that every visible pixel is as it was.
	Lossless bool
	// Similarity is how like the source it looks, in points of SSIMULACRA 2: 100 when Lossless, else at least the
	// fidelity's target. Pictures with alpha are compared on a dark and on a bright background; the worse one counts.
	Similarity float64
	// Worst is the similarity of its worst square of about 256 pixels a side: at least the target less 5.
	Worst float64
	// PlainBytes is the length that an ordinary encoder's PNG of the same pixels would have: truecolour, with alpha where
	// the source has it, adaptive filters, zlib at level 6.
	PlainBytes int64
}

// Encode makes the smallest PNG of m that it finds at cfg.Fidelity, and never a larger one than the plain encoding that
// Result.PlainBytes is about. Equal pixels give equal bytes. Alpha and pixels whose lowest bits carry a message about
// their origin keep their values; colours that are fully transparent do not, unless cfg.Fidelity is [Lossless]. progress,
// when set, is told how much is done, 0 to 1, from one goroutine at a time. m is not changed.
//
// A picture of 25 megapixels takes up to 400 MB beside its own bytes. Encode ends soon after ctx does, with an error
// that wraps ctx's; other errors are of cfg, of an m whose bytes do not fit its size, and of memory.
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
