package still

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"veracity/engine/render/ssimulacra2"
)

const (
	// tile is about how many pixels a side the squares have that are judged for themselves.
	tile = 256
	// slack is by how many points the worst square may miss the target. One name's distance on the metric's scale: what
	// is to be visually lossless on the whole is nowhere less than excellent.
	slack = 5
)

// grounds are what pictures with alpha are laid on: the dark and the bright grey of the metric's reference
// implementation, a tenth and nine tenths of full scale. The worse one counts.
var grounds = [...]byte{26, 230}

// judge says how like a picture others look. It is not for several goroutines at once.
type judge struct {
	ref     *scan
	target  float64
	workers int
	tiles   []frame
	// Room for what both pictures show, where that is not their own bytes: large enough to be worth using again.
	refRoom, room []byte
}

func newJudge(ref *scan, target float64, workers int) *judge {
	return &judge{ref: ref, target: target, workers: workers, tiles: cut(ref.width, ref.height)}
}

// frame is a rectangle of pixels.
type frame struct{ x, y, width, height int }

// cut divides a picture into squares as nearly as it goes.
func cut(width, height int) []frame {
	columns, rows := max(1, (width+tile/2)/tile), max(1, (height+tile/2)/tile)
	var out []frame
	for r := range rows {
		for c := range columns {
			x, y := width*c/columns, height*r/rows
			out = append(out, frame{x, y, width*(c+1)/columns - x, height*(r+1)/rows - y})
		}
	}
	return out
}

// likeness is in points of SSIMULACRA 2.
type likeness struct {
	whole, worst float64   // of the picture, and of its worst tile
	tiles        []float64 // of each of the judge's tiles
}

// identical is what equal pixels get.
func identical() likeness {
	return likeness{whole: ssimulacra2.Identical, worst: ssimulacra2.Identical}
}

// floor is what the worst tile may not be below.
func (j *judge) floor() float64 { return j.target - slack }

// margin is by how much a likeness passes, negative when it fails.
func (j *judge) margin(l likeness) float64 {
	return min(l.whole-j.target, l.worst-j.floor())
}

// of compares s with the judge's picture.
func (j *judge) of(ctx context.Context, s *scan) (likeness, error) {
	out := identical()
	out.tiles = make([]float64, len(j.tiles))
	for i := range out.tiles {
		out.tiles[i] = ssimulacra2.Identical
	}
	levels := grounds[:]
	if !j.ref.hasAlpha() {
		levels = grounds[:1]
	}
	for _, level := range levels {
		var ref, shown ssimulacra2.Picture
		ref, j.refRoom = j.ref.over(level, j.refRoom)
		shown, j.room = s.over(level, j.room)
		whole, err := ssimulacra2.Compare(ctx, ref, shown)
		if err != nil {
			return likeness{}, fmt.Errorf("compare with the source: %w", err)
		}
		out.whole = min(out.whole, whole)
		if err := j.compareTiles(ctx, ref, shown, out.tiles); err != nil {
			return likeness{}, fmt.Errorf("compare with the source: %w", err)
		}
	}
	out.worst = slices.Min(out.tiles)
	return out, nil
}

// compareTiles lowers scores to those of the tiles, where these are lower.
func (j *judge) compareTiles(ctx context.Context, ref, shown ssimulacra2.Picture, scores []float64) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(j.workers, len(j.tiles)) {
		group.Go(func() error {
			var a, b ssimulacra2.Picture
			for i := int(next.Add(1)) - 1; i < len(j.tiles); i = int(next.Add(1)) - 1 {
				a, b = j.tiles[i].of(ref, a.Pix), j.tiles[i].of(shown, b.Pix)
				points, err := ssimulacra2.Compare(ctx, a, b)
				if err != nil {
					return err //nolint:wrapcheck // of wraps it
				}
				scores[i] = min(scores[i], points)
			}
			return nil
		})
	}
	return group.Wait()
}

// of copies the frame's pixels into room.
func (f frame) of(p ssimulacra2.Picture, room []byte) ssimulacra2.Picture {
	if size := f.width * f.height * 3; cap(room) < size {
		room = make([]byte, 0, size)
	}
	out := ssimulacra2.Picture{Width: f.width, Height: f.height, Pix: room[:0]}
	for y := f.y; y < f.y+f.height; y++ {
		i := (y*p.Width + f.x) * 3
		out.Pix = append(out.Pix, p.Pix[i:i+f.width*3]...)
	}
	return out
}
