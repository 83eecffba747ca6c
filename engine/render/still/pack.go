package still

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

const (
	// band is about how many filtered bytes are compressed as one piece. Pieces are compressed side by side; each begins
	// without what the one before it could refer to, which is 32 KB at most.
	band = 4 << 20
	// glimpse is about how many filtered bytes of a picture are compressed to compare ways of filtering it.
	glimpse = 2 << 20
)

// pack writes s as a PNG with the filters of the plan.
func pack(ctx context.Context, s *scan, how strategy, workers int) ([]byte, error) {
	level := levelBest
	if s.bpp > 1 && (s.stride+1)*s.height > band {
		level = levelGood
	}
	idat, err := squeeze(ctx, s, how, level, workers)
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return s.wrap(idat), nil
}

// squeeze filters and compresses a picture into the pieces of one zlib stream (RFC 1950).
func squeeze(ctx context.Context, s *scan, how strategy, level, workers int) ([][]byte, error) {
	rows := max(1, band/(s.stride+1))
	pieces := make([]piece, (s.height+rows-1)/rows)
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(workers, len(pieces)) {
		group.Go(func() error {
			b, err := newBench(level)
			if err != nil {
				return err
			}
			defer b.close()
			for i := int(next.Add(1)) - 1; i < len(pieces); i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				from := i * rows
				if pieces[i], err = b.piece(s, how, from, min(from+rows, s.height), i == len(pieces)-1); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return join(pieces), nil
}

// bench is what one worker needs, used again for each piece: garbage of this size would be half of the memory.
type bench struct {
	*deflater
	filtered, stream []byte
}

func newBench(level int) (*bench, error) {
	d, err := newDeflater(level)
	return &bench{deflater: d}, err
}

// press filters and compresses rows from..to-1. What it gives holds until the next call.
func (b *bench) press(s *scan, how strategy, from, to int) (stream []byte, err error) {
	b.filtered = s.filtered(b.filtered[:0], how, from, to)
	b.stream, err = b.compress(b.stream, b.filtered)
	return b.stream, err
}

// piece is a band's compressed bytes and the checksum and number of its filtered ones.
type piece struct {
	stream []byte
	sum    uint32
	length int
}

func (b *bench) piece(s *scan, how strategy, from, to int, last bool) (piece, error) {
	stream, err := b.press(s, how, from, to)
	if err != nil {
		return piece{}, err
	}
	const tail = 8 // what ends the stream, or lets it go on
	p := piece{
		stream: append(make([]byte, 0, len(stream)+tail), stream...),
		sum:    adler32.Checksum(b.filtered),
		length: len(b.filtered),
	}
	if !last {
		p.stream, err = unfinish(p.stream)
	}
	return p, err
}

// join puts the zlib header before the first piece and the checksum of all behind the last.
func join(pieces []piece) [][]byte {
	// A window of 32 KB and the slowest compression (RFC 1950, 2.2).
	const header = "\x78\xDA"
	sum := uint32(1)
	out := make([][]byte, len(pieces))
	for i, p := range pieces {
		sum = combine(sum, p.sum, p.length)
		out[i] = p.stream
	}
	out[0] = append([]byte(header), out[0]...)
	last := len(out) - 1
	out[last] = binary.BigEndian.AppendUint32(out[last], sum)
	return out
}

// combine gives the Adler-32 checksum of two strings from theirs, where the second has length bytes (RFC 1950, 8.2): the
// sums of the second began at 1 and 0, and should have begun where the first's ended.
func combine(first, second uint32, length int) uint32 {
	const base = 65521
	n := uint32(length % base) //nolint:gosec // below base
	a1, b1, a2, b2 := first&0xFFFF, first>>16, second&0xFFFF, second>>16
	a := (a1 + a2 + base - 1) % base
	b := (b1 + b2 + uint32(uint64(n)*uint64(a1+base-1)%base)) % base
	return b<<16 | a
}

// filtered appends rows from..to-1 with their filters applied to out.
func (s *scan) filtered(out []byte, how strategy, from, to int) []byte {
	out = slices.Grow(out, (s.stride+1)*(to-from))
	r := newRower(s.layout, how)
	for y := from; y < to; y++ {
		if how == asGiven {
			r.fixed = int(s.filters[y])
		}
		out = r.append(out, s.row(y), s.row(y-1))
	}
	return out
}

// plan is how a picture is best filtered, and about how long it will be.
type plan struct {
	how   strategy
	bytes int
}

// choose compares the ways of filtering s by compressing parts of it quickly.
func choose(ctx context.Context, s *scan, workers int) (plan, error) {
	if s.filters != nil {
		n, err := guess(ctx, s, asGiven)
		return plan{asGiven, n}, err
	}
	var sizes [byPairs + 1]int
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for how := range sizes {
		group.Go(func() error {
			n, err := guess(ctx, s, strategy(how))
			sizes[how] = n
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return plan{}, err
	}
	best := plan{bytes: math.MaxInt}
	for how, n := range sizes {
		if n < best.bytes {
			best = plan{strategy(how), n}
		}
	}
	return best, nil
}

// guess compresses stripes of the picture, and gives what the whole would have at their rate.
func guess(ctx context.Context, s *scan, how strategy) (int, error) {
	b, err := newBench(levelGuess)
	if err != nil {
		return 0, err
	}
	defer b.close()
	seen, bytes := 0, 0
	for _, p := range s.stripes() {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("compare filters: %w", err)
		}
		stream, err := b.press(s, how, p.from, p.to)
		if err != nil {
			return 0, err
		}
		bytes, seen = bytes+len(stream), seen+p.to-p.from
	}
	return int(float64(bytes) * float64(s.height) / float64(seen)), nil
}

// stripe is the rows from..to-1.
type stripe struct{ from, to int }

// stripes are parts of the picture, spread over it, that make up a glimpse; all of it when it is small.
func (s *scan) stripes() []stripe {
	const n = 8
	rows := max(1, glimpse/n/(s.stride+1))
	if rows*n >= s.height {
		return []stripe{{0, s.height}}
	}
	out := make([]stripe, n)
	for i := range out {
		from := s.height * i / n
		out[i] = stripe{from, from + rows}
	}
	return out
}
