package pixels

import (
	"slices"

	"veracity/engine/raster"
)

// Surface is what a picture is made of, by blocks of 8 x 8 pixels that are spread over it: what tells screens, charts and
// flat drawings from photographs without a model.
type Surface struct {
	// Flat is the share of blocks whose pixels are all the same, 0 to 1.
	Flat float64 `json:"flat"`
	// Common is the share of pixels that have one of the 16 commonest colours, 0 to 1.
	Common float64 `json:"common"`
}

const (
	// blockSide is the side of a block, in pixels; blocksASide is how many are looked at along each side of a picture.
	blockSide   = 8
	blocksASide = 64
	// commonest is how many colours count as common.
	commonest = 16
)

func (s Surface) drawn() bool { return s.Flat >= 0.5 && s.Common >= 0.8 }

func measure(m *raster.Image) Surface {
	columns, rows := min(blocksASide, m.Width/blockSide), min(blocksASide, m.Height/blockSide)
	flat, counts := 0, map[uint32]int{}
	for j := range rows {
		y := j * (m.Height - blockSide) / max(rows-1, 1)
		for i := range columns {
			x := i * (m.Width - blockSide) / max(columns-1, 1)
			if flatBlock(m, x, y, counts) {
				flat++
			}
		}
	}
	blocks := columns * rows
	return Surface{Flat: float64(flat) / float64(blocks), Common: top(counts, commonest) / float64(blocks*diagonal)}
}

// diagonal is how many pixels of a block are counted by their colour.
const diagonal = 8

func flatBlock(m *raster.Image, x, y int, counts map[uint32]int) bool {
	first := m.Row(y)[x*m.Channels:]
	flat := true
	for dy := range blockSide {
		row := m.Row(y + dy)[x*m.Channels : (x+blockSide)*m.Channels]
		for i := 0; flat && i < len(row); i += m.Channels {
			flat = row[i] == first[0] && row[i+1] == first[1] && row[i+2] == first[2]
		}
		d := dy * m.Channels
		counts[uint32(row[d])<<16|uint32(row[d+1])<<8|uint32(row[d+2])]++
	}
	return flat
}

// top is the sum of the n largest counts.
func top(counts map[uint32]int, n int) float64 {
	all := make([]int, 0, len(counts))
	for _, c := range counts {
		all = append(all, c)
	}
	slices.Sort(all)
	sum := 0
	for _, c := range all[max(len(all)-n, 0):] {
		sum += c
	}
	return float64(sum)
}
