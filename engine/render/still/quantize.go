package still

import "slices"

// rounds is how often a palette is bettered. Later rounds hardly move it.
const rounds = 8

// quantize finds a palette of at most n colours for the swatches: first by splitting them along their widest axis where
// that takes most of the error away, then by moving each colour to the mean of what it stands for (Lloyd, "Least squares
// quantization in PCM", 1982).
func quantize(from []swatch, n int) []rgba {
	groups := split(slices.Clone(from), n)
	centres := make([]point, len(groups))
	for i, g := range groups {
		centres[i] = mean(g)
	}
	owner := make([]int, len(from))
	for range rounds {
		assign(from, centres, owner)
		move(from, centres, owner)
	}
	assign(from, centres, owner)
	return name(from, centres, owner)
}

// split cuts the group with the greatest error in two until there are n.
func split(all []swatch, n int) [][]swatch {
	groups, spreads := [][]swatch{all}, []float64{0}
	axes := []int{0}
	spreads[0], axes[0] = spread(all)
	for len(groups) < n {
		widest := 0
		for i, s := range spreads {
			if s > spreads[widest] {
				widest = i
			}
		}
		if spreads[widest] <= 0 {
			break
		}
		low, high := cutAtMean(groups[widest], axes[widest])
		groups[widest] = low
		spreads[widest], axes[widest] = spread(low)
		groups = append(groups, high)
		s, a := spread(high)
		spreads, axes = append(spreads, s), append(axes, a)
	}
	return groups
}

// spread is the weighted squared error of a group against its mean along its widest axis, and which that is.
func spread(g []swatch) (most float64, axis int) {
	if len(g) < 2 {
		return 0, 0
	}
	for a := range len(point{}) {
		var n, sum, square float64
		for i := range g {
			v, w := float64(g[i].point[a]), float64(g[i].count)
			n, sum, square = n+w, sum+w*v, square+w*v*v
		}
		if e := square - sum*sum/n; e > most {
			most, axis = e, a
		}
	}
	return most, axis
}

// cutAtMean reorders g so that what is at or below the mean on an axis comes first, and gives both parts. Neither is
// empty when the group has a spread.
func cutAtMean(g []swatch, axis int) (low, high []swatch) {
	at := mean(g)[axis]
	i := 0
	for j := range g {
		if g[j].point[axis] <= at {
			g[i], g[j] = g[j], g[i]
			i++
		}
	}
	i = min(max(i, 1), len(g)-1)
	return g[:i], g[i:]
}

func mean(g []swatch) point {
	var n float64
	var sum [4]float64
	for i := range g {
		w := float64(g[i].count)
		n += w
		for a, v := range g[i].point {
			sum[a] += w * float64(v)
		}
	}
	var out point
	for a := range out {
		out[a] = float32(sum[a] / n)
	}
	return out
}

// assign gives each swatch to its nearest centre.
func assign(from []swatch, centres []point, owner []int) {
	for i := range from {
		best, least := owner[i], from[i].point.distance(centres[owner[i]])
		for k := range centres {
			if d := from[i].point.distance(centres[k]); d < least {
				best, least = k, d
			}
		}
		owner[i] = best
	}
}

// move puts each centre at the mean of its swatches; one without any stays.
func move(from []swatch, centres []point, owner []int) {
	groups := make([][]swatch, len(centres))
	for i, k := range owner {
		groups[k] = append(groups[k], from[i])
	}
	for k, g := range groups {
		if len(g) > 0 {
			centres[k] = mean(g)
		}
	}
}

// name turns centres into colours. Where one colour is at least half of what a centre stands for, it is the colour, so
// that backgrounds and letters stay what they were.
func name(from []swatch, centres []point, owner []int) []rgba {
	total := make([]float32, len(centres))
	most := make([]swatch, len(centres))
	for i, k := range owner {
		total[k] += from[i].count
		if from[i].count > most[k].count {
			most[k] = from[i]
		}
	}
	var out []rgba
	for k, c := range centres {
		if total[k] == 0 {
			continue
		}
		colour := colourOf(c)
		if 2*most[k].count >= total[k] {
			colour = most[k].colour
		}
		if !slices.Contains(out, colour) {
			out = append(out, colour)
		}
	}
	return out
}

// colourOf undoes [pointOf].
func colourOf(p point) rgba {
	full := pointOf(rgba{0, 0, 0, 0xFF})[3]
	a := min(max(p[3]/full, 0), 1)
	alpha := byte(a*255 + 0.5)
	if alpha == 0 {
		return rgba{}
	}
	level := func(v, weight float32) byte { return byte(min(max(v/a/weight+127.5+0.5, 0), 255)) }
	return rgba{level(p[0], lessSeen), level(p[1], 1), level(p[2], lessSeen), alpha}
}
