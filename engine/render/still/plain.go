package still

import (
	"compress/zlib"
	"context"
	"fmt"
	"io"

	"veracity/engine/raster"
)

// plainLevel is zlib's own default.
const plainLevel = 6

// plainScan is m as an ordinary writer holds it: truecolour, with alpha where m has an alpha channel.
func plainScan(m *raster.Image) *scan {
	s := &scan{layout: newLayout(m.Width, m.Height, typeRGB, 8), mode: Truecolour, pix: m.Pix}
	if m.Channels == 4 {
		s.layout, s.mode = newLayout(m.Width, m.Height, typeRGBA, 8), TruecolourAlpha
	}
	return s
}

// plainStream writes the zlib stream of the PNG that an ordinary writer makes of s: the filter of each row by least sum
// of absolute differences, zlib at its default level.
func plainStream(ctx context.Context, s *scan, to io.Writer) error {
	z, err := zlib.NewWriterLevel(to, plainLevel)
	if err != nil {
		return fmt.Errorf("encode plainly: %w", err)
	}
	r := newRower(s.layout, bySum)
	var filtered []byte
	for y := range s.height {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("encode plainly: %w", err)
		}
		filtered = r.append(filtered[:0], s.row(y), s.row(y-1))
		if _, err := z.Write(filtered); err != nil {
			return fmt.Errorf("encode plainly: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("encode plainly: %w", err)
	}
	return nil
}

// plainBytes is the length of the plain PNG of m, its pixels in one chunk.
func plainBytes(ctx context.Context, m *raster.Image) (int64, error) {
	s := plainScan(m)
	var n counter
	if err := plainStream(ctx, s, &n); err != nil {
		return 0, err
	}
	return int64(len(s.wrap([][]byte{nil}))) + int64(n), nil
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
