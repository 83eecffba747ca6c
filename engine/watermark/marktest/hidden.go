package marktest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"strings"
)

// Stealth writes text into the lowest bits of a copy of p as the form says, one of stealth_pnginfo, stealth_pngcomp,
// stealth_rgbinfo and stealth_rgbcomp. p has room for it.
func Stealth(p *image.NRGBA, form, text string) *image.NRGBA {
	body := []byte(text)
	if strings.HasSuffix(form, "comp") {
		body = Gzip(body)
	}
	data := binary.BigEndian.AppendUint32([]byte(form), uint32(8*len(body))) //nolint:gosec // texts of tests are short
	return Bits(p, append(data, body...), strings.Contains(form, "_png"))
}

// Bits writes bytes into the lowest bits of a copy of p, down its columns: of alpha, or of red, green and blue.
func Bits(p *image.NRGBA, data []byte, alpha bool) *image.NRGBA {
	out := image.NewNRGBA(p.Rect)
	copy(out.Pix, p.Pix)
	channels := []int{0, 1, 2}
	if alpha {
		channels = []int{3}
	}
	height := p.Rect.Dy()
	for i := range 8 * len(data) {
		pixel := i / len(channels)
		at := out.PixOffset(p.Rect.Min.X+pixel/height, p.Rect.Min.Y+pixel%height) + channels[i%len(channels)]
		out.Pix[at] = out.Pix[at]&^1 | data[i/8]>>(7-i%8)&1
	}
	return out
}

// Gzip compresses.
func Gzip(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	// A bytes.Buffer takes every write.
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// Strip paints DALL·E 2's five squares into the lower right corner of a copy of p, a 64th of its width each.
func Strip(p *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(p.Rect)
	copy(out.Pix, p.Pix)
	side := p.Rect.Dx() / 64
	for k, c := range []color.NRGBA{{255, 255, 102, 255}, {66, 255, 255, 255}, {81, 218, 76, 255}, {255, 110, 60, 255}, {60, 70, 255, 255}} {
		left := p.Rect.Max.X - (5-k)*side
		square := image.Rect(left, p.Rect.Max.Y-side, left+side, p.Rect.Max.Y)
		draw.Draw(out, square, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return out
}
