package ssimulacra2

import (
	"context"
	"sync"
	"sync/atomic"
)

const (
	// partWidth and partHeight are the most that one worker measures at a time: small enough for the cache, and large
	// enough that the surroundings, which are read as well, weigh little. They do not depend on the number of workers,
	// so that the order of the sums, and with it the last bit of the score, does not either.
	partWidth, partHeight = 1024, 512
	maxWorkers            = 16
)

// light is two pictures of one size in linear light.
type light interface {
	size() (width, height int)
	// row writes a piece of row y of picture i: red, green and blue, 0 to 1.
	row(i, y int, columns span, rgb *[3][]float32)
}

// measure gives the errors of each part by scale. Parts that do not end with the picture begin and end at multiples of
// what a pixel of the last scale covers.
func measure(ctx context.Context, pictures light, parts []area, scales []scale, workers int) ([][]tally, error) {
	sums := make([][]tally, len(parts))
	err := each(ctx, len(parts), workers, func(i int) {
		sums[i] = measurePart(ctx, pictures, parts[i], scales)
	})
	return sums, err
}

// measurePart walks one part from the top. What it gives is of no use once ctx is done.
func measurePart(ctx context.Context, pictures light, part area, scales []scale) []tally {
	const rowsBetweenLooks = 16
	width, height := pictures.size()
	levels := newLevels(width, height, part, scales)
	finest := levels[0]
	for y := finest.feed.y.first; y < finest.feed.y.end; y++ {
		if y%rowsBetweenLooks == 0 && ctx.Err() != nil {
			break
		}
		for i := range finest.input[y&1] {
			pictures.row(i, y, finest.feed.x, &finest.input[y&1][i])
		}
		finest.advance(y)
	}
	sums := make([]tally, len(levels))
	for s, l := range levels {
		sums[s] = l.sums
	}
	return sums
}

// each does the work from 0 to n-1 side by side, and stops when ctx does.
func each(ctx context.Context, n, workers int, work func(i int)) error {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, maxWorkers, n) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
