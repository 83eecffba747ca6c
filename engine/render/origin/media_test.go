package origin_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"veracity/engine/mediatest"
)

// Records as the tools write them.
const (
	infotext = "a duck, <lora:x:1>\nNegative prompt: monochrome\n" +
		"Steps: 15, Sampler: UniPC, CFG scale: 5, Seed: 235284042, Size: 512x400, Model hash: c0d1994c73"
	comfyPrompt = `{"3": {"class_type": "KSampler", "inputs": {"seed": 1, "model": ["4", 0]}},` +
		`"4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "x"}, "is_changed": [NaN]},` +
		`"5": {"class_type": "EmptyLatentImage", "inputs": {}}}`
	comfyScale    = `{"1": {"class_type": "LoadImage", "inputs": {}}, "2": {"class_type": "ImageScale", "inputs": {}}}`
	comfyWorkflow = `{"last_node_id": 2, "nodes": [{"id": 1, "type": "KSampler"}, {"id": 2, "type": "EmptyLatentImage"}], "links": []}`
	trained       = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
	captured      = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
	job           = "a duck --ar 4:3 --v 6.1 Job ID: 2b6e053b-9a65-4ca9-9e13-b6f4465164d4"
	signature     = "Signature: IoR6YcSlkWo/83blBnOA15zT7nnWuDE3tT3xAgkhEQ5l/y2INMmO1RokxWodeWOFXrjvKrsweIMr+fZNh9yMfg=="
	uuid          = "4800156b-8880-4786-9056-7ca3da449d8c"
	aigc          = `{"Label":"1","ContentProducer":"001191110102MACQD9K64010000","ProduceID":"cc75f5e9"}`
	novelRun      = `{"steps": 28, "seed": 20, "sampler": "k_euler"}`
	diffusionRun  = `{"prompt": "duck", "seed": "12", "steps": 30, "sampler": "dpmpp_2m_sde_gpu", "base_model": "x"}`
)

// Tags of TIFF and EXIF.
const (
	tagImageDescription = 0x010E
	tagMake             = 0x010F
	tagModel            = 0x0110
	tagSoftware         = 0x0131
	tagArtist           = 0x013B
	tagXMP              = 700
	tagCopyright        = 0x8298
	tagExposureTime     = 0x829A
	tagFNumber          = 0x829D
	tagExifIFD          = 0x8769
	tagGPSIFD           = 0x8825
	tagMakerNote        = 0x927C
	tagUserComment      = 0x9286
	tagOwnerName        = 0xA430
	tagSerialNumber     = 0xA431
)

// entry is one value of a directory; number makes it a LONG, else it is bytes of the type.
type entry struct {
	tag, kind uint16
	data      []byte
}

func ascii(tag uint16, value string) entry { return entry{tag, 2, append([]byte(value), 0)} }

func long(tag uint16, value uint32) entry {
	return entry{tag, 4, binary.LittleEndian.AppendUint32(nil, value)}
}

// wide is a UserComment in big-endian UTF-16, as the WebUI writes it.
func wide(text string) entry {
	value := []byte("UNICODE\x00")
	for _, unit := range utf16.Encode([]rune(text)) {
		value = binary.BigEndian.AppendUint16(value, unit)
	}
	return entry{tagUserComment, 7, value}
}

// shot is what a camera writes of an exposure.
func shot() []entry {
	return []entry{{tagExposureTime, 5, []byte{1, 0, 0, 0, 100, 0, 0, 0}}, {tagFNumber, 5, []byte{8, 0, 0, 0, 1, 0, 0, 0}}}
}

// tiff is a little-endian TIFF structure: a main directory, and those that its pointers lead to.
func tiff(main []entry, below map[uint16][]entry) []byte {
	out := []byte("II*\x00\x08\x00\x00\x00")
	pointers := slices.Sorted(func(yield func(uint16) bool) {
		for tag := range below {
			if !yield(tag) {
				return
			}
		}
	})
	main = slices.Clone(main)
	for _, tag := range pointers {
		main = append(main, long(tag, 0))
	}
	at := len(out) + len(directory(0, main))
	for i, tag := range pointers {
		main[len(main)-len(pointers)+i] = long(tag, uint32(at))
		at += len(directory(0, below[tag]))
	}
	out = append(out, directory(len(out), main)...)
	for _, tag := range pointers {
		out = append(out, directory(len(out), below[tag])...)
	}
	return out
}

func directory(at int, entries []entry) []byte {
	order := binary.LittleEndian
	widths := map[uint16]int{4: 4, 5: 8}
	list := order.AppendUint16(nil, uint16(len(entries)))
	var values []byte
	start := at + 2 + 12*len(entries) + 4
	for _, e := range entries {
		list = order.AppendUint16(list, e.tag)
		list = order.AppendUint16(list, e.kind)
		list = order.AppendUint32(list, uint32(len(e.data)/max(widths[e.kind], 1)))
		if len(e.data) <= 4 {
			list = append(list, append(slices.Clone(e.data), 0, 0, 0, 0)[:4]...)
			continue
		}
		list = order.AppendUint32(list, uint32(start+len(values)))
		values = append(values, e.data...)
	}
	return join(list, []byte{0, 0, 0, 0}, values)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// jpeg has the segments before the image data.
func jpeg(segments ...[]byte) []byte {
	return join([]byte{0xFF, 0xD8}, join(segments...), segment(0xDA, []byte{0, 0, 63, 0}), []byte{0, 0xFF, 0xD9})
}

func segment(marker byte, payload []byte) []byte {
	return join(binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(payload)+2)), payload)
}

