package still

import (
	"context"
	"math"
)

// Bounds of a search for the greatest strength that passes.
const (
	weakest, strongest = 0.25, 8
	// usual is the strength that most pictures end near.
	usual = 1.4
	// steepness is by about how many points the likeness falls when the strength grows by a factor of e.
	steepness = 14
	// narrow is the ratio of a strength that failed to one that passed at which a search ends: below it, chance decides.
	narrow = 1.02
	// rounding is by how many points a likeness misses that fails for another reason than its points.
	rounding = 0.05
)

// limits of a search: how many steps it may take, and by how many points a likeness may be better than asked for the
// search to end before that.
type limits struct {
	tries  int
	within float64
}

// seek looks for the greatest strength at which measure is not negative, and gives it, or 0 when none was found.
// measure should fall with the strength; where it does not, what is found still passes.
func seek(ctx context.Context, start float64, until limits, measure func(ctx context.Context, strength float64) (float64, error)) (float64, error) {
	var low, high float64 // the greatest that passed and the least that failed, 0 for none
	var above, below float64
	at := start
	for range until.tries {
		margin, err := measure(ctx, at)
		if err != nil {
			return 0, err
		}
		if margin >= 0 {
			low, above = at, margin
		} else {
			high, below = at, margin
		}
		if (margin >= 0 && margin < until.within) || (margin >= 0 && at >= strongest) || (margin < 0 && at <= weakest) {
			break
		}
		if low > 0 && high > 0 && high < low*narrow {
			break
		}
		at = guessNext(low, above, high, below, until.within)
	}
	return low, nil
}

// guessNext aims at half of what is close enough.
func guessNext(low, above, high, below, within float64) float64 {
	switch {
	case high == 0:
		return min(strongest, low*math.Exp((above-within/2)/steepness))
	case low == 0:
		return max(weakest, high*math.Exp((below-within/2)/steepness))
	}
	share := (above - within/2) / (above - below)
	return low * math.Exp(min(max(share, 0.1), 0.9)*math.Log(high/low))
}
