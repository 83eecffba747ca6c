package still

import (
	"compress/zlib"
	"context"
	"fmt"

	"veracity/engine/raster"
)

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// plainBytes is the length of the PNG that an ordinary writer makes of the same pixels: truecolour, with alpha where the
// picture has an alpha channel, the filter of each row by least sum of absolute differences, zlib at level 6.
func plainBytes(ctx context.Context, m *raster.Image) (int64, error) {
	const around = 8 + 25 + 13 + 12 + 12 // signature, IHDR, sRGB, one IDAT, IEND
	s := &scan{layout: newLayout(m.Width, m.Height, typeRGB, 8), pix: m.Pix}
	if m.Channels == 4 {
		s.layout = newLayout(m.Width, m.Height, typeRGBA, 8)
	}
	var n counter
	z, err := zlib.NewWriterLevel(&n, 6)
	if err != nil {
		return 0, fmt.Errorf("measure the plain encoding: %w", err)
	}
	r := newRower(s.layout, bySum)
	var filtered []byte
	for y := range s.height {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("measure the plain encoding: %w", err)
		}
		filtered = r.append(filtered[:0], s.row(y), s.row(y-1))
		if _, err := z.Write(filtered); err != nil {
			return 0, fmt.Errorf("measure the plain encoding: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return 0, fmt.Errorf("measure the plain encoding: %w", err)
	}
	return around + int64(n), nil
}