func exifSegment(block []byte) []byte { return segment(0xE1, join([]byte("Exif\x00\x00"), block)) }

func xmpSegment(packet string) []byte {
	return segment(0xE1, []byte("http://ns.adobe.com/xap/1.0/\x00"+packet))
}

// iimSegment holds IIM datasets of the application record in Photoshop's resources.
func iimSegment(datasets map[byte]string) []byte {
	var iim []byte
	for _, n := range slices.Sorted(func(yield func(byte) bool) {
		for n := range datasets {
			if !yield(n) {
				return
			}
		}
	}) {
		iim = append(binary.BigEndian.AppendUint16(append(iim, 0x1C, 2, n), uint16(len(datasets[n]))), datasets[n]...)
	}
	head := binary.BigEndian.AppendUint32([]byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00"), uint32(len(iim)))
	return segment(0xED, join(head, iim))
}

// exifJPEG has one EXIF block of main tags and of such in the EXIF directory.
func exifJPEG(main []entry, detail ...entry) []byte {
	below := map[uint16][]entry{}
	if len(detail) > 0 {
		below[tagExifIFD] = detail
	}
	return jpeg(exifSegment(tiff(main, below)))
}

func xmpJPEG(attributes, elements string) []byte {
	return jpeg(xmpSegment(xmpPacket(attributes, elements)))
}

// xmpPacket is a packet that describes the resource with the attributes and elements given.
func xmpPacket(attributes, elements string) string {
	return `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">` +
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:dcterms="http://purl.org/dc/terms/"` +
		` xmlns:xmp="http://ns.adobe.com/xap/1.0/"` +
		` xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"` +
		` xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"` +
		` xmlns:xmpNote="http://ns.adobe.com/xmp/note/"` +
		` xmlns:stEvt="http://ns.adobe.com/xap/1.0/sType/ResourceEvent#"` +
		` xmlns:exif="http://ns.adobe.com/exif/1.0/"` +
		` xmlns:aux="http://ns.adobe.com/exif/1.0/aux/"` +
		` xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/"` +
		` xmlns:cc="http://creativecommons.org/ns#"` +
		` xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"` +
		` xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"` +
		` xmlns:TC260="http://www.tc260.org.cn/ns/AIGC/1.0/" ` + attributes + `>` + elements +
		`</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
}

// textPNG has texts by keyword, as pairs.
func textPNG(tb testing.TB, pairs ...string) []byte {
	tb.Helper()
	var options []mediatest.Option
	for i := 0; i < len(pairs); i += 2 {
		options = append(options, mediatest.PNGInternationalText(pairs[i], pairs[i+1]))
	}
	return mediatest.PNG(tb, 4, 4, options...)
}

// gif has one pixel behind a comment.
func gif(comment string) []byte {
	out := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF\x21\xFE")
	for rest := []byte(comment); len(rest) > 0; {
		n := min(len(rest), 255)
		out = append(append(out, byte(n)), rest[:n]...)
		rest = rest[n:]
	}
	return append(out, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 0, 0, 0, 1, 1, 1, 2, 2, 0x44, 1, 0, 0x3B)
}

// webp has chunks behind the image data.
func webp(chunks ...[]byte) []byte {
	body := join([]byte("WEBP"), riffChunk("VP8L", []byte{0x2F, 0, 0, 0, 0}), join(chunks...))
	return join(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body)
}

func riffChunk(name string, payload []byte) []byte {
	chunk := join(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(payload))), payload)
	return append(chunk, make([]byte, len(payload)%2)...)
}

// heif is a still image with one item of EXIF within its meta box, and boxes behind it.
func heif(block []byte, behind ...[]byte) []byte {
	data := join([]byte{0, 0, 0, 0}, block)
	info := mediatest.FullBox("iinf", 0, []byte{0, 1}, mediatest.FullBox("infe", 2, []byte("\x00\x01\x00\x00Exifname\x00")))
	extent := binary.BigEndian.AppendUint32([]byte{0, 1, 0, 0, 0, 0}, uint32(len(data)))
	location := mediatest.FullBox("iloc", 1, []byte{0x44, 0, 0, 1, 0, 1, 0, 1, 0, 0}, extent)
	meta := mediatest.FullBox("meta", 0, info, location, mediatest.Box("idat", data))
	return join(mediatest.FileType("avif", "avif", "mif1"), meta, mediatest.Box("mdat", []byte{0}), join(behind...))
}

// store is the beginning of a C2PA manifest store and some bytes more.
func store() []byte {
	description := mediatest.Box("jumd", []byte("c2pa\x00\x11\x00\x10\x80\x00\x00\xAA\x008\x9Bq\x03c2pa\x00"))
	return mediatest.Box("jumb", description, bytes.Repeat([]byte("assertions and thumbnails "), 40))
}

// storeSegments cut a store as JPEG does: each segment repeats the box's header.
func storeSegments() []byte {
	whole := store()
	header, body := whole[:8], whole[8:]
	var out []byte
	for n := byte(1); len(body) > 0; n++ {
		size := min(400, len(body))
		share := join([]byte{'J', 'P', 2, 17, 0, 0, 0, n}, header, body[:size])
		out = append(out, segment(0xEB, share)...)
		body = body[size:]
	}
	return out
}

// plain is the PNG that the statements go into.
func plain(tb testing.TB) []byte {
	tb.Helper()
	file := mediatest.PNG(tb, 16, 16)
	require.NotEmpty(tb, file)
	return file
}
