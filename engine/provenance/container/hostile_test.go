package container_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance/container"
	"veracity/engine/provenance/internal/sample"
)

// whole is one file of each container, with metadata in several places.
func whole() map[string][]byte {
	item := sample.Item{Type: "mime", Media: "application/rdf+xml", Data: []byte(packet)}
	return map[string][]byte{
		"JPEG": sample.JPEG(sample.Segment(sample.APP1, append([]byte("Exif\x00\x00"), little...)), sample.XMPSegment(packet),
			sample.ExtendedXMPSegment(strings.Repeat("A", 32), 3, 0, "abc"),
			sample.Segment(sample.APP13, sample.Photoshop(iim)), sample.ManifestSegment()),
		"PNG": sample.PNG(sample.Text("Title", "a"), sample.ZIText("Author", "b"), sample.RawProfile("iptc", iim),
			sample.PNGChunk("eXIf", little), sample.PNGChunk("caBX", sample.ManifestStore())),
		"WebP": sample.WebP(sample.RIFFChunk("EXIF", little), sample.RIFFChunk("C2PA", sample.ManifestStore())),
		"TIFF": tiff(sample.TagXMP, []byte(packet)),
		"GIF":  sample.GIF(sample.GIFXMP(packet), sample.GIFComment("hello")),
		"AVIF": sample.HEIF("avif", []sample.Item{item, {Type: "Exif", Data: little, Split: true}}, sample.ManifestBox()),
	}
}

func TestTruncatedFilesGiveWhatIsWhole(t *testing.T) {
	t.Parallel()
	for name, file := range whole() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := 0
			for n := range len(file) + 1 {
				blocks := container.Open(file[:n]).Blocks
				require.GreaterOrEqual(t, len(blocks), before, "%d bytes", n)
				before = len(blocks)
			}
			require.Positive(t, before)
		})
	}
}

func TestExtendedXMPIsJoinedInAnyOrder(t *testing.T) {
	t.Parallel()
	guid := strings.Repeat("A", 32)
	file := sample.JPEG(
		sample.ExtendedXMPSegment(guid, 6, 3, "def"),
		sample.ExtendedXMPSegment(guid, 6, 0, "abc"),
	)
	require.Equal(t, []container.Block{
		{Kind: container.ExtendedXMP, Where: "jpeg:APP1:xmp-extended", Key: guid, Data: []byte("abcdef")},
	}, container.Open(file).Blocks)
}

func TestExtendedXMPThatIsNotWholeIsLeft(t *testing.T) {
	t.Parallel()
	guid := strings.Repeat("A", 32)
	flood := make([][]byte, 0, 1000)
	for i := range 1000 {
		flood = append(flood, sample.ExtendedXMPSegment(fmt.Sprintf("%032d", i), 1<<30, 0, "x"))
	}
	tests := map[string][]byte{
		"gap":             sample.JPEG(sample.ExtendedXMPSegment(guid, 6, 0, "ab"), sample.ExtendedXMPSegment(guid, 6, 3, "def")),
		"overlap":         sample.JPEG(sample.ExtendedXMPSegment(guid, 6, 0, "abcd"), sample.ExtendedXMPSegment(guid, 6, 3, "def")),
		"too short":       sample.JPEG(sample.ExtendedXMPSegment(guid, 6, 0, "abc")),
		"too long":        sample.JPEG(sample.ExtendedXMPSegment(guid, 2, 0, "abc")),
		"other lengths":   sample.JPEG(sample.ExtendedXMPSegment(guid, 6, 0, "abc"), sample.ExtendedXMPSegment(guid, 7, 3, "def")),
		"flood of GUIDs":  sample.JPEG(flood...),
		"cut in its head": sample.JPEG(sample.Segment(sample.APP1, []byte("http://ns.adobe.com/xmp/extension/\x00short"))),
	}
	for name, file := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, container.Open(file).Blocks)
		})
	}
}

func TestBombsAreNotInflated(t *testing.T) {
	t.Parallel()
	bomb := sample.ZText("parameters", strings.Repeat("x", 9<<20))
	require.Empty(t, container.Open(sample.PNG(bomb)).Blocks, "a text above the limit")

	large := sample.ZIText("parameters", strings.Repeat("x", 7<<20))
	file := container.Open(sample.PNG(bytes.Repeat(large, 50)))
	require.LessOrEqual(t, len(file.Blocks), 2, "texts above the file's allowance")

	after := container.Open(sample.PNG(bytes.Repeat(bomb, 2), sample.Text("Title", "plain")))
	require.Len(t, after.Blocks, 1, "texts that are not compressed are still read")
}

func TestBrokenCompressedTextsAreLeft(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"no zlib":         "Title\x00\x00abc",
		"unknown method":  "Title\x00\x01" + string(sample.Deflate([]byte("text"))),
		"no keyword":      "\x00\x00" + string(sample.Deflate([]byte("text"))),
		"keyword alone":   "Title",
		"damaged content": "Title\x00\x00" + string(sample.Deflate([]byte("text"))[:6]),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, container.Open(sample.PNG(sample.PNGChunk("zTXt", []byte(payload)))).Blocks)
		})
	}
}

func TestFloodsOfBlocksAreBounded(t *testing.T) {
	t.Parallel()
	const many, most = 5000, 512
	file := container.Open(sample.PNG(bytes.Repeat(sample.Text("Title", "x"), many)))
	require.Len(t, file.Blocks, most)
	file = container.Open(sample.GIF(bytes.Repeat(sample.GIFComment("x"), many), nil))
	require.Len(t, file.Blocks, most)
}

func TestItemsOutsideTheFileAreLeft(t *testing.T) {
	t.Parallel()
	file := sample.HEIF("avif", []sample.Item{{Type: "Exif", Data: little}})
	at := bytes.Index(file, []byte("iloc"))
	for name, offset := range map[string]uint32{"past the end": 1 << 30, "at the limit of 32 bits": 1<<32 - 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := bytes.Clone(file)
			// Box type, version and flags, sizes, count, then id, method, reference and extent count.
			binary.BigEndian.PutUint32(broken[at+4+4+2+2+8:], offset)
			require.Empty(t, container.Open(broken).Blocks)
		})
	}
}

func TestExtentsWithoutFieldsEnd(t *testing.T) {
	t.Parallel()
	// Items of six bytes that state 65,535 extents of no bytes each.
	location := append([]byte{0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, bytes.Repeat([]byte{0, 1, 0, 0, 0xFF, 0xFF}, 60000)...)
	info := sample.Join([]byte{0, 0, 0, 0, 0, 1}, sample.Box("infe", []byte("\x02\x00\x00\x00\x00\x01\x00\x00Exif\x00")))
	meta := sample.Box("meta", sample.Join([]byte{0, 0, 0, 0}, sample.Box("iinf", info), sample.Box("iloc", location)))
	file := sample.Join(sample.Box("ftyp", []byte("avif")), meta)
	require.LessOrEqual(t, len(container.Open(file).Blocks), 16)
}
