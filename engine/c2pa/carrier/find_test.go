package carrier_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/c2pa/carrier"
	"veracity/engine/c2pa/carrier/carriertest"
	"veracity/engine/mediatest"
	"veracity/engine/probe"
)

func open(b []byte, format probe.Format) carrier.File {
	return carrier.File{R: bytes.NewReader(b), Size: int64(len(b)), Format: format}
}

// requireCut asks that what is left of a file without the ranges is the file as it was before the store came in.
func requireCut(t *testing.T, before, after []byte, ranges []carrier.Range) {
	t.Helper()
	var rest []byte
	at := int64(0)
	for _, r := range ranges {
		require.LessOrEqual(t, at, r.Start)
		rest, at = append(rest, after[at:r.Start]...), r.End
	}
	require.True(t, bytes.Equal(before, append(rest, after[at:]...)), "the ranges are not the store's")
}

func TestStoreIsFoundAndItsRangesAreAllThatItAdds(t *testing.T) {
	t.Parallel()
	store, odd, large := carriertest.Store(700), carriertest.Store(701), carriertest.Store(200_000)
	require.Equal(t, len(store)+1, len(odd))
	extended := slices.Concat([]byte{0, 0, 0, 1}, []byte("jumb"), binary.BigEndian.AppendUint64(nil, uint64(len(store)+8)), store[8:])
	jpeg, png := mediatest.JPEG(t, 16, 16), mediatest.PNG(t, 16, 16)
	gif, webp, wav := mediatest.GIF(t, 16, 16), smallWebP(), mediatest.WAV(0.01)
	mp4 := slices.Concat(mediatest.MP4Head(), carriertest.Box("mdat", make([]byte, 99)))
	tests := []struct {
		name   string
		format probe.Format
		before []byte
		after  []byte
		store  []byte
		where  string
	}{
		{"JPEG, one segment", probe.JPEG, jpeg, carriertest.InJPEG(jpeg, carriertest.Segments(store, 1, 1, 60_000)...), store, "jpeg:APP11"},
		{"JPEG, several segments", probe.JPEG, jpeg, carriertest.InJPEG(jpeg, carriertest.Segments(large, 0x211, 1, 60_000)...), large, "jpeg:APP11"},
		{"JPEG, numbered from 0", probe.JPEG, jpeg, carriertest.InJPEG(jpeg, carriertest.Segments(large, 7, 0, 50_001)...), large, "jpeg:APP11"},
		{"JPEG, shares too small for the description", probe.JPEG, jpeg, carriertest.InJPEG(jpeg, carriertest.Segments(store, 7, 1, 9)...), store, "jpeg:APP11"},
		{"JPEG, long box header", probe.JPEG, jpeg, carriertest.InJPEG(jpeg, carriertest.Segments(extended, 7, 1, 300)...), extended, "jpeg:APP11"},
		{"PNG", probe.PNG, png, carriertest.InPNG(png, carriertest.Chunk("caBX", store)), store, "png:caBX"},
		{"PNG behind the pixels", probe.PNG, png, slices.Concat(png[:len(png)-12], carriertest.Chunk("caBX", store), png[len(png)-12:]), store, "png:caBX"},
		{"GIF", probe.GIF, gif, carriertest.InGIF(gif, carriertest.GIFStore(store)), store, "gif:C2PA_GIF"},
		{"MP4", probe.MP4, mp4, slices.Concat(mp4[:32], carriertest.ManifestBox("manifest", store), mp4[32:]), store, "bmff:uuid:c2pa"},
		{"WebP", probe.WebP, webp[12:], carriertest.InRIFF(webp, carriertest.RIFFChunk("C2PA", store))[12:], store, "webp:C2PA"},
		{"WAV", probe.WAV, wav[12:], carriertest.InRIFF(wav, carriertest.RIFFChunk("C2PA", odd))[12:], odd, "wav:C2PA"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after := tt.after
			if tt.format == probe.WebP || tt.format == probe.WAV { // The length in the header changes with the store.
				header := slices.Concat([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(after)+4)), map[probe.Format][]byte{
					probe.WebP: []byte("WEBP"), probe.WAV: []byte("WAVE"),
				}[tt.format])
				tt.before, after = slices.Concat(header, tt.before), slices.Concat(header, after)
			}
			found, err := carrier.Find(open(after, tt.format))
			require.NoError(t, err)
			require.NotNil(t, found)
			require.Equal(t, tt.where, found.Where)
			require.True(t, bytes.Equal(tt.store, found.Store))
			require.False(t, found.Updated)
			requireCut(t, tt.before, after, found.Ranges)

			found, err = carrier.Find(open(tt.before, tt.format))
			require.NoError(t, err)
			require.Nil(t, found)
		})
	}
}

