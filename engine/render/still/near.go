package still

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// A photograph's PNG is mostly the noise of its lowest bits, so the way to a smaller one that looks the same is to move
// samples by a level or two where that makes what the row's filter leaves of them cheaper to write. Each sample's choice
// weighs bits (by how often that byte was left lately) against the square of the change; what was changed is partly
// made good in the neighbours to come, so that no tint and no step builds up. Alpha is never touched. The principle is
// near-lossless predictive coding (ITU-T T.87, annex A) with rate-distortion choice and error diffusion; the figures
// were fitted on photographs and generated pictures at 90 points of SSIMULACRA 2.

const (
	// mostChange is how far a sample may move, in levels of 255.
	mostChange = 8
	// nearBand is about how many rows are pressed in sequence. Each band starts anew, so that bands can be done side by
	// side; that costs its first rows, so bands are tall.
	nearBand = 640
	// Shares of a neighbour's error that a sample makes good, in 64ths: of its left, upper left, upper and upper right
	// neighbour.
	shareLeft, shareUpLeft, shareUp, shareUpRight = 10, 3, 16, 10
	// unit is how finely errors are counted: in 16ths of a level.
	unit = 16
)

// nearFilters are tried for each row. The average of two neighbours has half their noise, and the rows below gain from
// that too, which is why the others must be better by a twelfth.
var nearFilters = [...]int{filterAverage, filterPaeth, filterUp}

func handicap(filter int, cost int64) int64 {
	if filter == filterAverage {
		return cost
	}
	return cost + cost/12
}

// near gives a picture close to s that compresses better, the further the greater strength, and the filter of each of
// its rows. s has 8 bits a sample and no palette; kinds is what classify says of it. The memory of used, a result for
// the same s, is used again; it may be nil.
func near(ctx context.Context, s *scan, kinds []byte, strength float64, workers int, used *scan) (*scan, error) {
	out := *s
	if used != nil {
		out.pix, out.filters = used.pix, used.filters
	} else {
		out.pix, out.filters = make([]byte, len(s.pix)), make([]byte, s.height)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	bands := max(1, (s.height+nearBand/2)/nearBand)
	for i := range bands {
		group.Go(func() error {
			from, to := i*s.height/bands, (i+1)*s.height/bands
			p := newPresser(s, &out, kinds, newPrices(strength, codedChannels(s), present(kinds[from*s.width:to*s.width])))
			for y := from; y < to; y++ {
				if err := ctx.Err(); err != nil {
					return fmt.Errorf("press: %w", err)
				}
				p.row(y, y == from)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &out, nil
}

// presser does one band.
type presser struct {
	from, to *scan
	kinds    []byte
	coded    int // channels that may change
	prices   *prices
	above    []byte // the output's last row, with room for a pixel to its left
	faults   []int32
	best     *attempt
	next     *attempt
	fresh    int // samples since the prices were made
}

// attempt is a row pressed with one filter.
type attempt struct {
	row    []byte  // the output, with room for a pixel to its left
	left   []byte  // what the filter leaves of it
	faults []int32 // by how much each sample is off, with room for a pixel on either side
	cost   int64
}

func newPresser(from, to *scan, kinds []byte, at *prices) *presser {
	coded := codedChannels(from)
	p := &presser{from: from, to: to, kinds: kinds, coded: coded, prices: at}
	p.above = make([]byte, from.stride+from.bpp)
	p.faults = make([]int32, (from.width+2)*coded)
	p.best, p.next = p.newAttempt(), p.newAttempt()
	return p
}

// codedChannels is how many of a pixel's samples may change: all but alpha.
func codedChannels(s *scan) int {
	if s.hasAlpha() {
		return s.bpp - 1
	}
	return s.bpp
}

// present says which kinds there are.
func present(kinds []byte) (out [seenKinds + 1]bool) {
	for _, k := range kinds {
		out[k] = true
	}
	return out
}

func (p *presser) newAttempt() *attempt {
	return &attempt{
		row:    make([]byte, p.from.stride+p.from.bpp),
		left:   make([]byte, p.from.stride),
		faults: make([]int32, (p.from.width+2)*p.coded),
	}
}

// row presses row y. The first one of a band may only look to its left.
func (p *presser) row(y int, first bool) {
	const enough = 1024 // samples to judge prices by
	if p.fresh >= enough || first {
		p.prices.update()
		p.fresh = 0
	}
	filter := filterSub
	if first {
		p.press(p.best, y, filterSub)
	} else {
		filter = p.choose(y)
	}
	copy(p.to.row(y), p.best.row[p.from.bpp:])
	p.to.filters[y] = byte(filter)
	p.prices.count(p.best.left)
	p.fresh += len(p.best.left)
	copy(p.above, p.best.row)
	p.faults, p.best.faults = p.best.faults, p.faults
}

// choose leaves the cheapest attempt in best and says which filter it used.
func (p *presser) choose(y int) int {
	chosen, least := 0, int64(-1)
	for _, f := range nearFilters {
		p.press(p.next, y, f)
		if cost := handicap(f, p.next.cost); least < 0 || cost < least {
			chosen, least = f, cost
			p.best, p.next = p.next, p.best
		}
	}
	return chosen
}

// press writes row y with a filter to a.
func (p *presser) press(a *attempt, y, filter int) {
	bpp, n := p.from.bpp, p.coded
	src := p.from.row(y)
	kinds := p.kinds[y*p.from.width : (y+1)*p.from.width]
	a.cost = 0
	for x, kind := range kinds {
		for c := range bpp {
			i := x*bpp + c
			pred := predict(filter, a.row[i], p.above[i+bpp], p.above[i])
			if c >= n { // alpha
				a.row[i+bpp], a.left[i] = src[i], src[i]-pred
				a.cost += int64(p.prices.bits[src[i]-pred])
				continue
			}
			at := x*n + c // this sample's left neighbour among the faults
			if kind == unseen {
				a.row[i+bpp], a.left[i], a.faults[at+n] = pred, 0, 0
				a.cost += int64(p.prices.bits[0])
				continue
			}
			made := shareLeft*a.faults[at] + shareUpLeft*p.faults[at] + shareUp*p.faults[at+n] + shareUpRight*p.faults[at+2*n]
			want := int32(src[i])*unit - made/64
			v := p.prices.settle(int32(src[i]), want, pred, c, kind)
			a.row[i+bpp], a.left[i] = v, v-pred
			off := int32(v)*unit - want
			a.faults[at+n] = off
			a.cost += p.prices.of(v-pred, off, c, kind)
		}
	}
}

func predict(filter int, left, up, corner byte) byte {
	switch filter {
	case filterSub:
		return left
	case filterUp:
		return up
	case filterAverage:
		return byte((int(left) + int(up)) / 2) //nolint:gosec // half of two bytes
	default:
		return paeth(left, up, corner)
	}
}
