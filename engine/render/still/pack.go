package still

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/adler32"
)

// zlibHeader says: DEFLATE, a window of 32 KB, the slowest compression (RFC 1950, 2.2).
const zlibHeader = "\x78\xDA"

// pack finds the smallest PNG of a picture's layouts. Its error is ctx's or a lack of memory.
func pack(ctx context.Context, scans []*scan) ([]byte, *scan, error) {
	var best []byte
	var of *scan
	for _, s := range scans {
		how, err := choose(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		idat, err := squeeze(ctx, s, how, levelBest)
		if err != nil {
			return nil, nil, err
		}
		if file := s.wrap(idat); best == nil || len(file) < len(best) {
			best, of = file, s
		}
	}
	return best, of, nil
}

// choose finds the filter strategy that a quick compression likes best.
func choose(ctx context.Context, s *scan) (strategy, error) {
	best, least := strategy(filterNone), -1
	for how := strategy(filterNone); how <= byPairs; how++ {
		idat, err := squeeze(ctx, s, how, levelGuess)
		if err != nil {
			return 0, err
		}
		if least < 0 || len(idat) < least {
			best, least = how, len(idat)
		}
	}
	return best, nil
}

// squeeze filters and compresses a picture into a zlib stream.
func squeeze(ctx context.Context, s *scan, how strategy, level int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	d, err := newDeflater(level)
	if err != nil {
		return nil, err
	}
	defer d.close()
	filtered := make([]byte, 0, (s.stride+1)*s.height)
	r := newRower(s.layout, how)
	for y := range s.height {
		filtered = r.append(filtered, s.row(y), s.row(y-1))
	}
	stream, err := d.compress(nil, filtered)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(zlibHeader)+len(stream)+4)
	out = append(append(out, zlibHeader...), stream...)
	return binary.BigEndian.AppendUint32(out, adler32.Checksum(filtered)), nil
}
