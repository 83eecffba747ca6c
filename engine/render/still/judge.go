package still

import (
	"context"
	"fmt"
	"sync"

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
	whole, worst float64 // of the picture, and of its worst square
}

// margin is by how much a likeness passes, negative when it fails.
func (j *judge) margin(l likeness) float64 {
	return min(l.whole-j.target, l.worst-(j.target-slack))
}

// of compares s with the judge's picture.
func (j *judge) of(ctx context.Context, s *scan) (likeness, error) {
	out := likeness{100, 100}
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
		worst, err := j.worst(ctx, ref, shown)
		if err != nil {
			return likeness{}, fmt.Errorf("compare with the source: %w", err)
		}
		out = likeness{min(out.whole, whole), min(out.worst, worst)}
	}
	return out, nil
}

func (j *judge) worst(ctx context.Context, ref, shown ssimulacra2.Picture) (float64, error) {
	var held sync.Mutex
	worst := 100.0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(j.workers)
	for _, f := range j.tiles {
		group.Go(func() error {
			points, err := ssimulacra2.Compare(ctx, f.of(ref), f.of(shown))
			held.Lock()
			defer held.Unlock()
			worst = min(worst, points)
			return err //nolint:wrapcheck // of wraps it
		})
	}
	return worst, group.Wait()
}

// of copies the frame's pixels.
func (f frame) of(p ssimulacra2.Picture) ssimulacra2.Picture {
	out := ssimulacra2.Picture{Width: f.width, Height: f.height, Pix: make([]byte, 0, f.width*f.height*3)}
	for y := f.y; y < f.y+f.height; y++ {
		i := (y*p.Width + f.x) * 3
		out.Pix = append(out.Pix, p.Pix[i:i+f.width*3]...)
	}
	return out
}
