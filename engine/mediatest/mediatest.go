// Package mediatest makes media for tests in code, from fixed seeds: the same call gives the same bytes on every
// machine. What Go can encode is made here without cgo; package coded makes the rest through libvips. Nothing here may
// be linked into the product.
package mediatest

import (
	"image"
	"slices"
	"testing"

	"veracity/engine/probe"
)

// Option shapes a made file. A maker fails the test when it is given an option that its format does not have.
type Option struct {
	name    string
	formats []probe.Format
	apply   func(*spec)
}

// spec is a file to be made.
type spec struct {
	picture     image.Image
	quality     int
	exif        []byte
	xmp         string
	icc         []byte
	orientation int
	pages       int
	frames      int
	deflate     bool
	before      [][]byte
	after       [][]byte
}

func newSpec(tb testing.TB, f probe.Format, w, h int, opts []Option) *spec {
	tb.Helper()
	s := &spec{quality: 90, pages: 1, frames: 1}
	for _, o := range opts {
		if !slices.Contains(o.formats, f) {
			tb.Fatalf("%s is no option of %s", o.name, f.Name())
		}
		o.apply(s)
	}
	if s.picture == nil {
		s.picture = Photo(w, h)
	}
	if size := s.picture.Bounds().Size(); size.X != w || size.Y != h {
		tb.Fatalf("the picture has %d x %d pixels, not %d x %d", size.X, size.Y, w, h)
	}
	return s
}

// WithPicture encodes p instead of [Photo]. p must have the size that the maker is asked for.
func WithPicture(p image.Image) Option {
	return Option{
		"WithPicture",
		[]probe.Format{probe.JPEG, probe.PNG, probe.GIF, probe.BMP, probe.TIFF},
		func(s *spec) { s.picture = p },
	}
}

// WithQuality sets the JPEG quality, 1 to 100.
func WithQuality(q int) Option {
	return Option{"WithQuality", []probe.Format{probe.JPEG}, func(s *spec) { s.quality = q }}
}

// WithEXIF embeds an EXIF block, which starts with its TIFF header ([EXIF] makes one).
func WithEXIF(tiff []byte) Option {
	return Option{"WithEXIF", []probe.Format{probe.JPEG, probe.PNG}, func(s *spec) { s.exif = tiff }}
}

// WithOrientation sets the EXIF or TIFF orientation, 1 to 8.
func WithOrientation(n int) Option {
	return Option{"WithOrientation", []probe.Format{probe.JPEG, probe.PNG, probe.TIFF}, func(s *spec) {
		s.orientation = n
		s.exif = EXIF(n)
	}}
}

// WithXMP embeds an XMP packet.
func WithXMP(xml string) Option {
	return Option{"WithXMP", []probe.Format{probe.JPEG, probe.PNG}, func(s *spec) { s.xmp = xml }}
}

// WithICC embeds a colour profile.
func WithICC(profile []byte) Option {
	return Option{"WithICC", []probe.Format{probe.JPEG, probe.PNG}, func(s *spec) { s.icc = profile }}
}

// WithFrames makes an animation of n frames.
func WithFrames(n int) Option {
	return Option{"WithFrames", []probe.Format{probe.PNG, probe.GIF}, func(s *spec) { s.frames = n }}
}

// WithPages makes a TIFF of n pages.
func WithPages(n int) Option {
	return Option{"WithPages", []probe.Format{probe.TIFF}, func(s *spec) { s.pages = n }}
}

// WithDeflate compresses a TIFF's strip.
func WithDeflate() Option {
	return Option{"WithDeflate", []probe.Format{probe.TIFF}, func(s *spec) { s.deflate = true }}
}
