package ssimulacra2

import "math"

// maxScales is how often a picture is measured, each time at half the size of the time before.
const maxScales = 6

// tally holds the errors of one scale: of each channel the sum of each map over all pixels, and the sum of its fourth
// powers, which the worst places rule.
type tally [3]errorSums

type errorSums [norms][maps]float64

// addUp adds the errors of a part, by scale, as often as the weight says.
func addUp(total, part []tally, weight float64) {
	for s := range part {
		for c := range part[s] {
			for n := range part[s][c] {
				for m, v := range part[s][c][n] {
					total[s][c][n][m] += weight * v
				}
			}
		}
	}
}

// use says what a channel must be measured for at a scale.
type use struct{ structure, edges bool }

func (u use) planes() int {
	switch {
	case u.structure:
		return planes
	case u.edges:
		return changed + 1
	default:
		return 0
	}
}

// scale is one scale of a picture: its pixels, and which of its errors weigh anything.
type scale struct {
	pixels   float64
	channels [3]use
}

// scalesOf lists the scales of a picture. Like the reference it halves what has minSide or more either way, and when it
// ends early, the weights close up: those of a channel follow the last used one of the channel before.
func scalesOf(width, height int) []scale {
	var scales []scale
	for more := true; more && len(scales) < maxScales; width, height = half(width), half(height) {
		scales = append(scales, scale{pixels: float64(width) * float64(height)})
		more = width >= minSide && height >= minSide
	}
	for s := range scales {
		for c := range scales[s].channels {
			mean, fourth := &weightsOf(c, s, len(scales))[0], &weightsOf(c, s, len(scales))[1]
			scales[s].channels[c] = use{
				structure: mean[structural] != 0 || fourth[structural] != 0,
				edges:     mean[artefact] != 0 || mean[lost] != 0 || fourth[artefact] != 0 || fourth[lost] != 0,
			}
		}
	}
	return scales
}

func weightsOf(channel, s, scales int) *errorSums { return &weights[channel*scales+s] }

// score weighs the means and the fourth roots of mean fourth powers of all maps, and bends the result to the scale of
// opinion scores (Msssim::Score in src/ssimulacra2.cc of the reference).
func score(scales []scale, sums []tally) float64 {
	total := 0.0
	for s, scale := range scales {
		for c := range sums[s] {
			w := weightsOf(c, s, len(scales))
			for m := range maps {
				total += w[0][m] * sums[s][c][0][m] / scale.pixels
				total += w[1][m] * math.Sqrt(math.Sqrt(sums[s][c][1][m]/scale.pixels))
			}
		}
	}
	total *= 0.9562382616834844
	total = 2.326765642916932*total - 0.020884521182843837*total*total + 6.248496625763138e-05*total*total*total
	if total <= 0 {
		return Identical
	}
	return Identical - 10*math.Pow(total, 0.6276336467831387)
}
