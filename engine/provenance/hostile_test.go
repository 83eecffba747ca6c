package provenance_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"veracity/engine/provenance"
	"veracity/engine/provenance/internal/sample"
)

// hostileFiles are files of about size bytes, each of which costs a careless reader minutes or gigabytes.
func hostileFiles(size int) map[string][]byte {
	fill := func(piece []byte) []byte { return bytes.Repeat(piece, max(size/len(piece), 1)) }
	texts := func(keyword, text string) []byte {
		return sample.PNG(fill(sample.Text(keyword, text)))
	}
	packet := func(elements string) []byte {
		return sample.PNG(fill(sample.IText("XML:com.adobe.xmp", sample.XMP("", elements))))
	}
	const piece = 1 << 20
	many := func(s string) string { return strings.Repeat(s, piece/len(s)) }
	return map[string][]byte{
		"chunks without content": sample.PNG(fill(sample.PNGChunk("tEXt", nil))),
		"texts":                  texts("parameters", "x"),
		"bombs":                  sample.PNG(fill(sample.ZText("parameters", strings.Repeat("\x00", 9<<20)))),
		"bombs of packets":       sample.PNG(fill(sample.ZIText("XML:com.adobe.xmp", strings.Repeat("<a>", 3<<20)))),
		"elements":               packet(many("<dc:a>x</dc:a>")),
		"depth":                  packet(many("<dc:a>")),
		"attributes":             packet("<dc:a " + many(`dc:a="" `) + "/>"),
		"tags with attributes":   packet(many("<dc:a " + strings.Repeat(`dc:a="" `, 1000) + "/>")),
		"references":             packet("<dc:a>" + many("&amp;") + "</dc:a>"),
		"members":                texts("prompt", "{"+many(`"a":1,`)+`"b":1}`),
		"arrays in arrays":       texts("prompt", `{"a":`+many("[")),
		"nodes":                  texts("workflow", `{"last_node_id":1,"links":[],"nodes":[`+many(`{"type":"x"},`)+"{}]}"),
		"settings":               texts("parameters", many("Steps: 1\n")),
		"one line of settings":   texts("parameters", "Steps: 1,"+many("a: 1,")),
		"quotes":                 texts("Dream", many(`" -`)),
		"segments":               sample.JPEG(fill(sample.Segment(sample.COM, nil))),
		"entries on one value":   sample.PNG(fill(sample.PNGChunk("eXIf", aliases()))),
		"comments":               sample.GIF(fill(sample.GIFComment("x")), nil),
		"chunks of RIFF":         sample.WebP(fill(sample.RIFFChunk("EXIF", []byte{1}))),
		"boxes":                  sample.HEIF("avif", nil, fill(sample.Box("free", nil))),
	}
}

// aliases is a TIFF structure whose texts all are the same megabyte.
func aliases() []byte {
	entries := make([]sample.Entry, 0, 1000)
	for _, tag := range []uint16{sample.TagImageDescription, sample.TagMake, sample.TagModel, sample.TagSoftware, sample.TagArtist} {
		entries = append(entries, sample.Entry{Tag: tag, Type: sample.ASCII, Count: 1 << 20, Data: []byte("AAAAA")})
	}
	tiff := sample.TIFF(binary.BigEndian, entries, nil)
	return append(tiff, bytes.Repeat([]byte(`{"a":`), 1<<18)...)
}

// TestHostileFilesEndSoon allows each file some hundred times what it takes, to be true on any machine.
func TestHostileFilesEndSoon(t *testing.T) {
	t.Parallel()
	for name, file := range hostileFiles(1 << 20) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := provenance.Read(file)
			require.Less(t, time.Since(start), 30*time.Second)
			require.LessOrEqual(t, len(r.Statements), 64)
		})
	}
}

func BenchmarkReadHostile(b *testing.B) {
	for name, file := range hostileFiles(25 << 20) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				provenance.Read(file)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	packet := sample.XMP(`photoshop:Credit="Made with Google AI"`, "")
	for name, file := range map[string][]byte{
		"photograph": exifFile(map[uint16]string{sample.TagMake: "Canon", sample.TagModel: "EOS R5"}, sample.Shot()...),
		"WebUI":      textFile("parameters", infotext),
		"ComfyUI":    textFile("prompt", comfyPrompt, "workflow", comfyWorkflow),
		"XMP":        sample.JPEGWithXMP(packet),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				provenance.Read(file)
			}
		})
	}
}
