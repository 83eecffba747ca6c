//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"encoding/binary"
	"image/color"
	"testing"

	"veracity/engine/probe"
)

// TIFFTag is one entry of a directory: values of type LONG.
type TIFFTag struct {
	Tag    uint16
	Values []uint32
}

// TIFF makes a little-endian RGB TIFF with one strip a page.
func TIFF(tb testing.TB, w, h int, opts ...Option) []byte {
	tb.Helper()
	const none, deflated = 1, 8
	s := newSpec(tb, probe.TIFF, w, h, opts)
	strip, compression := make([]byte, 0, 3*w*h), uint32(none)
	for y := range h {
		for x := range w {
			c := color.NRGBAModel.Convert(s.picture.At(x, y)).(color.NRGBA)
			strip = append(strip, c.R, c.G, c.B)
		}
	}
	if s.deflate {
		strip, compression = Deflate(strip), deflated
	}
	file := []byte("II*\x00\x00\x00\x00\x00")
	offset := uint32(len(file))
	file = append(file, strip...)
	tags := []TIFFTag{
		{256, []uint32{uint32(w)}},
		{257, []uint32{uint32(h)}},
		{258, []uint32{8}},
		{259, []uint32{compression}},
		{262, []uint32{2}},
		{273, []uint32{offset}},
		{274, []uint32{uint32(max(s.orientation, 1))}},
		{277, []uint32{3}},
		{278, []uint32{uint32(h)}},
		{279, []uint32{uint32(len(strip))}},
	}
	link := 4
	for range s.pages {
		file, link = AppendTIFFDirectory(file, link, tags...)
	}
	return file
}

// AppendTIFFDirectory adds a directory to a little-endian TIFF, writes its offset at link, and gives the place of the
// link to the next one. Values that do not fit an entry go behind the directory.
func AppendTIFFDirectory(file []byte, link int, tags ...TIFFTag) (longer []byte, next int) {
	const long, entrySize = 4, 12
	le := binary.LittleEndian
	at := len(file)
	le.PutUint32(file[link:], uint32(at))
	values := at + 2 + entrySize*len(tags) + 4
	file = le.AppendUint16(file, uint16(len(tags)))
	var behind []byte
	for _, t := range tags {
		file = le.AppendUint16(file, t.Tag)
		file = le.AppendUint16(file, long)
		file = le.AppendUint32(file, uint32(len(t.Values)))
		if len(t.Values) == 1 {
			file = le.AppendUint32(file, t.Values[0])
			continue
		}
		file = le.AppendUint32(file, uint32(values+len(behind)))
		for _, v := range t.Values {
			behind = le.AppendUint32(behind, v)
		}
	}
	next = len(file)
	file = append(file, 0, 0, 0, 0)
	return append(file, behind...), next
}
