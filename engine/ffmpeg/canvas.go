package ffmpeg

import (
	"fmt"
	"strings"

	"veracity/engine/raster"
)

// canvas says how decoded frames become pictures: to which size, and through which colours.
type canvas struct {
	// width and height are those of the picture, upright.
	width, height int
	turn          string
	sideways      bool
	matrix, span  string
	coded         int64
	// deep is set where eight bits do not do: the colours are then mapped here.
	deep *Grade
}

const channels = 3

func newCanvas(v *Video, maxSide int) canvas {
	c := canvas{
		turn: v.turn, sideways: strings.HasPrefix(v.turn, "transpose"), matrix: v.ScaleMatrix(), span: v.ScaleRange(),
		coded: int64(v.CodedWidth) * int64(v.CodedHeight), deep: v.Grade(),
	}
	c.width, c.height = fit(v.Width, v.Height, maxSide)
	return c
}

// atOnce is how many key frames are decoded in one start. Each has a decoder of its own that keeps its picture until the
// end, so that large ones come in smaller batches.
func (c canvas) atOnce() int {
	const pixels, most = 32_000_000, 8
	return int(min(most, max(1, pixels/max(1, c.coded))))
}

// filters scale, convert and turn a decoded frame.
func (c canvas) filters() string {
	width, height := c.width, c.height
	if c.sideways {
		width, height = height, width
	}
	format := "rgb24"
	if c.deep != nil {
		format = "rgb48le"
	}
	scale := fmt.Sprintf("scale=%d:%d:flags=bicubic+accurate_rnd+full_chroma_int", width, height)
	if c.matrix != "" {
		scale += ":in_color_matrix=" + c.matrix
	}
	if c.span != "" {
		scale += ":in_range=" + c.span
	}
	filters := scale + ",format=" + format
	if c.turn != "" {
		filters += "," + c.turn
	}
	return filters
}

// bytes is the size of one raw picture.
func (c canvas) bytes() int {
	n := c.width * c.height * channels
	if c.deep != nil {
		n *= 2
	}
	return n
}

// develop makes the picture of raw pixels, which it keeps or turns into others.
func (c canvas) develop(raw []byte) *raster.Image {
	if c.deep != nil {
		raw = c.deep.develop(raw)
	}
	return &raster.Image{Width: c.width, Height: c.height, Channels: channels, Pix: raw}
}
