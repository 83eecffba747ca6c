package probe_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// header sniffs and reads, as callers do.
func header(data []byte) (probe.Info, error) {
	return probe.Header(data, probe.Sniff(data))
}

func TestHeaderReadsTheSize(t *testing.T) {
	t.Parallel()
	tests := map[string][]byte{
		"JPEG": mediatest.JPEG(t, 64, 48, mediatest.WithEXIF(mediatest.EXIF(6)), mediatest.WithXMP("<x/>")),
		"PNG":  mediatest.PNG(t, 64, 48, mediatest.PNGText("k", "v"), mediatest.PNGTextAfterPixels("k", "v")),
		"GIF":  mediatest.GIF(t, 64, 48),
		"BMP":  mediatest.BMP(t, 64, 48),
		"TIFF": mediatest.TIFF(t, 64, 48),
		"AVIF": mediatest.TinyAVIF(),
		"HEIC": mediatest.TinyHEIC(),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info, err := header(data)
			require.NoError(t, err)
			require.Equal(t, 64, info.Width)
			require.Equal(t, 48, info.Height)
			require.Equal(t, 1, info.Pages)
			require.Equal(t, 1, info.Scans)
			require.False(t, info.Animated)
			require.GreaterOrEqual(t, info.Work, int64(64*48))
		})
	}
}

func TestHeaderCountsPagesAndFrames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		data     []byte
		animated bool
	}{
		"APNG":          {mediatest.PNG(t, 8, 8, mediatest.WithFrames(3)), true},
		"animated GIF":  {mediatest.GIF(t, 8, 8, mediatest.WithFrames(3)), true},
		"animated WebP": {animatedWebP(), true},
		"AVIF sequence": {append(mediatest.FileType("avis", "avis"), mediatest.Box("moov")...), true},
		"HEIC sequence": {append(mediatest.FileType("heic", "heic"), mediatest.Box("moov")...), true},
		"TIFF pages":    {mediatest.TIFF(t, 8, 8, mediatest.WithPages(3)), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info, err := header(tt.data)
			require.NoError(t, err)
			require.Greater(t, info.Pages, 1)
			require.Equal(t, tt.animated, info.Animated)
		})
	}
}

func TestAnnouncedSingleFrameIsStill(t *testing.T) {
	t.Parallel()
	oneFrame := mediatest.PNG(t, 8, 8, mediatest.PNGChunk("acTL", []byte{0, 0, 0, 1, 0, 0, 0, 0}))
	info, err := header(oneFrame)
	require.NoError(t, err)
	require.False(t, info.Animated)
	require.Equal(t, 1, info.Pages)
}

// Every prefix of a file is read without a panic, and a file without its second half is refused by header or left to
// the decoder, never taken for a smaller picture.
func TestTruncatedHeadersNeverChangeTheSize(t *testing.T) {
	t.Parallel()
	files := [][]byte{
		mediatest.JPEG(t, 64, 48), mediatest.PNG(t, 64, 48), mediatest.GIF(t, 64, 48), mediatest.BMP(t, 64, 48),
		mediatest.TIFF(t, 64, 48), mediatest.TinyAVIF(), mediatest.TinyHEIC(), lossyWebP(64, 48),
	}
	for _, data := range files {
		format := probe.Sniff(data)
		for n := range data {
			info, err := probe.Header(data[:n], format)
			if err == nil {
				require.Equal(t, [2]int{64, 48}, [2]int{info.Width, info.Height}, "%s cut to %d bytes", format, n)
			}
		}
	}
}

func TestContainersCutShortAreMalformed(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{
		mediatest.PNG(t, 64, 48), mediatest.GIF(t, 64, 48), mediatest.TIFF(t, 64, 48), mediatest.TinyAVIF(),
		mediatest.TinyHEIC(), lossyWebP(64, 48),
	} {
		format := probe.Sniff(data)
		_, err := probe.Header(data[:len(data)*2/3], format)
		require.ErrorIs(t, err, probe.ErrMalformed, format)
	}
}

