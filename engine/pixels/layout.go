package pixels

import (
	"veracity/engine/model"
	"veracity/engine/raster"
)

// layout puts pixels into a model's tensor. Each channel's 256 values are computed once.
type layout struct {
	values [3][256]float32
	// pixel and channel are how far the next one lies in the tensor.
	pixel, channel int
}

func newLayout(in model.Input) layout {
	l := layout{pixel: 1, channel: in.Width * in.Height}
	if in.Layout == "nhwc" {
		l.pixel, l.channel = 3, 1
	}
	for c := range l.values {
		mean, std := 0.0, 1.0
		if len(in.Mean) > c {
			mean = in.Mean[c]
		}
		if len(in.Std) > c {
			std = in.Std[c]
		}
		for v := range l.values[c] {
			l.values[c][v] = float32((float64(v)/255 - mean) / std)
		}
	}
	return l
}

// put writes a picture of the model's size, without alpha to speak of.
func (l *layout) put(m *raster.Image, into []float32) {
	at := 0
	for i := 0; i+2 < len(m.Pix); i += m.Channels {
		for c := range l.values {
			into[at+c*l.channel] = l.values[c][m.Pix[i+c]]
		}
		at += l.pixel
	}
}

// part copies a place of a picture, in three channels.
func part(m *raster.Image, at Place) *raster.Image {
	out := &raster.Image{Width: at.Width, Height: at.Height, Channels: 3, Pix: make([]byte, 0, 3*at.Width*at.Height)}
	for y := range at.Height {
		row := m.Row(at.Y + y)[at.X*m.Channels : (at.X+at.Width)*m.Channels]
		for x := 0; x < len(row); x += m.Channels {
			out.Pix = append(out.Pix, row[x:x+3]...)
		}
	}
	return out
}

// mirrored continues a picture that is smaller than width x height by its mirror image, without its edge twice.
func mirrored(m *raster.Image, width, height int) *raster.Image {
	if m.Width >= width && m.Height >= height {
		return m
	}
	out := &raster.Image{Width: max(m.Width, width), Height: max(m.Height, height), Channels: m.Channels}
	out.Pix = make([]byte, 0, out.Width*out.Height*out.Channels)
	for y := range out.Height {
		row := m.Row(reflected(y, m.Height))
		for x := range out.Width {
			from := reflected(x, m.Width) * m.Channels
			out.Pix = append(out.Pix, row[from:from+m.Channels]...)
		}
	}
	return out
}

// reflected is the coordinate within 0 to n-1 that stands for i.
func reflected(i, n int) int {
	if n == 1 {
		return 0
	}
	i %= 2 * (n - 1)
	return min(i, 2*(n-1)-i)
}

// onWhite shows a picture with transparent parts as on a white page. What nobody can see must not be read, for it need not
// be what is seen; and white is never looked at.
func onWhite(m *raster.Image) *raster.Image {
	if m.Channels != 4 || opaque(m) {
		return m
	}
	out := &raster.Image{Width: m.Width, Height: m.Height, Channels: 3, Pix: make([]byte, 0, 3*m.Width*m.Height)}
	for i := 0; i < len(m.Pix); i += 4 {
		alpha := int(m.Pix[i+3])
		for _, v := range m.Pix[i : i+3] {
			out.Pix = append(out.Pix, byte((int(v)*alpha+255*(255-alpha)+127)/255)) //nolint:gosec // a mean of bytes
		}
	}
	return out
}

func opaque(m *raster.Image) bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 255 {
			return false
		}
	}
	return true
}
