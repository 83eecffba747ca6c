package container_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance/container"
	"veracity/engine/provenance/internal/sample"
)

const packet = "<x:xmpmeta/>"

var (
	little = sample.TIFF(binary.LittleEndian, sample.Texts(map[uint16]string{sample.TagArtist: "somebody"}), nil)
	iim    = sample.IIM(110, "Credit line")
)

func TestBlocksAreFoundInEveryContainer(t *testing.T) {
	t.Parallel()
	xmp := func(where string) container.Block {
		return container.Block{Kind: container.XMP, Where: where, Data: []byte(packet)}
	}
	exif := func(where string) container.Block {
		return container.Block{Kind: container.EXIF, Where: where, Data: little}
	}
	iptc := func(where string) container.Block {
		return container.Block{Kind: container.IPTC, Where: where, Data: iim}
	}
	text := func(where, key string) container.Block {
		return container.Block{Kind: container.Text, Where: where, Key: key, Data: []byte("größer")}
	}
	exifItem := sample.Join([]byte{0, 0, 0, 6}, []byte("Exif\x00\x00"), little)
	tests := map[string]struct {
		file []byte
		want container.Block
	}{
		"JPEG EXIF":      {sample.JPEGWithEXIF(little), exif("jpeg:APP1:exif")},
		"JPEG XMP":       {sample.JPEGWithXMP(packet), xmp("jpeg:APP1:xmp")},
		"JPEG Photoshop": {sample.JPEG(sample.Segment(sample.APP13, sample.Photoshop(iim))), iptc("jpeg:APP13:iptc")},
		"JPEG comment": {
			sample.JPEG(sample.Segment(sample.COM, []byte("hello"))),
			container.Block{Kind: container.Comment, Where: "jpeg:COM", Data: []byte("hello")},
		},
		"JPEG fill bytes": {
			sample.JPEG([]byte{0xFF, 0xFF, 0xFF}, sample.XMPSegment(packet)), xmp("jpeg:APP1:xmp"),
		},
		"PNG tEXt as UTF-8":         {sample.PNG(sample.Text("Title", "größer")), text("png:tEXt:Title", "Title")},
		"PNG tEXt as Latin-1":       {sample.PNG(sample.Text("Title", "gr\xF6\xDFer")), text("png:tEXt:Title", "Title")},
		"PNG zTXt":                  {sample.PNG(sample.ZText("Title", "größer")), text("png:zTXt:Title", "Title")},
		"PNG iTXt":                  {sample.PNG(sample.IText("Title", "größer")), text("png:iTXt:Title", "Title")},
		"PNG iTXt compressed":       {sample.PNG(sample.ZIText("Title", "größer")), text("png:iTXt:Title", "Title")},
		"PNG text behind the image": {sample.PNGTail(sample.Text("Title", "größer")), text("png:tEXt:Title", "Title")},
		"PNG eXIf":                  {sample.PNG(sample.PNGChunk("eXIf", little)), exif("png:eXIf")},
		"PNG XMP in iTXt": {
			sample.PNG(sample.IText("XML:com.adobe.xmp", packet)), xmp("png:iTXt:XML:com.adobe.xmp"),
		},
		"PNG XMP in tEXt": {
			sample.PNG(sample.Text("XML:com.adobe.xmp", packet)), xmp("png:tEXt:XML:com.adobe.xmp"),
		},
		"PNG raw EXIF": {
			sample.PNG(sample.RawProfile("exif", sample.Join([]byte("Exif\x00\x00"), little))),
			exif("png:zTXt:Raw profile type exif"),
		},
		"PNG raw APP1 with EXIF": {
			sample.PNG(sample.RawProfile("APP1", sample.Join([]byte("Exif\x00\x00"), little))),
			exif("png:zTXt:Raw profile type APP1"),
		},
		"PNG raw APP1 with XMP": {
			sample.PNG(sample.RawProfile("APP1", []byte("http://ns.adobe.com/xap/1.0/\x00"+packet))),
			xmp("png:zTXt:Raw profile type APP1"),
		},
		"PNG raw XMP":  {sample.PNG(sample.RawProfile("xmp", []byte(packet))), xmp("png:zTXt:Raw profile type xmp")},
		"PNG raw IPTC": {sample.PNG(sample.RawProfile("iptc", sample.Photoshop(iim))), iptc("png:zTXt:Raw profile type iptc")},
		"WebP EXIF":    {sample.WebP(sample.RIFFChunk("EXIF", little)), exif("webp:EXIF")},
		"WebP EXIF with the header of JPEG": {
			sample.WebP(sample.RIFFChunk("EXIF", sample.Join([]byte("Exif\x00\x00"), little))), exif("webp:EXIF"),
		},
		"WebP XMP behind an odd chunk": {
			sample.WebP(sample.RIFFChunk("ICCP", []byte("odd")), sample.RIFFChunk("XMP ", []byte(packet))), xmp("webp:XMP"),
		},
		"TIFF XMP":  {tiff(sample.TagXMP, []byte(packet)), xmp("tiff:700:xmp")},
		"TIFF IPTC": {tiff(sample.TagIPTC, iim), iptc("tiff:33723:iptc")},
		"TIFF IPTC swapped as numbers": {
			tiff(sample.TagIPTC, swapped(sample.IIM(110, "abc"))),
			container.Block{Kind: container.IPTC, Where: "tiff:33723:iptc", Data: sample.IIM(110, "abc")},
		},
		"TIFF Photoshop": {tiff(sample.TagPhotoshop, sample.Photoshop(iim)[14:]), iptc("tiff:34377:iptc")},
		"GIF comment": {
			sample.GIF(sample.GIFComment("hello"), nil),
			container.Block{Kind: container.Comment, Where: "gif:comment", Data: []byte("hello")},
		},
		"GIF comment behind the image": {
			sample.GIF(nil, sample.GIFComment("hello")),
			container.Block{Kind: container.Comment, Where: "gif:comment", Data: []byte("hello")},
		},
		"GIF XMP":        {sample.GIF(sample.GIFXMP(packet), nil), xmp("gif:xmp")},
		"AVIF EXIF item": {sample.HEIF("avif", []sample.Item{{Type: "Exif", Data: exifItem}}), exif("bmff:meta:Exif")},
		"HEIC EXIF item in pieces": {
			sample.HEIF("heic", []sample.Item{{Type: "Exif", Data: exifItem, Split: true}}), exif("bmff:meta:Exif"),
		},
		"HEIC XMP item": {
			sample.HEIF("heic", []sample.Item{
				{Type: "Exif", Data: exifItem},
				{Type: "mime", Media: "application/rdf+xml", Data: []byte(packet)},
			}), xmp("bmff:meta:xmp"),
		},
		"AVIF XMP item within the meta box": {
			sample.HEIF("avif", []sample.Item{
				{Type: "mime", Media: "application/rdf+xml", Data: []byte(packet), Inline: true},
			}), xmp("bmff:meta:xmp"),
		},
		"MP4 XMP box": {
			sample.HEIF("mp42", nil, sample.UUIDBox("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac",
				[]byte(packet))), xmp("bmff:uuid:xmp"),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, container.Open(tt.file).Blocks, tt.want)
		})
	}
}