func smallWebP() []byte {
	return slices.Concat([]byte("RIFF\x12\x00\x00\x00WEBP"), carriertest.RIFFChunk("VP8L", []byte{0x2F, 0, 0, 0, 0}))
}

func TestSegmentsBetweenSharesStayOutOfTheRanges(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(5000)
	jpeg := mediatest.JPEG(t, 16, 16)
	shares := carriertest.Segments(store, 3, 1, 1000)
	other := carriertest.Segment(0xE1, []byte("http://ns.adobe.com/xap/1.0/\x00<x/>"))
	foreign := carriertest.Segments(carriertest.Box("jumb", carriertest.Box("jumd", make([]byte, 40))), 4, 1, 1000)
	file := carriertest.InJPEG(jpeg, slices.Concat(foreign, shares[:2], [][]byte{other}, shares[2:])...)
	found, err := carrier.Find(open(file, probe.JPEG))
	require.NoError(t, err)
	require.True(t, bytes.Equal(store, found.Store))
	require.Len(t, found.Ranges, 2)
	requireCut(t, carriertest.InJPEG(jpeg, foreign[0], other), file, found.Ranges)
}

func TestInstanceIsUsedAgainForAnotherBox(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(3000)
	foreign := carriertest.Segments(carriertest.Box("jumb", carriertest.Box("jumd", make([]byte, 2000))), 1, 1, 1000)
	file := carriertest.InJPEG(mediatest.JPEG(t, 16, 16), slices.Concat(foreign, carriertest.Segments(store, 1, 1, 1000))...)
	found, err := carrier.Find(open(file, probe.JPEG))
	require.NoError(t, err)
	require.True(t, bytes.Equal(store, found.Store))
}

func TestTwoStoresAreRefused(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(300)
	jpeg, png := mediatest.JPEG(t, 16, 16), mediatest.PNG(t, 16, 16)
	chunk, box := carriertest.Chunk("caBX", store), carriertest.ManifestBox("manifest", store)
	object := carriertest.Frame(4, "GEOB", 0, carriertest.Object("application/c2pa", store))
	riff := carriertest.RIFFChunk("C2PA", store)
	entry := carriertest.Entry{Tag: 0xCD41, Type: 7, Data: store}
	tests := []struct {
		name   string
		format probe.Format
		file   []byte
	}{
		{"JPEG", probe.JPEG, carriertest.InJPEG(jpeg, slices.Concat(carriertest.Segments(store, 1, 1, 9000), carriertest.Segments(store, 2, 1, 9000))...)},
		{"JPEG, one instance", probe.JPEG, carriertest.InJPEG(jpeg, slices.Concat(carriertest.Segments(store, 1, 1, 9000), carriertest.Segments(store, 1, 1, 9000))...)},
		{"JPEG, the second behind the scan", probe.JPEG, carriertest.InJPEG(
			slices.Concat(jpeg[:len(jpeg)-2], carriertest.Segments(store, 2, 1, 9000)[0], jpeg[len(jpeg)-2:]), carriertest.Segments(store, 1, 1, 9000)...)},
		{"PNG", probe.PNG, carriertest.InPNG(png, chunk, chunk)},
		{"PNG, the second empty", probe.PNG, carriertest.InPNG(png, chunk, carriertest.Chunk("caBX", nil))},
		{"GIF", probe.GIF, carriertest.InGIF(mediatest.GIF(t, 8, 8), carriertest.GIFStore(store), carriertest.GIFStore(store))},
		{"WAV", probe.WAV, carriertest.InRIFF(mediatest.WAV(0.01), riff, riff)},
		{"MP4", probe.MP4, slices.Concat(mediatest.MP4Head(), box, box)},
		{"MP4, manifest and original", probe.MP4, slices.Concat(mediatest.MP4Head(), box, carriertest.ManifestBox("original", store), carriertest.ManifestBox("update", store))},
		{"MP3", probe.MP3, slices.Concat(carriertest.Tag(4, 0, object, object), mediatest.MP3(3))},
		{"TIFF", probe.TIFF, carriertest.TIFF(binary.LittleEndian, false, []carriertest.Entry{entry}, []carriertest.Entry{entry})},
		{"TIFF, one directory", probe.TIFF, carriertest.TIFF(binary.BigEndian, false, []carriertest.Entry{entry, entry})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := carrier.Find(open(tt.file, tt.format))
			require.ErrorIs(t, err, carrier.ErrSeveral)
		})
	}
}

