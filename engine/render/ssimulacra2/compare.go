// Package ssimulacra2 scores how like its original a picture looks: SSIMULACRA 2.1 (Jon Sneyers, Cloudinary, 2022 and
// 2023, https://github.com/cloudinary/ssimulacra2), on 8-bit sRGB pixels. Here live the colour space, the scales, the
// error maps and the weighing of them. Decoding, alpha and the question what score is good enough live elsewhere.
package ssimulacra2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Identical is the score of a picture that equals its original, the highest that there is.
const Identical = 100.0

var (
	// ErrSizes says that the two pictures are not of the same size.
	ErrSizes = errors.New("the pictures differ in size")
	// ErrPixels says that a picture is empty or that its bytes do not fit its size.
	ErrPixels = errors.New("the bytes do not fit the size")
)

// Picture is opaque 8-bit sRGB pixels. Whoever has alpha lays the picture on a background first: the reference
// implementation takes the worse score of a dark and a bright one (grey of 0.1 and 0.9 of full scale, mixed in sRGB).
type Picture struct {
	// Width and Height are in pixels, at least 1.
	Width, Height int
	// Pix holds Width*Height*3 bytes: red, green and blue of each pixel, rows from the top without padding.
	Pix []byte
}

// Compare scores distorted against reference: [Identical] when they are equal, 90 when side by side nobody tells them
// apart, 70 for high quality, 50 for medium, 30 for low, below zero for wrecks (the reference implementation's own
// scale). It matters which of the two is the original: detail that is lost and detail that is added weigh differently.
//
// A side below 8 pixels, which the reference refuses, is continued to 8 by reflection. The score does not depend on the
// number of cores, of which it uses all up to 16, each with about 2 MB of memory whatever the picture's size. A
// megapixel takes about 35 ms of one core. Errors are [ErrSizes], [ErrPixels] and those of ctx.
func Compare(ctx context.Context, reference, distorted Picture) (float64, error) {
	if err := check(reference, distorted); err != nil {
		return 0, fmt.Errorf("compare pictures: %w", err)
	}
	if bytes.Equal(reference.Pix, distorted.Pix) {
		return Identical, nil
	}
	p := newPair(reference, distorted)
	scales := scalesOf(p.width, p.height)
	parts := p.cut(partWidth, partHeight)
	sums, err := p.measure(ctx, parts, scales, runtime.GOMAXPROCS(0))
	if err != nil {
		return 0, fmt.Errorf("compare pictures: %w", err)
	}
	total := make([]tally, len(scales))
	for _, part := range sums {
		addUp(total, part, 1)
	}
	return score(scales, total), nil
}

func check(reference, distorted Picture) error {
	for _, p := range []Picture{reference, distorted} {
		// The divisions keep hostile sizes from overflowing.
		pixels := len(p.Pix) / 3
		if p.Width < 1 || p.Height < 1 || len(p.Pix)%3 != 0 || pixels%p.Width != 0 || pixels/p.Width != p.Height {
			return fmt.Errorf("%dx%d pixels in %d bytes: %w", p.Width, p.Height, len(p.Pix), ErrPixels)
		}
	}
	if reference.Width != distorted.Width || reference.Height != distorted.Height {
		return fmt.Errorf("%dx%d and %dx%d pixels: %w",
			reference.Width, reference.Height, distorted.Width, distorted.Height, ErrSizes)
	}
	return nil
}

const (
	// partWidth and partHeight are the most that one worker measures at a time: small enough for the cache, and large
	// enough that the surroundings, which are read as well, weigh little. They do not depend on the number of workers, so
	// that the order of the sums, and with it the last bit of the score, does not either.
	partWidth, partHeight = 1024, 512
	maxWorkers            = 16
)

// measure gives the errors of each part by scale.
func (p *pair) measure(ctx context.Context, parts []area, scales []scale, workers int) ([][]tally, error) {
	sums := make([][]tally, len(parts))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, maxWorkers, len(parts)) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(parts) {
					return
				}
				sums[i] = p.measurePart(ctx, parts[i], scales)
			}
		})
	}
	group.Wait()
	return sums, ctx.Err()
}

// measurePart walks one part from the top. What it gives is of no use once ctx is done.
func (p *pair) measurePart(ctx context.Context, part area, scales []scale) []tally {
	const rowsBetweenLooks = 16
	levels := newLevels(p.width, p.height, part, scales)
	finest := levels[0]
	for y := finest.feed.y.first; y < finest.feed.y.end; y++ {
		if y%rowsBetweenLooks == 0 && ctx.Err() != nil {
			break
		}
		for i := range p.pix {
			p.row(i, y, finest.feed.x, &finest.input[y&1][i])
		}
		finest.advance(y)
	}
	sums := make([]tally, len(levels))
	for s, l := range levels {
		sums[s] = l.sums
	}
	return sums
}