func TestManifestStoresAreFoundInEveryContainer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file []byte
		want string
	}{
		"JPEG":       {sample.JPEG(sample.ManifestSegment()), "jpeg:APP11"},
		"PNG":        {sample.PNG(sample.PNGChunk("caBX", sample.ManifestStore())), "png:caBX"},
		"WebP":       {sample.WebP(sample.RIFFChunk("C2PA", sample.ManifestStore())), "webp:C2PA"},
		"other RIFF": {sample.RIFF("WAVE", sample.RIFFChunk("C2PA", sample.ManifestStore())), "riff:C2PA"},
		"AVIF":       {sample.HEIF("avif", nil, sample.ManifestBox()), "bmff:uuid:c2pa"},
		"TIFF":       {tiff(sample.TagC2PA, sample.ManifestStore()), "tiff:52545"},
		"GIF": {
			sample.GIF(sample.GIFApplication("C2PA_GIF\x01\x00\x00", sample.ManifestStore()), nil), "gif:C2PA_GIF",
		},
		"JPEG with other JUMBF": {
			sample.JPEG(sample.Segment(sample.APP11, append([]byte{'J', 'P', 0, 1, 0, 0, 0, 1}, otherJUMBF()...))), "",
		},
		"PNG whose chunk is empty":      {sample.PNG(sample.PNGChunk("caBX", nil)), ""},
		"PNG whose text says c2pa":      {sample.PNG(sample.Text("Comment", string(sample.ManifestStore()))), ""},
		"WebP whose EXIF holds a store": {sample.WebP(sample.RIFFChunk("EXIF", sample.ManifestStore())), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, container.Open(tt.file).Manifest)
		})
	}
}

func TestOtherFilesHoldNothing(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{nil, []byte("x"), []byte("BM\x00\x00"), []byte("RIFF"), []byte("%PDF-1.7")} {
		require.Empty(t, container.Open(data))
	}
}

// tiff is a TIFF file with one value in its main directory.
func tiff(tag uint16, value []byte) []byte {
	return sample.TIFF(binary.BigEndian, []sample.Entry{{Tag: tag, Type: sample.Undefined, Data: value}}, nil)
}

func swapped(b []byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = b[i^3]
	}
	return out
}

func otherJUMBF() []byte {
	box := sample.ManifestStore()
	copy(box[16:], "xxxx")
	return box
}
