//nolint:gosec // test media are small: no size comes near the range of its field
package clips

import (
	"image"
	"image/color"

	"veracity/engine/mediatest"
)

// Picture is what a clip's frames show.
type Picture string

// Pictures.
const (
	// Moving is a photograph with grain over which the camera pans, two pixels a frame.
	Moving Picture = "moving"
	// Counter is a flat grey that says which frame it is: see [Level].
	Counter Picture = "counter"
	// Quarters is red and green over blue and white, standing still.
	Quarters Picture = "quarters"
	// Grey is one flat grey of level 128, standing still.
	Grey Picture = "grey"
)

// levels are the greys of Counter: far enough apart to be told after coding, and none black or white.
const (
	levels     = 24
	firstLevel = 20
	levelStep  = 9
)

// Level is the grey of frame n of Counter, from 20 to 227. It begins anew every 24 frames.
func Level(n int) int { return firstLevel + levelStep*(n%levels) }

// FrameOf says which frame of Counter a grey belongs to, modulo 24.
func FrameOf(level int) int { return max(0, level-firstLevel+levelStep/2) / levelStep % levels }

// pan is how far the camera of Moving goes before it is back.
const pan = 64

// frames gives what draws the picture's nth frame.
func frames(s Spec) func(n int) *image.NRGBA {
	bounds := image.Rect(0, 0, s.Width, s.Height)
	var still *image.NRGBA
	switch s.Picture {
	case Counter:
		return func(n int) *image.NRGBA { return flat(s.Width, s.Height, Level(n)) }
	case Quarters:
		still = mediatest.Quadrants(s.Width, s.Height)
	case Grey:
		still = flat(s.Width, s.Height, 128)
	default:
		wide := mediatest.Photo(s.Width+pan, s.Height)
		return func(n int) *image.NRGBA {
			at := 2 * n % (2 * pan)
			if at > pan {
				at = 2*pan - at
			}
			return wide.SubImage(bounds.Add(image.Pt(at, 0))).(*image.NRGBA)
		}
	}
	return func(int) *image.NRGBA { return still }
}

func flat(w, h, level int) *image.NRGBA {
	return mediatest.Flat(w, h, color.NRGBA{uint8(level), uint8(level), uint8(level), 255})
}
