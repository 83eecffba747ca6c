package measure

import (
	"errors"
	"math"
	"slices"
)

// Points are [score, probability] pairs, both strictly rising, between which straight lines are drawn.
type Points [][2]float64

// At reads the probability of a score off; beyond the ends the last one holds. It is NaN where there are no points.
func (p Points) At(score float64) float64 {
	if len(p) == 0 {
		return math.NaN()
	}
	next, _ := slices.BinarySearchFunc(p, score, func(point [2]float64, score float64) int {
		if point[0] < score {
			return -1
		}
		return 1
	})
	switch next {
	case 0:
		return p[0][1]
	case len(p):
		return p[len(p)-1][1]
	}
	a, b := p[next-1], p[next]
	return a[1] + (score-a[0])/(b[0]-a[0])*(b[1]-a[1])
}

// ErrOneClass says that cases of one class alone were given, from which no probability can be learned.
var ErrOneClass = errors.New("cases of both classes are needed")

const (
	// mostBlocks is how many steps Isotonic keeps: more follow the chance of the list at hand.
	mostBlocks = 10
	// leastBlock is the weight of a step in cases, and leastPart in the share of all.
	leastBlock, leastPart = 8.0, 0.005
	// prior is what each class counts in a step before any case: half a case, so that no step is certain (Jeffreys).
	prior = 0.5
	// tilt is how much of the way to certainty the outer steps rise from their middle to the last score seen. The data say
	// that they are flat; a little slope keeps the order of files, which a threshold needs.
	tilt = 0.1
)

// block is a stretch of scores with one probability. Weights are in cases.
type block struct{ positive, negative, sum float64 }

func (b block) weight() float64 { return b.positive + b.negative }

// centre is the mean score.
func (b block) centre() float64 { return b.sum / b.weight() }

func (b block) share() float64 { return (b.positive + prior) / (b.weight() + 2*prior) }

func (b block) with(c block) block {
	return block{b.positive + c.positive, b.negative + c.negative, b.sum + c.sum}
}

// Isotonic learns the probability of the positive class by pooling adjacent violators (Ayer and others, Annals of
// Mathematical Statistics 26, 1955), then joins steps until few are left, and places a point in the middle of each. Both
// classes weigh the same however many cases they have, so that the probability is that for a case of unknown class with even
// odds and not that of the list's own mix.
func Isotonic(cases []Case) (Points, error) {
	t := newTally(cases)
	if !t.whole() {
		return nil, ErrOneClass
	}
	all := t.positives + t.negatives
	ofPositive, ofNegative := all/(2*t.positives), all/(2*t.negatives)
	var blocks []block
	for i, score := range t.scores {
		b := block{positive: t.positive[i] * ofPositive, negative: t.negative[i] * ofNegative}
		b.sum = score * b.weight()
		blocks = append(blocks, b)
		// What does not rise is one step with what is before it.
		for n := len(blocks); n > 1 && falls(blocks[n-2], blocks[n-1]); n = len(blocks) {
			blocks = join(blocks, n-2)
		}
	}
	return place(few(blocks, max(leastBlock, leastPart*all)), t.scores[0], t.scores[len(t.scores)-1]), nil
}

// falls compares shares without the prior.
func falls(a, b block) bool { return a.positive*b.weight() >= b.positive*a.weight() }

// join makes one block of those at i and i+1.
func join(blocks []block, i int) []block {
	blocks[i] = blocks[i].with(blocks[i+1])
	return slices.Delete(blocks, i+1, i+2)
}

// few joins blocks until each is heavy enough, their shares rise with the prior too, and at most mostBlocks are left.
func few(blocks []block, least float64) []block {
	for len(blocks) > 1 {
		i := lightest(blocks)
		switch sunk := sinking(blocks); {
		case blocks[i].weight() < least:
			i = besides(blocks, i)
		case len(blocks) > mostBlocks:
			i = alike(blocks)
		case sunk >= 0:
			i = sunk
		default:
			return blocks
		}
		blocks = join(blocks, i)
	}
	return blocks
}

// sinking is the first block that does not lie under the next one with the prior, -1 where all do.
func sinking(blocks []block) int {
	for i := range len(blocks) - 1 {
		if blocks[i].share() >= blocks[i+1].share() {
			return i
		}
	}
	return -1
}

func lightest(blocks []block) int {
	least := 0
	for i, b := range blocks {
		if b.weight() < blocks[least].weight() {
			least = i
		}
	}
	return least
}

// besides gives the first of the two blocks to join when that at i is to go: it and the neighbour that is more like it.
func besides(blocks []block, i int) int {
	switch {
	case i == 0:
		return 0
	case i == len(blocks)-1, blocks[i].share()-blocks[i-1].share() <= blocks[i+1].share()-blocks[i].share():
		return i - 1
	}
	return i
}

// alike gives the first of the two neighbours that lose least by being joined, in squared error.
func alike(blocks []block) int {
	best, loss := 0, math.Inf(1)
	for i := range len(blocks) - 1 {
		a, b := blocks[i], blocks[i+1]
		apart := a.share() - b.share()
		if l := a.weight() * b.weight() / (a.weight() + b.weight()) * apart * apart; l < loss {
			best, loss = i, l
		}
	}
	return best
}

// place makes points of blocks over scores from low to high.
func place(blocks []block, low, high float64) Points {
	if len(blocks) == 1 {
		// Scores tell nothing: all but a flat line.
		return Points{{low, 0.5 - slope}, {max(high, low+1), 0.5 + slope}}
	}
	var points Points
	for _, b := range blocks {
		points = append(points, [2]float64{b.centre(), b.share()})
	}
	if first := points[0]; low < first[0] {
		points = slices.Insert(points, 0, [2]float64{low, first[1] * (1 - tilt)})
	}
	if last := points[len(points)-1]; high > last[0] {
		points = append(points, [2]float64{high, last[1] + tilt*(1-last[1])})
	}
	return points
}

// slope is by how little the line of scores that tell nothing rises.
const slope = 0.001