func TestStoresWhereNoneBelongsAreNone(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(300)
	jpeg, png, wav := mediatest.JPEG(t, 16, 16), mediatest.PNG(t, 16, 16), mediatest.WAV(0.01)
	stored := carriertest.InJPEG(jpeg, carriertest.Segments(store, 1, 1, 9000)...)
	box := carriertest.ManifestBox("manifest", store)
	object := carriertest.Frame(4, "GEOB", 0, carriertest.Object("application/c2pa", store))
	tests := []struct {
		name   string
		format probe.Format
		file   []byte
	}{
		{"JPEG, a further image", probe.JPEG, slices.Concat(jpeg, stored)},
		{"JPEG, behind the image", probe.JPEG, slices.Concat(jpeg, carriertest.Segments(store, 1, 1, 9000)[0])},
		{"JPEG, within another segment", probe.JPEG, carriertest.InJPEG(jpeg, carriertest.Segment(0xE5, carriertest.Segments(store, 1, 1, 9000)[0]))},
		{"JPEG, first share missing", probe.JPEG, carriertest.InJPEG(jpeg, carriertest.Segments(store, 1, 2, 9000)...)},
		{"PNG behind IEND", probe.PNG, slices.Concat(png, carriertest.Chunk("caBX", store))},
		{"PNG in a text", probe.PNG, carriertest.InPNG(png, carriertest.Chunk("tEXt", carriertest.Chunk("caBX", store)))},
		{"WAV in a list", probe.WAV, carriertest.InRIFF(wav, carriertest.RIFFChunk("LIST", append([]byte("INFO"), carriertest.RIFFChunk("C2PA", store)...)))},
		{"WAV behind its end", probe.WAV, slices.Concat(wav, carriertest.RIFFChunk("C2PA", store))},
		{"GIF behind the trailer", probe.GIF, slices.Concat(mediatest.GIF(t, 8, 8), carriertest.GIFStore(store))},
		{"MP4 in another box", probe.MP4, slices.Concat(mediatest.MP4Head(), carriertest.Box("udta", box))},
		{"MP4, merkle", probe.MP4, slices.Concat(mediatest.MP4Head(), carriertest.BMFFBox("merkle", store))},
		{"MP4, another uuid", probe.MP4, slices.Concat(mediatest.MP4Head(), carriertest.Box("uuid", bytes.Repeat([]byte{7}, 16), box[24:]))},
		{"MP3, second tag", probe.MP3, slices.Concat(carriertest.Tag(4, 0), carriertest.Tag(4, 0, object))},
		{"MP3, another type", probe.MP3, carriertest.Tag(4, 0, carriertest.Frame(4, "GEOB", 0, carriertest.Object("application/x", store)))},
		{"MP3, compressed", probe.MP3, carriertest.Tag(4, 0, carriertest.Frame(4, "GEOB", 0x08, carriertest.Object("application/c2pa", store)))},
		{"TIFF, another tag", probe.TIFF, carriertest.TIFF(binary.BigEndian, false, []carriertest.Entry{{Tag: 700, Type: 7, Data: store}})},
		{"no format that holds one", probe.WebM, mediatest.WebMHead()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := carrier.Find(open(tt.file, tt.format))
			require.NoError(t, err)
			require.Nil(t, found)
		})
	}
}

