package raster_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/platform/fault"
)

// bmpColours is a palette as BMP stores it: blue, green, red, unused.
func bmpColours(n int) []byte {
	b := make([]byte, 4*n)
	copy(b, "\x00\x00\xFF\x00"+"\x00\xFF\x00\x00"+"\xFF\x00\x00\x00"+"\xFF\xFF\xFF\x00")
	return b
}

func masks(m ...uint32) []byte {
	var b []byte
	for _, v := range m {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// Each file is two by two pixels: red and green over blue and white.
func TestBMPVariants(t *testing.T) {
	t.Parallel()
	opaque := []byte{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}
	core := []byte("BM\x00\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x0C\x00\x00\x00\x02\x00\x02\x00\x01\x00\x01\x00" +
		"\x00\x00\x00\xFF\xFF\xFF\xC0\x00\x00\x00\x00\x00\x00\x00")
	tests := map[string]struct {
		data []byte
		want []byte
	}{
		"1 bit":     {mediatest.BMPFile(2, 2, 1, 0, bmpColours(2), []byte{0x40, 0, 0, 0, 0x80, 0, 0, 0}), []byte{0, 255, 0, 255, 0, 0, 255, 0, 0, 0, 255, 0}},
		"4 bits":    {mediatest.BMPFile(2, 2, 4, 0, bmpColours(16), []byte{0x23, 0, 0, 0, 0x01, 0, 0, 0}), opaque},
		"8 bits":    {mediatest.BMPFile(2, 2, 8, 0, bmpColours(256), []byte{2, 3, 0, 0, 0, 1, 0, 0}), opaque},
		"top down":  {mediatest.BMPFile(2, -2, 8, 0, bmpColours(256), []byte{0, 1, 0, 0, 2, 3, 0, 0}), opaque},
		"24 bits":   {mediatest.BMPFile(2, 2, 24, 0, nil, []byte("\xFF\x00\x00\xFF\xFF\xFF\x00\x00\x00\x00\xFF\x00\xFF\x00\x00\x00")), opaque},
		"32 bits":   {mediatest.BMPFile(2, 2, 32, 0, nil, []byte("\xFF\x00\x00\x00\xFF\xFF\xFF\x00\x00\x00\xFF\x00\x00\xFF\x00\x00")), opaque},
		"5-5-5":     {mediatest.BMPFile(2, 2, 16, 0, nil, []byte("\x1F\x00\xFF\x7F\x00\x7C\xE0\x03")), opaque},
		"5-6-5":     {mediatest.BMPFile(2, 2, 16, 3, masks(0xF800, 0x07E0, 0x001F), []byte("\x1F\x00\xFF\xFF\x00\xF8\xE0\x07")), opaque},
		"alpha":     {mediatest.BMPFile(1, 1, 32, 6, masks(0xFF, 0xFF00, 0xFF0000, 0xFF000000), []byte{1, 2, 3, 4}), []byte{1, 2, 3, 4}},
		"RLE8":      {mediatest.BMPFile(2, 2, 8, 1, bmpColours(256), []byte{1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 1}), opaque},
		"literals":  {mediatest.BMPFile(3, 1, 8, 1, bmpColours(256), []byte{0, 3, 0, 1, 2, 0, 0, 1}), opaque[:9]},
		"RLE4":      {mediatest.BMPFile(2, 2, 4, 2, bmpColours(16), []byte{2, 0x23, 0, 0, 2, 0x01, 0, 1}), opaque},
		"RLE skips": {mediatest.BMPFile(2, 2, 8, 1, bmpColours(256), []byte{0, 2, 1, 1, 9, 1, 0, 1}), []byte{255, 0, 0, 0, 255, 0, 255, 0, 0, 255, 0, 0}},
		"OS/2":      {core, []byte{0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, mustDecode(t, tt.data).Pix)
		})
	}
}

func TestBMPDamageIsRefused(t *testing.T) {
	t.Parallel()
	whole := mediatest.BMP(t, 64, 48)
	farOffset := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(farOffset[10:], 1<<30)
	tests := map[string][]byte{
		"rows cut short":       whole[:len(whole)-10],
		"pixels elsewhere":     farOffset,
		"JPEG inside":          mediatest.BMPFile(2, 2, 24, 4, nil, make([]byte, 64)),
		"two bits":             mediatest.BMPFile(2, 2, 2, 0, nil, make([]byte, 64)),
		"runs without end":     mediatest.BMPFile(64, 64, 8, 1, bmpColours(256), []byte{1, 2, 1, 3}),
		"a literal cut short":  mediatest.BMPFile(64, 64, 8, 1, bmpColours(256), []byte{0, 9, 1, 2}),
		"a move cut short":     mediatest.BMPFile(64, 64, 8, 1, bmpColours(256), []byte{0, 2, 1}),
		"runs from the top":    mediatest.BMPFile(2, -2, 8, 1, bmpColours(256), []byte{0, 1}),
		"masks of eight bits":  mediatest.BMPFile(2, 2, 8, 3, masks(1, 2, 4), make([]byte, 64)),
		"nothing but a header": whole[:54],
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireFault(t, data, fault.UnsupportedMedia)
		})
	}
}

func FuzzBMP(f *testing.F) {
	f.Add(mediatest.BMP(f, 8, 8))
	f.Add(mediatest.BMPFile(2, 2, 8, 1, bmpColours(256), []byte{1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 1}))
	f.Add(mediatest.BMPFile(2, 2, 4, 2, bmpColours(16), []byte{2, 0x23, 0, 0, 2, 0x01, 0, 1}))
	f.Add(mediatest.BMPFile(1, 1, 32, 6, masks(0xFF, 0xFF00, 0xFF0000, 0xFF000000), []byte{1, 2, 3, 4}))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(t.Context(), data)
		if err != nil {
			return
		}
		if len(m.Pix) != m.Width*m.Height*m.Channels {
			t.Fatalf("%d bytes for %d x %d x %d", len(m.Pix), m.Width, m.Height, m.Channels)
		}
	})
}
