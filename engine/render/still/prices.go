package still

import "math"

const (
	// perBit is how finely bits are counted.
	perBit = 256
	// memory is what the counts of earlier rows keep of their weight when prices are made anew.
	memory = 0.7
)

// prices says what each byte costs to write now, and which change of a sample is the best bargain.
type prices struct {
	counts [256]float64
	bits   [256]int32 // in 1/perBit
	// fines is what a change by one level costs for each kind of pixel, in 1/perBit: for green and grey, and for red and
	// blue, whose changes are seen less.
	fines [2][seenKinds]int32
	// moves is the best change for each byte that the filter would leave.
	moves  [2][seenKinds][256]int8
	colour bool
	used   [seenKinds + 1]bool
}

// newPrices starts from how a photograph's residuals are spread. used says which kinds of pixels there are.
func newPrices(strength float64, channels int, used [seenKinds + 1]bool) *prices {
	const peak, spread, lesser = 300, 4, 0.6
	p := &prices{colour: channels == 3, used: used}
	for i := range p.counts {
		p.counts[i] = peak * math.Exp(-math.Abs(float64(int8(i)))/spread) //nolint:gosec // the wrap-round is what is meant
	}
	for kind := range seenKinds {
		step := strength * math.Pow(ease, float64(kind-even))
		fine := perBit / (step * step)
		p.fines[0][kind] = int32(math.Round(min(fine, math.MaxInt16)))
		p.fines[1][kind] = int32(math.Round(min(fine*lesser, math.MaxInt16)))
	}
	return p
}

func (p *prices) count(left []byte) {
	for _, v := range left {
		p.counts[v]++
	}
}

// update makes prices from the counts, and lets these fade.
func (p *prices) update() {
	const never = 0.1 // the count of what never occurred
	total := 0.0
	for i := range p.counts {
		total += p.counts[i] + never
	}
	least := int32(math.MaxInt32)
	for i := range p.counts {
		n := p.counts[i]
		p.bits[i] = int32(-perBit * math.Log2((n+never)/total))
		p.counts[i] = n * memory
		least = min(least, p.bits[i])
	}
	weights := 1
	if p.colour {
		weights = 2
	}
	for w := range weights {
		for kind, fine := range p.fines[w] {
			if p.used[kind] {
				p.bargain(&p.moves[w][kind], fine, least)
			}
		}
	}
}

// bargain finds the best move for each byte when a change by one level costs fine and no byte costs less than least.
func (p *prices) bargain(moves *[256]int8, fine, least int32) {
	for r := range moves {
		best, move := p.bits[r], int8(0)
		for d := int8(1); d <= mostChange; d++ {
			cost := fine * int32(d) * int32(d)
			if cost+least >= best {
				break
			}
			if c := cost + p.bits[byte(r+int(d))]; c < best { // modulo 256, as filters count
				best, move = c, d
			}
			if c := cost + p.bits[byte(r-int(d))]; c < best { //nolint:gosec // as above
				best, move = c, -d
			}
		}
		moves[r] = move
	}
}

// weight is which fines hold for a channel.
func (p *prices) weight(channel int) int {
	if p.colour && channel != 1 {
		return 1
	}
	return 0
}

// settle gives the value to write for a sample that is was, and that would best be want (in units), where the filter
// predicts pred.
func (p *prices) settle(was, want int32, pred byte, channel int, kind byte) byte {
	aim := min(max((want+unit/2)>>4, 0), 255)
	v := aim + int32(p.moves[p.weight(channel)][kind][byte(aim-int32(pred))]) //nolint:gosec // modulo 256, as filters count
	return byte(min(max(v, was-mostChange, 0), was+mostChange, 255))          //nolint:gosec // clamped
}

// of is the price of leaving a byte that is off by so many units.
func (p *prices) of(left byte, off int32, channel int, kind byte) int64 {
	return int64(p.bits[left]) + int64(p.fines[p.weight(channel)][kind])*int64(off)*int64(off)/(unit*unit)
}