func TestBrokenFramingIsRefused(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(3000)
	jpeg, png, mp4 := mediatest.JPEG(t, 16, 16), mediatest.PNG(t, 16, 16), mediatest.MP4Head()
	shares := carriertest.Segments(store, 1, 1, 1000)
	short := carriertest.Store(3000)[:2000]
	tests := []struct {
		name   string
		format probe.Format
		file   []byte
	}{
		{"JPEG, last share missing", probe.JPEG, carriertest.InJPEG(jpeg, shares[:2]...)},
		{"JPEG, a share missing", probe.JPEG, carriertest.InJPEG(jpeg, slices.Concat(shares[:1], shares[2:])...)},
		{"JPEG, shares out of order", probe.JPEG, carriertest.InJPEG(jpeg, shares[0], shares[2], shares[1])},
		{"JPEG, a share twice", probe.JPEG, carriertest.InJPEG(jpeg, slices.Concat(shares[:2], shares[1:])...)},
		{"PNG, something else", probe.PNG, carriertest.InPNG(png, carriertest.Chunk("caBX", []byte("nothing")))},
		{"PNG, another superbox", probe.PNG, carriertest.InPNG(png, carriertest.Chunk("caBX", carriertest.Manifest(10)))},
		{"GIF, something else", probe.GIF, carriertest.InGIF(mediatest.GIF(t, 8, 8), carriertest.GIFStore([]byte("nothing")))},
		{"MP4, something else", probe.MP4, slices.Concat(mp4, carriertest.ManifestBox("manifest", []byte("nothing")))},
		{"MP4, update alone", probe.MP4, slices.Concat(mp4, carriertest.ManifestBox("update", store))},
		{"MP4, original alone", probe.MP4, slices.Concat(mp4, carriertest.ManifestBox("original", store))},
		{"MP4, manifest and update", probe.MP4, slices.Concat(mp4, carriertest.ManifestBox("manifest", store), carriertest.ManifestBox("update", store))},
		{"MP3, something else", probe.MP3, carriertest.Tag(3, 0, carriertest.Frame(3, "GEOB", 0, carriertest.Object("application/c2pa", []byte("x"))))},
		{"TIFF, outside the file", probe.TIFF, carriertest.TIFF(binary.BigEndian, false, []carriertest.Entry{{Tag: 0xCD41, Type: 7, Data: short}})[:1500]},
		{"TIFF, another type", probe.TIFF, carriertest.TIFF(binary.BigEndian, false, []carriertest.Entry{{Tag: 0xCD41, Type: 3, Data: store}})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := carrier.Find(open(tt.file, tt.format))
			require.ErrorIs(t, err, carrier.ErrBroken)
		})
	}
}

// hole is a reader of zeros around a beginning, of any size, without the memory for it.
type hole struct {
	head []byte
	size int64
}

func (h hole) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	if at < int64(len(h.head)) {
		copy(p, h.head[at:])
	}
	return len(p), nil
}

func TestStoreTooLargeIsRefusedWithoutReadingIt(t *testing.T) {
	t.Parallel()
	const size = 1 << 30
	head := slices.Concat(mediatest.PNG(t, 4, 4)[:33], binary.BigEndian.AppendUint32(nil, carrier.MaxStore+1), []byte("caBX"))
	_, err := carrier.Find(carrier.File{R: hole{head, size}, Size: size, Format: probe.PNG})
	require.ErrorIs(t, err, carrier.ErrBroken)
}

