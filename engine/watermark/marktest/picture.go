package marktest

import (
	"image"
	"image/draw"
	"math"
)

// Crop cuts a part out of p, whose corner it moves to 0, 0.
func Crop(p *image.NRGBA, part image.Rectangle) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(out, out.Rect, p, part.Min, draw.Src)
	return out
}

// Beside puts two pictures of one height side by side.
func Beside(a, b *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, a.Rect.Dx()+b.Rect.Dx(), a.Rect.Dy()))
	draw.Draw(out, a.Rect, a, image.Point{}, draw.Src)
	draw.Draw(out, b.Rect.Add(image.Pt(a.Rect.Dx(), 0)), b, image.Point{}, draw.Src)
	return out
}

// Scale brings p to another size: each pixel is the mean of the area that it covers, or lies between its neighbours.
func Scale(p *image.NRGBA, width, height int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	across, down := weights(p.Rect.Dx(), width), weights(p.Rect.Dy(), height)
	for y, rows := range down {
		for x, columns := range across {
			var sum [4]float64
			for _, r := range rows {
				for _, c := range columns {
					at := p.PixOffset(p.Rect.Min.X+c.at, p.Rect.Min.Y+r.at)
					for k := range sum {
						sum[k] += float64(p.Pix[at+k]) * c.weight * r.weight
					}
				}
			}
			for k, v := range sum {
				out.Pix[out.PixOffset(x, y)+k] = clamp(v)
			}
		}
	}
	return out
}

type tap struct {
	at     int
	weight float64
}

// weights are those of a triangle as wide as a pixel of the smaller of both pictures, on either side.
func weights(from, to int) [][]tap {
	ratio := float64(from) / float64(to)
	reach := max(ratio, 1)
	out := make([][]tap, to)
	for i := range out {
		middle := (float64(i)+0.5)*ratio - 0.5
		var sum float64
		for at := max(int(middle-reach), 0); at <= min(int(middle+reach)+1, from-1); at++ {
			if w := 1 - math.Abs(float64(at)-middle)/reach; w > 0 {
				out[i] = append(out[i], tap{at, w})
				sum += w
			}
		}
		for k := range out[i] {
			out[i][k].weight /= sum
		}
	}
	return out
}

// Paste puts q onto a copy of p.
func Paste(p, q *image.NRGBA, at image.Point) *image.NRGBA {
	out := image.NewNRGBA(p.Rect)
	copy(out.Pix, p.Pix)
	draw.Draw(out, q.Rect.Add(at), q, image.Point{}, draw.Src)
	return out
}