func TestHeaderOfNoImageIsUnsupported(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{mediatest.MP4Head(), mediatest.WAV(0.01), []byte("text")} {
		_, err := header(data)
		require.ErrorIs(t, err, probe.ErrUnsupported)
	}
}

func TestPNGChunksEndAtIEND(t *testing.T) {
	t.Parallel()
	data := append(mediatest.PNG(t, 8, 8, mediatest.PNGText("k", "v")), "trailing bytes"...)
	var kinds []string
	for c, err := range probe.PNGChunks(data) {
		require.NoError(t, err)
		require.Len(t, c.Raw, len(c.Body)+12)
		kinds = append(kinds, c.Type)
	}
	require.Equal(t, []string{"IHDR", "tEXt", "IDAT", "IEND"}, kinds)
}

// riffFile makes a RIFF file of form WEBP.
func riffFile(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)))
	return append(b, body...)
}

func riffChunk(id string, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body)))
	b = append(b, body...)
	return append(b, make([]byte, len(body)%2)...)
}

// canvas is the body of a VP8X chunk.
func canvas(flags byte, w, h int) []byte {
	return []byte{flags, 0, 0, 0, byte(w - 1), byte((w - 1) >> 8), byte((w - 1) >> 16), byte(h - 1), byte((h - 1) >> 8), byte((h - 1) >> 16)}
}

func lossyPicture(w, h int) []byte {
	return riffChunk("VP8 ", []byte{0x10, 0, 0, 0x9D, 0x01, 0x2A, byte(w), byte(w >> 8), byte(h), byte(h >> 8), 0, 0})
}

func losslessPicture(w, h int) []byte {
	bits := binary.LittleEndian.AppendUint32([]byte{0x2F}, uint32(w-1)|uint32(h-1)<<14)
	return riffChunk("VP8L", append(bits, 0))
}

func lossyWebP(w, h int) []byte { return riffFile(lossyPicture(w, h)) }

func animatedWebP() []byte {
	return riffFile(riffChunk("VP8X", canvas(0x02, 8, 8)), riffChunk("ANIM", make([]byte, 6)),
		riffChunk("ANMF", make([]byte, 24)), riffChunk("ANMF", make([]byte, 24)))
}

func TestWebPSizes(t *testing.T) {
	t.Parallel()
	tests := map[string][]byte{
		"lossy":             lossyWebP(300, 200),
		"lossless":          riffFile(losslessPicture(300, 200)),
		"extended lossy":    riffFile(riffChunk("VP8X", canvas(0, 300, 200)), lossyPicture(300, 200)),
		"extended lossless": riffFile(riffChunk("VP8X", canvas(0x10, 300, 200)), losslessPicture(300, 200), riffChunk("XMP ", []byte("x"))),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info, err := header(data)
			require.NoError(t, err)
			require.Equal(t, [2]int{300, 200}, [2]int{info.Width, info.Height})
		})
	}
}

func TestWebPThatContradictsItselfIsMalformed(t *testing.T) {
	t.Parallel()
	tests := map[string][]byte{
		"a larger picture than canvas": riffFile(riffChunk("VP8X", canvas(0, 10, 10)), losslessPicture(16000, 16000)),
		"two pictures":                 riffFile(lossyPicture(8, 8), lossyPicture(8, 8)),
		"no picture":                   riffFile(riffChunk("VP8X", canvas(0, 10, 10))),
		"an inter frame":               riffFile(riffChunk("VP8 ", []byte{0x11, 0, 0, 0x9D, 0x01, 0x2A, 8, 0, 8, 0})),
		"a second canvas":              riffFile(riffChunk("VP8X", canvas(0, 8, 8)), riffChunk("VP8X", canvas(2, 8, 8))),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := header(data)
			require.ErrorIs(t, err, probe.ErrMalformed)
		})
	}
}
