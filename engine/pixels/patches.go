package pixels

import (
	"cmp"
	"math"
	"slices"

	"veracity/engine/raster"
)

// Place is a rectangle of a picture, in pixels of the decoded, upright picture. Where that is smaller than what the model
// takes, the place reaches beyond it over its mirror image.
type Place struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Candidates lie on a grid over the whole picture, at most mostCandidates of them and no closer than a quarter of their
// size, so that a large picture takes no longer than a small one.
const (
	mostCandidates = 400
	closest        = 4
)

// A candidate's texture is measured at every second pixel of every fourth row.
const (
	columnStep = 2
	rowStep    = 4
)

// Luma at or below black and at or above white says nothing; places with more than a quarter of it are left out.
const (
	black, white = 3, 252
	mostClipped  = 0.25
)

// leastTexture is the mean difference between neighbours that a place must have, in levels of 255. What lies below it is
// exactly flat but for a few edges: sensors and generators alike leave more, and codecs remove it.
const leastTexture = 0.15

// candidate is a place with the sum of differences that were measured in it.
type candidate struct {
	Place
	texture int
}

// Patches are up to count places of width x height, each the same for the same pixels, in the order in which they were
// chosen. The picture must not be smaller than that. The first half are the places with most texture, no two of which share more
// than half of their area; the others are spread evenly over the ranks of the rest, so that smooth parts are seen as
// well. Texture is the mean absolute difference of luma to the right and lower neighbour. Places that are flat, black or
// blown out are never among them.
func Patches(m *raster.Image, width, height, count int) []Place {
	ranked := candidates(m, width, height)
	slices.SortStableFunc(ranked, func(a, b candidate) int { return cmp.Compare(b.texture, a.texture) })
	chosen := make([]Place, 0, count)
	var rest []Place
	for _, c := range ranked {
		switch {
		case !apart(c.Place, chosen):
		case len(chosen) < (count+1)/2:
			chosen = append(chosen, c.Place)
		default:
			rest = append(rest, c.Place)
		}
	}
	return spread(chosen, rest, count)
}

// spread adds places of rest, which are in the order of their rank, until there are count: those at even distances, or
// where they overlap with what was chosen, the nearest of higher and then of lower rank that does not.
func spread(chosen, rest []Place, count int) []Place {
	wanted := count - len(chosen)
	for k := range wanted {
		from := (2*k + 1) * len(rest) / (2 * max(wanted, 1))
		for off := range len(rest) {
			if near := from - off; near >= 0 && apart(rest[near], chosen) {
				chosen = append(chosen, rest[near])
				break
			}
			if near := from + off; near < len(rest) && apart(rest[near], chosen) {
				chosen = append(chosen, rest[near])
				break
			}
		}
	}
	return chosen
}

// apart says that p shares at most half of its area with each of the others, all of one size.
func apart(p Place, others []Place) bool {
	for _, o := range others {
		across, down := p.Width-distance(p.X, o.X), p.Height-distance(p.Y, o.Y)
		if across > 0 && down > 0 && 2*across*down > p.Width*p.Height {
			return false
		}
	}
	return true
}

func distance(a, b int) int { return max(a-b, b-a) }

// candidates are the places of the grid that have texture, row by row.
func candidates(m *raster.Image, width, height int) []candidate {
	columns, rows := grid(m.Width-width, m.Height-height, width, height)
	out := make([]candidate, 0, columns*rows)
	for j := range rows {
		for i := range columns {
			p := Place{
				X: offGrid(i, columns, m.Width-width, 3*i+5*j), Y: offGrid(j, rows, m.Height-height, 5*i+2*j),
				Width: width, Height: height,
			}
			if texture, ok := textureOf(m, p); ok {
				out = append(out, candidate{p, texture})
			}
		}
	}
	return out
}

// grid is how many columns and rows of candidates there are where their upper left corners have so much room.
func grid(acrossRoom, downRoom, width, height int) (columns, rows int) {
	pitch := max(1, float64(min(width, height))/closest, math.Sqrt(float64(acrossRoom)*float64(downRoom)/mostCandidates))
	const wider = 1.05
	for {
		columns, rows = 1+int(float64(acrossRoom)/pitch), 1+int(float64(downRoom)/pitch)
		if columns*rows <= mostCandidates {
			return columns, rows
		}
		pitch *= wider
	}
}

// offGrid is the coordinate of candidate i of n, evenly over the room from 0, moved off the 8-pixel grid of JPEG by 1 to 7
// pixels, a number that turn chooses: a model must not learn the block grid from places that all begin on it.
func offGrid(i, n, room, turn int) int {
	const block = 8
	at := 0
	if n > 1 {
		at = i * max(room-block+1, 0) / (n - 1)
	}
	return min(at-at%block+1+turn%(block-1), room)
}

// textureOf is the sum of a place's differences. It answers false for a place that is flat, black or blown out.
func textureOf(m *raster.Image, p Place) (sum int, ok bool) {
	clipped, measured := 0, 0
	step := columnStep * m.Channels
	for y := 0; y < p.Height-1; y += rowStep {
		row := m.Row(p.Y + y)[p.X*m.Channels : (p.X+p.Width)*m.Channels]
		below := m.Row(p.Y + y + 1)[p.X*m.Channels : (p.X+p.Width)*m.Channels]
		for x := 0; x+m.Channels+2 < len(row); x += step {
			here := luma(row[x], row[x+1], row[x+2])
			right := luma(row[x+m.Channels], row[x+m.Channels+1], row[x+m.Channels+2])
			under := luma(below[x], below[x+1], below[x+2])
			sum += distance(here, right) + distance(here, under)
			if here <= black || here >= white {
				clipped++
			}
			measured++
		}
	}
	const neighbours = 2
	flat := float64(sum) < leastTexture*neighbours*float64(measured)
	return sum, !flat && float64(clipped) <= mostClipped*float64(measured)
}

// luma is that of BT.601 in 256ths, 0 to 255.
func luma(r, g, b byte) int { return (77*int(r) + 150*int(g) + 29*int(b) + 128) >> 8 }
