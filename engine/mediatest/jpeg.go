//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"
	"testing"

	"veracity/engine/probe"
)

// WithSegment puts a segment with the given marker (0xE0 to 0xEF, 0xFE) before the frame header of a JPEG.
func WithSegment(marker byte, payload []byte) Option {
	return Option{"WithSegment", []probe.Format{probe.JPEG}, func(s *spec) {
		s.before = append(s.before, jpegSegment(marker, payload))
	}}
}

// JPEG makes a baseline JPEG.
func JPEG(tb testing.TB, w, h int, opts ...Option) []byte {
	tb.Helper()
	s := newSpec(tb, probe.JPEG, w, h, opts)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, s.picture, &jpeg.Options{Quality: s.quality}); err != nil {
		tb.Fatalf("encode JPEG: %v", err)
	}
	const startOfImage = 2
	file := b.Bytes()
	return bytes.Join([][]byte{file[:startOfImage], bytes.Join(s.jpegSegments(), nil), file[startOfImage:]}, nil)
}

func (s *spec) jpegSegments() [][]byte {
	var out [][]byte
	if s.exif != nil {
		out = append(out, jpegSegment(0xE1, append([]byte("Exif\x00\x00"), s.exif...)))
	}
	if s.xmp != "" {
		out = append(out, jpegSegment(0xE1, []byte("http://ns.adobe.com/xap/1.0/\x00"+s.xmp)))
	}
	if s.icc != nil {
		out = append(out, jpegSegment(0xE2, append([]byte("ICC_PROFILE\x00\x01\x01"), s.icc...)))
	}
	return append(out, s.before...)
}

func jpegSegment(marker byte, payload []byte) []byte {
	b := []byte{0xFF, marker}
	b = binary.BigEndian.AppendUint16(b, uint16(len(payload)+2))
	return append(b, payload...)
}

// EXIF makes the smallest EXIF block that states an orientation.
func EXIF(orientation int) []byte {
	const tagOrientation, typeShort = 0x0112, 3
	be := binary.BigEndian
	b := []byte("MM\x00*\x00\x00\x00\x08")
	b = be.AppendUint16(b, 1)
	b = be.AppendUint16(b, tagOrientation)
	b = be.AppendUint16(b, typeShort)
	b = be.AppendUint32(b, 1)
	b = be.AppendUint16(b, uint16(orientation))
	return append(b, 0, 0, 0, 0, 0, 0)
}
