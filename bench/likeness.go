package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"

	"veracity/engine/render/ssimulacra2"
)

// readPNG decodes a PNG file and gives its length.
func readPNG(path string) (*image.NRGBA, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("open a picture: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	p, err := png.Decode(f)
	if err != nil {
		return nil, 0, fmt.Errorf("decode a picture: %w", err)
	}
	length, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, fmt.Errorf("measure a picture: %w", err)
	}
	return plainPixels(p), length, nil
}

// plainPixels are a picture's, not multiplied with their opacity. image/draw would multiply them on the way.
func plainPixels(p image.Image) *image.NRGBA {
	if plain, ok := p.(*image.NRGBA); ok {
		return plain
	}
	b := p.Bounds()
	plain := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			if c, ok := color.NRGBAModel.Convert(p.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA); ok {
				plain.SetNRGBA(x, y, c)
			}
		}
	}
	return plain
}

// Shades of grey, as parts of white, on which a picture that is not opaque is compared: the worse score counts, as in the
// reference implementation.
const (
	darkGrey   = 0.1
	brightGrey = 0.9
)

// likeness is the SSIMULACRA 2 score of a picture against its source.
func likeness(ctx context.Context, source, other *image.NRGBA) (float64, error) {
	if source.Bounds().Size() != other.Bounds().Size() {
		return 0, errors.New("an output has not the size of its source")
	}
	grounds := []float64{darkGrey, brightGrey}
	if source.Opaque() && other.Opaque() {
		grounds = grounds[:1] // nothing of it shows
	}
	worst := math.Inf(1)
	for _, ground := range grounds {
		score, err := ssimulacra2.Compare(ctx, onGrey(source, ground), onGrey(other, ground))
		if err != nil {
			return 0, err
		}
		worst = min(worst, score)
	}
	return worst, nil
}

// onGrey lays a picture on a ground, in sRGB.
func onGrey(p *image.NRGBA, grey float64) ssimulacra2.Picture {
	size := p.Bounds().Size()
	flat := ssimulacra2.Picture{Width: size.X, Height: size.Y, Pix: make([]byte, 0, 3*size.X*size.Y)}
	for y := range size.Y {
		line := p.Pix[y*p.Stride : y*p.Stride+4*size.X]
		for ; len(line) > 0; line = line[4:] {
			opacity := float64(line[3]) / 255
			for _, v := range line[:3] {
				flat.Pix = append(flat.Pix, level(float64(v)*opacity+255*grey*(1-opacity)))
			}
		}
	}
	return flat
}
