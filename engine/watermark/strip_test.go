package watermark_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/mediatest"
	"veracity/engine/mediatest/coded"
	"veracity/engine/watermark"
	"veracity/engine/watermark/marktest"
)

func TestTheStripIsReadAtEverySizeOfItsGenerator(t *testing.T) {
	t.Parallel()
	for _, side := range []int{1024, 512, 256} {
		p := marktest.Strip(mediatest.Flat(side, side, color.NRGBA{90, 80, 70, 255}))
		requireAI(t, watermark.Read(pixels(p)), watermark.Strip, "DALL·E 2")
	}
}

func TestTheStripSurvivesEncodingAndScaling(t *testing.T) {
	t.Parallel()
	p := marktest.Strip(mediatest.Flat(512, 512, color.NRGBA{90, 80, 70, 255}))
	for name, file := range map[string][]byte{
		"JPEG 90": asJPEG(t, p, 90), "JPEG 75": asJPEG(t, p, 75), "WebP 80": coded.WebP(t, p, 80),
		"scaled":             asPNG(t, marktest.Scale(p, 430, 430)),
		"scaled, JPEG 85":    asJPEG(t, marktest.Scale(p, 640, 640), 85),
		"cut above and left": asJPEG(t, marktest.Crop(p, image.Rect(100, 233, 512, 512)), 90),
		"alpha":              asPNG(t, filled(p, image.Rect(0, 0, 9, 9), color.NRGBA{1, 2, 3, 128})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := watermark.Read(decoded(t, file))
			requireAI(t, r, watermark.Strip, "DALL·E 2")
			require.Equal(t, 99, r.Score)
			require.LessOrEqual(t, r.Marks[0].Strip.Off, 24)
		})
	}
}

func TestColoursThatAreNoStripSayNothing(t *testing.T) {
	t.Parallel()
	const side, square = 256, 4
	strip := marktest.Strip(mediatest.Photo(side, side))
	at := func(k int) image.Rectangle {
		left := side - (5-k)*square
		return image.Rect(left, side-square, left+square, side)
	}
	turned := image.NewNRGBA(strip.Rect)
	bars := filled(strip, image.Rectangle{}, color.Black)
	for y := range side {
		for x := range side {
			turned.SetNRGBA(x, y, strip.NRGBAAt(side-1-x, y))
			if x >= side-5*square {
				bars.SetNRGBA(x, y, strip.NRGBAAt(x, side-1))
			}
		}
	}
	for name, picture := range map[string]*image.NRGBA{
		"a square of another colour": filled(strip, at(1), color.NRGBA{200, 40, 200, 255}),
		"paler":                      filled(strip, at(4), color.NRGBA{100, 110, 255, 255}),
		"in another corner":          turned,
		"bars":                       bars,
		"moved":                      marktest.Crop(strip, image.Rect(0, 0, side-2, side-2)),
	} {
		require.Equal(t, engine.None, watermark.Read(pixels(picture)).Verdict, name)
	}
	require.Equal(t, engine.AI, watermark.Read(pixels(strip)).Verdict)
}
