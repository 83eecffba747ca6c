package carrier_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

// names lists the pieces of a file and asks that they leave no gap.
func names(t *testing.T, file []byte, format probe.Format) []string {
	t.Helper()
	pieces, ok, err := carrier.Pieces(open(file, format))
	require.NoError(t, err)
	require.True(t, ok)
	var out []string
	at := int64(0)
	for _, p := range pieces {
		require.Equal(t, at, p.Start)
		require.Greater(t, p.End, p.Start)
		if p.Metadata.Len() > 0 {
			require.True(t, p.Metadata.Start > p.Start && p.Metadata.End <= p.End, p.Name)
		}
		at = p.End
		out = append(out, p.Name)
	}
	require.Equal(t, int64(len(file)), at)
	return out
}

func TestPiecesOfAJPEG(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(5000)
	shares := carriertest.Segments(store, 1, 1, 1000)
	scan := func(data ...byte) []byte {
		return append(carriertest.Segment(0xDA, []byte{1, 1, 0, 0, 63, 0}), data...)
	}
	segments := [][]byte{
		{0xFF, 0xD8},
		carriertest.Segment(0xE0, []byte("JFIF\x00")), shares[0], shares[1], shares[2], shares[3], shares[4], shares[5],
		carriertest.Segment(0xEB, []byte("JP\x00\x02\x00\x00\x00\x01\x00\x00\x00\x10RESIxxxxxxxx")),
		carriertest.Segment(0xDB, make([]byte, 65)), carriertest.Segment(0xC2, make([]byte, 9)), carriertest.Segment(0xC4, make([]byte, 9)),
		carriertest.Segment(0xDD, []byte{0, 4}), scan(1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4, 5, 0xFF, 0xD1, 6), carriertest.Segment(0xFE, []byte("x")),
		scan(1, 2, 0xFF),
		{0xFF, 0xD9},
	}
	want := []string{
		"SOI", "APP0", "C2PA", "APP11", "DQT", "SOF2", "DHT", "DRI", "SOS", "RST0", "RST1", "COM", "SOS", "EOI",
	}
	file := slices.Concat(segments...)
	require.Equal(t, want, names(t, file, probe.JPEG))

	t.Run("a further image follows", func(t *testing.T) {
		t.Parallel()
		further := slices.Concat([]byte{0xFF, 0xD8}, scan(7), []byte{0xFF, 0xD9})
		require.Equal(t, append(slices.Clone(want), "SOI", "SOS", "EOI", "c2pa.after"),
			names(t, slices.Concat(file, further, []byte("trailer")), probe.JPEG))
	})
	t.Run("bytes between segments have no name", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, append([]string{"SOI", ""}, want[1:]...),
			names(t, slices.Concat(file[:2], []byte{0xFF, 0xFF}, file[2:]), probe.JPEG))
	})
}

func TestPiecesOfAPNG(t *testing.T) {
	t.Parallel()
	png := carriertest.InPNG(mediatest.PNG(t, 8, 8), carriertest.Chunk("tEXt", []byte("a\x00b")), carriertest.Chunk("caBX", carriertest.Store(9)))
	require.Equal(t, []string{"PNGh", "IHDR", "tEXt", "C2PA", "IDAT", "IEND"}, names(t, png, probe.PNG))
	require.Equal(t, []string{"PNGh", "IHDR", "tEXt", "C2PA", "IDAT", "IEND", "c2pa.after"}, names(t, append(png, 1), probe.PNG))
}

func TestPiecesOfAGIF(t *testing.T) {
	t.Parallel()
	gif := slices.Concat([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"), make([]byte, 6), carriertest.GIFStore(carriertest.Store(600)),
		[]byte("\x21\xFE\x02hi\x00\x21\xF9\x04\x00\x00\x00\x00\x00"),
		[]byte("\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x80"), make([]byte, 6), []byte("\x02\x02\x44\x01\x00\x00\x3B"))
	require.Equal(t, []string{"GIF89a", "LSD", "C2PA", "21FE", "21F9", "2C", "TBID", "", "3B"}, names(t, gif, probe.GIF))
}

func TestPiecesOfRIFF(t *testing.T) {
	t.Parallel()
	list := carriertest.RIFFChunk("LIST", []byte("INFOISFT\x02\x00\x00\x00x\x00"))
	wav := carriertest.InRIFF(mediatest.WAV(0.01), list, carriertest.RIFFChunk("odd ", []byte{1}), carriertest.RIFFChunk("C2PA", carriertest.Store(9)))
	require.Equal(t, []string{"WAVE", "fmt ", "data", "INFO", "odd ", "C2PA"}, names(t, wav, probe.WAV))
	require.Equal(t, []string{"WEBP", "VP8L", "EXIF", "c2pa.after"},
		names(t, append(carriertest.InRIFF(smallWebP(), carriertest.RIFFChunk("EXIF", []byte("II*\x00"))), "RIFF"...), probe.WebP))
}

func TestFormatsWithoutBoxesHaveNoPieces(t *testing.T) {
	t.Parallel()
	for _, format := range []probe.Format{probe.MP4, probe.TIFF, probe.MP3, probe.AVIF, probe.WebM, probe.Unknown} {
		pieces, ok, err := carrier.Pieces(open(make([]byte, 64), format))
		require.NoError(t, err)
		require.False(t, ok)
		require.Empty(t, pieces)
	}
}

func TestMetadataAreThePayloadsThatShowNothing(t *testing.T) {
	t.Parallel()
	icc := carriertest.Segment(0xE2, []byte("ICC_PROFILE\x00\x01\x01profile"))
	index := carriertest.Segment(0xE2, []byte("MPF\x00MM\x00*"))
	exif := carriertest.Segment(0xE1, []byte("Exif\x00\x00MM\x00*"))
	adobe := carriertest.Segment(0xEE, []byte("Adobe\x00d\x00\x00\x00\x00\x01"))
	file := carriertest.InJPEG(mediatest.JPEG(t, 8, 8), icc, index, exif, adobe)
	pieces, _, err := carrier.Pieces(open(file, probe.JPEG))
	require.NoError(t, err)
	var payloads []string
	for _, p := range pieces {
		if p.Metadata.Len() > 0 {
			payloads = append(payloads, string(file[p.Metadata.Start:p.Metadata.End]))
		}
	}
	require.Equal(t, []string{"MPF\x00MM\x00*", "Exif\x00\x00MM\x00*"}, payloads)
}

func TestFloodOfPiecesIsRefused(t *testing.T) {
	t.Parallel()
	chunk := binary.BigEndian.AppendUint32([]byte("\x00\x00\x00\x00abcd"), 0)
	flood := slices.Concat(mediatest.PNG(t, 4, 4)[:33], slices.Repeat(chunk, 1<<17))
	_, ok, err := carrier.Pieces(open(flood, probe.PNG))
	require.True(t, ok)
	require.ErrorIs(t, err, carrier.ErrBroken)
}
