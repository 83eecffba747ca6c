package mediatest

import (
	"bytes"
	"image"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"testing"

	"veracity/engine/probe"
)

// GIF makes a GIF of 256 colours. The frames of an animation differ in one line each.
func GIF(tb testing.TB, w, h int, opts ...Option) []byte {
	tb.Helper()
	s := newSpec(tb, probe.GIF, w, h, opts)
	animation := &gif.GIF{}
	for i := range s.frames {
		frame := Paletted(s.picture)
		if s.frames > 1 {
			clear(frame.Pix[i%h*frame.Stride:][:w])
		}
		animation.Image = append(animation.Image, frame)
		animation.Delay = append(animation.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, animation); err != nil {
		tb.Fatalf("encode GIF: %v", err)
	}
	return b.Bytes()
}

// Paletted brings a picture down to 256 colours.
func Paletted(p image.Image) *image.Paletted {
	out := image.NewPaletted(p.Bounds(), palette.Plan9)
	draw.Draw(out, out.Bounds(), p, p.Bounds().Min, draw.Src)
	return out
}
