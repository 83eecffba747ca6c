// Package carriertest puts manifest stores into files for tests, by code of its own that shares nothing with what reads
// them. Nothing but tests imports it.
package carriertest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"veracity/engine/c2pa/jumbf"
)

// Store is a manifest store of one manifest, which holds n bytes of nothing.
func Store(n int) []byte {
	return jumbf.Super(jumbf.Store, "c2pa", nil, Manifest(n))
}

// Manifest is a manifest that holds n bytes of nothing.
func Manifest(n int) []byte {
	return jumbf.Super(jumbf.Manifest, "urn:c2pa:test", nil, jumbf.Leaf("free", noise(n)))
}

// Update is an update manifest.
func Update(n int) []byte {
	return jumbf.Super(jumbf.UpdateManifest, "urn:c2pa:update", nil, jumbf.Leaf("free", noise(n)))
}

// StoreOf is a store of manifests.
func StoreOf(manifests ...[]byte) []byte { return jumbf.Super(jumbf.Store, "c2pa", nil, manifests...) }

// noise has every value of a byte, FF before 0 among them.
func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(255 - i*7)
	}
	return b
}

// Segments cuts a box into APP11 segments (ISO 19566-5, annex D): size bytes of the box each, numbered from first on.
func Segments(box []byte, instance uint16, first uint32, size int) [][]byte {
	header := 8
	if binary.BigEndian.Uint32(box) == 1 {
		header = 16
	}
	var out [][]byte
	for i, part := range slices.Collect(slices.Chunk(box, size)) {
		payload := binary.BigEndian.AppendUint16([]byte("JP"), instance)
		payload = binary.BigEndian.AppendUint32(payload, first+uint32(i))
		if i > 0 {
			payload = append(payload, box[:header]...)
		}
		out = append(out, Segment(0xEB, append(payload, part...)))
	}
	return out
}

// Segment is a JPEG segment.
func Segment(marker byte, payload []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(payload)+2)) //nolint:gosec // Callers keep to 64 KB.
	return append(head, payload...)
}

// InJPEG puts segments behind the start of an image.
func InJPEG(jpeg []byte, segments ...[]byte) []byte { return insert(jpeg, 2, segments...) }

// Chunk is a PNG chunk.
func Chunk(kind string, body []byte) []byte {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), kind...) //nolint:gosec // Tests are small.
	b = append(b, body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// InPNG puts chunks behind IHDR.
func InPNG(png []byte, chunks ...[]byte) []byte { return insert(png, 33, chunks...) }

// RIFFChunk is a chunk of a RIFF file, padded to an even length.
func RIFFChunk(id string, body []byte) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body))), body...) //nolint:gosec // Tests are small.
	return append(b, make([]byte, len(body)%2)...)
}

// InRIFF appends chunks to a RIFF file and corrects its length.
func InRIFF(file []byte, chunks ...[]byte) []byte {
	out := insert(file, len(file), chunks...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8)) //nolint:gosec // Tests are small.
	return out
}

// GIFStore is the application extension that holds a store.
func GIFStore(store []byte) []byte {
	out := append([]byte{0x21, 0xFF, 11}, "C2PA_GIF\x01\x00\x00"...)
	for block := range slices.Chunk(store, 255) {
		out = append(append(out, byte(len(block))), block...) //nolint:gosec // 255 at most.
	}
	return append(out, 0)
}

// InGIF puts blocks behind the logical screen and its colours.
func InGIF(gif []byte, blocks ...[]byte) []byte {
	at := 13
	if flags := gif[10]; flags&0x80 != 0 {
		at += 3 << (flags&7 + 1)
	}
	return insert(gif, at, blocks...)
}

// BMFFBox is a uuid box of C2PA.
func BMFFBox(purpose string, data []byte) []byte {
	body := append([]byte("\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81\x00\x00\x00\x00"), purpose...)
	return Box("uuid", append(append(body, 0), data...))
}

// ManifestBox is one that holds a store, behind the offset of eight bytes.
func ManifestBox(purpose string, store []byte) []byte {
	return BMFFBox(purpose, append(make([]byte, 8), store...))
}

// Box is a box of ISO base media.
func Box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	head := binary.BigEndian.AppendUint32(nil, uint32(8+len(body))) //nolint:gosec // Tests are small.
	return append(append(head, kind...), body...)
}

// insert puts parts into a file at an offset.
func insert(file []byte, at int, parts ...[]byte) []byte {
	return slices.Concat(file[:at], bytes.Join(parts, nil), file[at:])
}
