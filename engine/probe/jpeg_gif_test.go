package probe_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

func segment(marker byte, body ...byte) []byte {
	return append([]byte{0xFF, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
}

func frame(marker byte, bits, components byte) []byte {
	return segment(marker, append([]byte{bits, 0, 48, 0, 64, components}, make([]byte, 3*components)...)...)
}

func jpegFile(parts ...[]byte) []byte {
	return append([]byte{0xFF, 0xD8}, bytes.Join(parts, nil)...)
}

func scan() []byte {
	return append(segment(0xDA, 1, 1, 0, 0, 63, 0), 0x12, 0xFF, 0x00, 0xFF, 0xD0, 0x34)
}

func TestJPEGScansAreCounted(t *testing.T) {
	t.Parallel()
	end := []byte{0xFF, 0xD9}
	data := jpegFile(segment(0xFE, 0xFF, 0xDA), frame(0xC2, 8, 3), scan(), segment(0xC4, 0), scan(), scan(), end, scan())
	info, err := header(data)
	require.NoError(t, err)
	require.Equal(t, 3, info.Scans, "those inside segments and after the end do not count")
}

func TestJPEGVariants(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		data []byte
		want error
	}{
		"baseline grey":         {jpegFile(frame(0xC0, 8, 1), scan()), nil},
		"extended":              {jpegFile(frame(0xC1, 8, 3), scan()), nil},
		"four components":       {jpegFile(frame(0xC0, 8, 4), scan()), nil},
		"fill bytes and junk":   {jpegFile([]byte{0xFF, 0xFF}, segment(0xFE), []byte{1, 2, 3}, frame(0xC0, 8, 3), scan()), nil},
		"no end marker":         {jpegFile(frame(0xC0, 8, 3), scan()), nil},
		"lossless":              {jpegFile(frame(0xC3, 8, 3), scan()), probe.ErrUnsupported},
		"arithmetic":            {jpegFile(frame(0xC9, 8, 3), scan()), probe.ErrUnsupported},
		"twelve bits":           {jpegFile(frame(0xC1, 12, 3), scan()), probe.ErrUnsupported},
		"two components":        {jpegFile(frame(0xC0, 8, 2), scan()), probe.ErrUnsupported},
		"height in the end":     {jpegFile(segment(0xC0, 8, 0, 0, 0, 64, 1, 1, 17, 0), scan()), probe.ErrUnsupported},
		"two frames":            {jpegFile(frame(0xC0, 8, 3), frame(0xC0, 8, 3), scan()), probe.ErrMalformed},
		"no frame":              {jpegFile(scan()), probe.ErrMalformed},
		"no scan":               {jpegFile(frame(0xC0, 8, 3), []byte{0xFF, 0xD9}), probe.ErrMalformed},
		"short frame":           {jpegFile(segment(0xC0, 8, 0, 1), scan()), probe.ErrMalformed},
		"segment past the end":  {jpegFile([]byte{0xFF, 0xE1, 0xFF, 0xFF, 0}), probe.ErrMalformed},
		"segment of length one": {jpegFile([]byte{0xFF, 0xE1, 0, 1}, frame(0xC0, 8, 3), scan()), probe.ErrMalformed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := probe.Header(tt.data, probe.JPEG)
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, tt.want)
		})
	}
}

func TestGIFSizeCoversAPictureLargerThanItsScreen(t *testing.T) {
	t.Parallel()
	data := mediatest.GIF(t, 8, 8)
	at := bytes.Index(data, []byte{0x2C, 0, 0, 0, 0, 8, 0, 8, 0})
	require.Positive(t, at)
	copy(data[at+5:], []byte{0xFF, 0xFF, 0xFF, 0xFF})
	info, err := header(data)
	require.NoError(t, err)
	require.Equal(t, [2]int{65535, 65535}, [2]int{info.Width, info.Height})
}

func TestGIFWithoutPictureIsMalformed(t *testing.T) {
	t.Parallel()
	_, err := header([]byte("GIF89a\x08\x00\x08\x00\x00\x00\x00\x21\xFE\x03abc\x00\x3B"))
	require.ErrorIs(t, err, probe.ErrMalformed)
}

func TestPNGStructure(t *testing.T) {
	t.Parallel()
	good := mediatest.PNG(t, 8, 8)
	signature, ihdr := good[:8], good[8:33]
	iend := good[len(good)-12:]
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	tests := map[string][]byte{
		"no header":        join(signature, iend),
		"header not first": join(signature, mediatest.Chunk("tEXt", []byte("a\x00b")), ihdr, iend),
		"two headers":      join(signature, ihdr, ihdr, iend),
		"no pixels":        join(signature, ihdr, iend),
		"short header":     join(signature, mediatest.Chunk("IHDR", make([]byte, 12)), iend),
		"absurd size":      join(signature, mediatest.Chunk("IHDR", bytes.Repeat([]byte{0xFF}, 13)), iend),
		"no end":           good[:len(good)-12],
		"no size":          join(signature, mediatest.Chunk("IHDR", make([]byte, 13)), mediatest.Chunk("IDAT", nil), iend),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := header(data)
			require.ErrorIs(t, err, probe.ErrMalformed)
		})
	}
}

func TestBMPSizes(t *testing.T) {
	t.Parallel()
	topDown := mediatest.BMPFile(64, -48, 24, 0, nil, make([]byte, 64*48*3))
	info, err := header(topDown)
	require.NoError(t, err)
	require.Equal(t, [2]int{64, 48}, [2]int{info.Width, info.Height})

	old := []byte("BM\x00\x00\x00\x00\x00\x00\x00\x00\x1A\x00\x00\x00\x0C\x00\x00\x00\x40\x00\x30\x00\x01\x00\x18\x00")
	info, err = header(old)
	require.NoError(t, err)
	require.Equal(t, [2]int{64, 48}, [2]int{info.Width, info.Height})

	_, err = header(mediatest.BMPFile(-64, 48, 24, 0, nil, nil))
	require.ErrorIs(t, err, probe.ErrMalformed)
}
