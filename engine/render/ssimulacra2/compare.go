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

// Compare scores distorted against reference: [Identical] when they are equal; at 90 nobody sees a change when the one
// turns into the other, at 80 nobody side by side; 70 is high quality, 50 medium, 30 low, below zero a wreck (the
// reference implementation's own scale). It matters which is the original: lost and added detail weigh differently.
//
// A side below 8 pixels, which the reference refuses, is continued to 8 by reflection. The score does not depend on
// the number of cores, of which it uses all up to 16, each with about 1 MB of memory whatever the picture's size. A
// megapixel takes about 35 ms of one core; a side below 8 pixels takes as long as 8. Errors are [ErrSizes],
// [ErrPixels] and ctx's.
func Compare(ctx context.Context, reference, distorted Picture) (float64, error) {
	if err := check(reference, distorted); err != nil {
		return 0, fmt.Errorf("compare pictures: %w", err)
	}
	if bytes.Equal(reference.Pix, distorted.Pix) {
		return Identical, nil
	}
	p := newPair(reference, distorted)
	scales := scalesOf(p.width, p.height)
	parts := cut(p.width, p.height, partWidth, partHeight)
	sums, err := measure(ctx, &p, parts, scales, runtime.GOMAXPROCS(0))
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
