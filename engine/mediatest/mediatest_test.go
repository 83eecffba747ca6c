package mediatest_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // the makers' files are read back
	_ "image/jpeg" // as above
	_ "image/png"  // as above
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

func TestMakersMakeWhatOthersRead(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"jpeg": mediatest.JPEG(t, 40, 30, mediatest.WithEXIF(mediatest.EXIF(3)), mediatest.WithXMP("<x/>"),
			mediatest.WithSegment(0xFE, []byte("comment")), mediatest.WithICC(mediatest.SRGB().ICC())),
		"png": mediatest.PNG(t, 40, 30, mediatest.WithEXIF(mediatest.EXIF(3)), mediatest.WithXMP("<x/>"),
			mediatest.PNGText("a", "b"), mediatest.PNGCompressedText("c", "d"), mediatest.PNGInternationalText("e", "f"),
			mediatest.PNGTextAfterPixels("g", "h"), mediatest.WithICC(mediatest.SRGB().ICC())),
		"gif": mediatest.GIF(t, 40, 30),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			picture, format, err := image.Decode(bytes.NewReader(data))
			require.NoError(t, err)
			require.Equal(t, name, format)
			require.Equal(t, image.Pt(40, 30), picture.Bounds().Size())
		})
	}
}

func TestSameCallGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	require.Equal(t, mediatest.JPEG(t, 40, 30), mediatest.JPEG(t, 40, 30))
	require.Equal(t, mediatest.DisplayP3().ICC(), mediatest.DisplayP3().ICC())
	require.Equal(t, mediatest.Photo(40, 30).Pix, mediatest.Photo(40, 30).Pix)
}

func TestPhotoIsNoFlatColour(t *testing.T) {
	t.Parallel()
	colours := map[[3]byte]bool{}
	p := mediatest.Photo(64, 48)
	for i := 0; i < len(p.Pix); i += 4 {
		colours[[3]byte(p.Pix[i:])] = true
		require.Equal(t, uint8(255), p.Pix[i+3])
	}
	require.Greater(t, len(colours), 500)
}

func TestPNGChunksStandWhereTheyWereAskedFor(t *testing.T) {
	t.Parallel()
	data := mediatest.PNG(t, 8, 8, mediatest.PNGText("before", "1"), mediatest.PNGTextAfterPixels("after", "2"))
	var order []string
	for c, err := range probe.PNGChunks(data) {
		require.NoError(t, err)
		if c.Type == "tEXt" {
			order = append(order, string(c.Body))
			continue
		}
		order = append(order, c.Type)
	}
	require.Equal(t, []string{"IHDR", "before\x001", "IDAT", "after\x002", "IEND"}, order)
}

func TestFixturesAreWhatTheySay(t *testing.T) {
	t.Parallel()
	for format, data := range map[probe.Format][]byte{
		probe.AVIF: mediatest.TinyAVIF(), probe.HEIC: mediatest.TinyHEIC(),
	} {
		require.Equal(t, format, probe.Sniff(data))
		changed := data
		changed[0] ^= 0xFF
		require.NotEqual(t, changed, map[probe.Format]func() []byte{
			probe.AVIF: mediatest.TinyAVIF, probe.HEIC: mediatest.TinyHEIC,
		}[format](), "each call gives a copy of its own")
	}
	require.Equal(t, probe.AVIF, probe.Sniff(mediatest.TinyAVIF10()))
}

// An option that a format does not have would otherwise leave a test with another file than it thinks.
func TestWrongOptionStopsTheTest(t *testing.T) {
	t.Parallel()
	stopped := &stopper{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		mediatest.GIF(stopped, 8, 8, mediatest.WithXMP("<x/>"))
	}()
	<-done
	require.Equal(t, "WithXMP is no option of GIF", stopped.message)
}

// stopper stands in for a test that is to fail.
type stopper struct {
	testing.TB
	message string
}

func (s *stopper) Helper() {}

func (s *stopper) Fatalf(format string, args ...any) {
	s.message = fmt.Sprintf(format, args...)
	panic(s.message)
}
