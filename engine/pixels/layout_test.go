package pixels_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/model"
	"veracity/engine/pixels"
	"veracity/engine/pixels/pixelstest"
)

// shown is the side of the pictures here, and of the patches that the network takes.
const shown = 128

// shownBy is what a network with that input and policy is shown of a picture.
func shownBy(t *testing.T, p *image.NRGBA, change func(m *pixelstest.Network)) (values []float32, r pixels.Report) {
	t.Helper()
	m := pixelstest.Patches(shown, 1, func(patch []float32) model.Row { values = append([]float32{}, patch...); return model.Row{} })
	change(m)
	r, err := pixels.Read(t.Context(), m, rgb(p))
	require.NoError(t, err)
	require.Len(t, r.Patches, 1)
	return values, r
}

func TestPixelsAreLaidOutAndNormalisedAsTheModelSays(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(shown, shown)
	mean, std := []float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}
	for layout, at := range map[string]func(x, y, c int) int{
		"nchw": func(x, y, c int) int { return c*shown*shown + y*shown + x },
		"nhwc": func(x, y, c int) int { return (y*shown+x)*3 + c },
	} {
		values, _ := shownBy(t, p, func(m *pixelstest.Network) { m.Input.Layout, m.Input.Mean, m.Input.Std = layout, mean, std })
		require.Len(t, values, 3*shown*shown)
		for y := 0; y < shown; y += 7 {
			for x := 0; x < shown; x += 5 {
				pixel := p.NRGBAAt(x, y)
				for c, v := range []uint8{pixel.R, pixel.G, pixel.B} {
					require.InDelta(t, (float64(v)/255-mean[c])/std[c], values[at(x, y, c)], 1e-5)
				}
			}
		}
	}
}

func TestAWholePictureIsScaledToCoverAndCutInItsMiddle(t *testing.T) {
	t.Parallel()
	// Red and blue margins are cut off; a grey photograph of 512 x 512 is left.
	p := image.NewNRGBA(image.Rect(0, 0, 768, 512))
	draw.Draw(p, image.Rect(0, 0, 384, 512), image.NewUniform(color.NRGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
	draw.Draw(p, image.Rect(384, 0, 768, 512), image.NewUniform(color.NRGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	photo := mediatest.Photo(512, 512)
	draw.Draw(p, image.Rect(128, 0, 640, 512), photo, image.Point{}, draw.Src)
	values, r := shownBy(t, p, func(m *pixelstest.Network) { m.Crop.Policy = model.Resize })
	require.Equal(t, pixels.Place{X: 128, Width: 512, Height: 512}, r.Patches[0].Place)
	// Away from the edges each pixel is the mean of the pixels around the place that it covers.
	var off float64
	for y := 8; y < shown-8; y++ {
		for x := 8; x < shown-8; x++ {
			var sum float64
			for dy := range 4 {
				for dx := range 4 {
					sum += float64(photo.NRGBAAt(x*4+dx, y*4+dy).G)
				}
			}
			off += abs(sum/16 - float64(values[shown*shown+y*shown+x]))
		}
	}
	require.Less(t, off/(shown-16)/(shown-16), 4.0)
	for _, edge := range []int{0, shown - 1} {
		pixel := [2]float32{values[edge], values[2*shown*shown+edge]}
		require.Less(t, pixel[0], float32(230), "no margin shines through")
		require.Less(t, pixel[1], float32(230))
	}
}

func TestScalingKeepsFlatColoursAndSizes(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{128, 128}, {129, 200}, {1000, 128}, {641, 479}, {3001, 701}} {
		p := mediatest.Photo(size[0], size[1])
		// The left half of the green channel is flat, for the gate looks at whole colours.
		for i := range p.Pix {
			if i%4 == 1 {
				p.Pix[i] = 77
			}
		}
		values, r := shownBy(t, p, func(m *pixelstest.Network) { m.Crop.Policy = model.Resize })
		for _, v := range values[shown*shown : 2*shown*shown] {
			require.InDelta(t, 77, v, 0.01)
		}
		place := r.Patches[0].Place
		require.Equal(t, min(size[0], size[1]), min(place.Width, place.Height))
		require.LessOrEqual(t, place.X+place.Width, size[0])
		require.LessOrEqual(t, place.Y+place.Height, size[1])
	}
}

func TestAPictureOfTheRightSizeIsShownAsItIs(t *testing.T) {
	t.Parallel()
	p := mediatest.Photo(shown, shown)
	scaled, _ := shownBy(t, p, func(m *pixelstest.Network) { m.Crop.Policy = model.Resize })
	plain, _ := shownBy(t, p, func(*pixelstest.Network) {})
	require.Equal(t, plain, scaled)
}

func abs(v float64) float64 { return max(v, -v) }
