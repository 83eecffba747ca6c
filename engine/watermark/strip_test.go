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
		p := marktest.Strip(mediatest.Photo(side, side))
		requireAI(t, watermark.Read(pixels(p)), watermark.Strip, "DALL·E 2")
	}
}

func TestTheStripSurvivesEncodingAndScaling(t *testing.T) {
	t.Parallel()
	p := marktest.Strip(mediatest.Flat(1024, 1024, color.NRGBA{90, 80, 70, 255}))
	for name, file := range map[string][]byte{
		"JPEG 90": asJPEG(t, p, 90), "JPEG 75": asJPEG(t, p, 75), "JPEG 60": asJPEG(t, p, 60), "WebP 80": coded.WebP(t, p, 80),
		"at 800":             asPNG(t, marktest.Scale(p, 800, 800)),
		"at 700, JPEG 85":    asJPEG(t, marktest.Scale(p, 700, 700), 85),
		"cut above and left": asJPEG(t, marktest.Crop(p, image.Rect(100, 333, 1024, 1024)), 90),
		"alpha":              asPNG(t, p),
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
	p := mediatest.Photo(512, 512)
	strip := marktest.Strip(p)
	turned := image.NewNRGBA(strip.Rect)
	for y := range 512 {
		for x := range 512 {
			turned.SetNRGBA(x, y, strip.NRGBAAt(511-x, y))
		}
	}
	bars := filled(strip, image.Rectangle{}, color.Black)
	for y := 503; y > 300; y-- {
		for x := 472; x < 512; x++ {
			bars.SetNRGBA(x, y, strip.NRGBAAt(x, 511))
		}
	}
	for name, picture := range map[string]*image.NRGBA{
		"a square of another colour": filled(strip, image.Rect(480, 504, 488, 512), color.NRGBA{200, 40, 200, 255}),
		"paler":                      filled(strip, image.Rect(504, 504, 512, 512), color.NRGBA{100, 110, 255, 255}),
		"in another corner":          turned,
		"bars":                       bars,
		"moved":                      marktest.Crop(strip, image.Rect(0, 0, 508, 508)),
	} {
		require.Equal(t, engine.None, watermark.Read(pixels(picture)).Verdict, name)
	}
}