func TestUpdateBoxJoinsTheOriginalStore(t *testing.T) {
	t.Parallel()
	first, second := carriertest.Manifest(40), carriertest.Update(30)
	ftyp, movie := mediatest.MP4Head(), carriertest.Box("mdat", make([]byte, 99))
	original := carriertest.ManifestBox("original", append(carriertest.StoreOf(first), 0, 0, 0))
	update := carriertest.ManifestBox("update", carriertest.StoreOf(second))
	file := slices.Concat(ftyp, original, movie, update)
	found, err := carrier.Find(open(file, probe.MP4))
	require.NoError(t, err)
	require.True(t, bytes.Equal(carriertest.StoreOf(first, second), found.Store))
	require.True(t, found.Updated)
	requireCut(t, slices.Concat(ftyp, movie), file, found.Ranges)
}

func TestStoreThatEndsInAnUpdateIsToldAsOne(t *testing.T) {
	t.Parallel()
	png := mediatest.PNG(t, 4, 4)
	for want, store := range map[bool][]byte{
		true:  carriertest.StoreOf(carriertest.Manifest(10), carriertest.Update(10)),
		false: carriertest.StoreOf(carriertest.Update(10), carriertest.Manifest(10)),
	} {
		found, err := carrier.Find(open(carriertest.InPNG(png, carriertest.Chunk("caBX", store)), probe.PNG))
		require.NoError(t, err)
		require.Equal(t, want, found.Updated)
	}
}

// failing fails from an offset on.
type failing struct {
	*bytes.Reader
	from int64
}

var errDisk = errors.New("disk on fire")

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.from {
		return 0, errDisk
	}
	return f.Reader.ReadAt(p, at)
}

func TestErrorsOfTheReaderAreNoAnswer(t *testing.T) {
	t.Parallel()
	store := carriertest.Store(100_000)
	for format, file := range stored(t, store) {
		_, err := carrier.Find(carrier.File{R: failing{bytes.NewReader(file), 90_000}, Size: int64(len(file)), Format: format})
		require.ErrorIs(t, err, errDisk, format)
	}
}

func TestFileCutAnywhereNeverFails(t *testing.T) {
	t.Parallel()
	for format, file := range stored(t, carriertest.Store(300)) {
		for n := range len(file) {
			found, err := carrier.Find(open(file[:n], format))
			if err != nil {
				require.ErrorIs(t, err, carrier.ErrBroken, format)
			}
			if found != nil {
				require.True(t, bytes.Equal(carriertest.Store(300), found.Store), format)
				require.LessOrEqual(t, found.Ranges[len(found.Ranges)-1].End, int64(n))
			}
			_, _, err = carrier.Pieces(open(file[:n], format))
			require.NoError(t, err, format)
		}
	}
}

// stored has one file of each format with the store in it.
func stored(tb testing.TB, store []byte) map[probe.Format][]byte {
	tb.Helper()
	chunk := carriertest.RIFFChunk("C2PA", store)
	return map[probe.Format][]byte{
		probe.JPEG: carriertest.InJPEG(mediatest.JPEG(tb, 8, 8), carriertest.Segments(store, 1, 1, 60_000)...),
		probe.PNG:  carriertest.InPNG(mediatest.PNG(tb, 8, 8), carriertest.Chunk("caBX", store)),
		probe.GIF:  carriertest.InGIF(mediatest.GIF(tb, 4, 4), carriertest.GIFStore(store)),
		probe.WebP: carriertest.InRIFF(smallWebP(), chunk),
		probe.WAV:  carriertest.InRIFF(mediatest.WAV(0.01), chunk),
		probe.MP4:  slices.Concat(mediatest.FileType("isom", "mp41"), carriertest.ManifestBox("manifest", store), carriertest.Box("moov")),
		probe.AVIF: slices.Concat(mediatest.FileType("avif", "mif1"), carriertest.ManifestBox("manifest", store)),
		probe.TIFF: carriertest.TIFF(binary.LittleEndian, false, []carriertest.Entry{{Tag: 0xCD41, Type: 7, Data: store}}),
		probe.MP3: slices.Concat(carriertest.Tag(4, 0, carriertest.Frame(4, "GEOB", 0, carriertest.Object("application/c2pa", store))),
			mediatest.MP3(2)),
	}
}
