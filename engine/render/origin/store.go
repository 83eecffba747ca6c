package origin

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"veracity/engine/probe"
	"veracity/engine/provenance/container"
	"veracity/engine/provenance/ifd"
)

const (
	// storePresent is noted of a manifest store that cannot be cut out of its file whole.
	storePresent = "present"
	tagC2PA      = 0xCD41
	// maxStore bounds the store that is read, in bytes; stores with thumbnails of their ingredients have some megabytes.
	maxStore = 64 << 20
	maxBoxes = 4096
)

// storeNote is the note of an embedded manifest store: the SHA-256 of its bytes, as C2PA's own readers see them.
func storeNote(store io.Reader) string {
	if store == nil {
		return storePresent
	}
	digest := sha256.New()
	head := &bytes.Buffer{}
	n, err := io.Copy(io.MultiWriter(digest, &headWriter{head}), io.LimitReader(store, maxStore+1))
	if err != nil || n > maxStore || !container.IsManifestStore(head.Bytes()) {
		return storePresent
	}
	return "sha256:" + hex.EncodeToString(digest.Sum(nil))
}

// headWriter keeps as much of what it is given as tells a manifest store.
type headWriter struct{ kept *bytes.Buffer }

func (h *headWriter) Write(p []byte) (int, error) {
	if room := container.ManifestHead - h.kept.Len(); room > 0 {
		h.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// imageStore cuts the manifest store out of an image (C2PA specification, appendix A). where is the place that container
// names. Nil: it is not there, or lies in a GIF, whose blocks nobody has been seen to put one into.
func imageStore(data []byte, where string) io.Reader {
	format, _, _ := strings.Cut(where, ":")
	var store []byte
	switch format {
	case "jpeg":
		store = jpegStore(data)
	case "png":
		store = pngStore(data)
	case "webp", "riff":
		store = riffStore(data)
	case "tiff":
		if f, ok := ifd.Open(data); ok {
			store = f.Directory(f.First())[tagC2PA].Data
		}
	case "bmff":
		return bmffStore(bytes.NewReader(data), int64(len(data)))
	}
	if store == nil {
		return nil
	}
	return bytes.NewReader(store)
}

func pngStore(data []byte) []byte {
	for data = data[len(pngSignature):]; len(data) >= chunkFrame; {
		size := uint64(binary.BigEndian.Uint32(data))
		if size > uint64(len(data))-chunkFrame {
			return nil
		}
		if string(data[4:8]) == "caBX" {
			return data[8 : 8+size]
		}
		data = data[chunkFrame+size:]
	}
	return nil
}

func riffStore(data []byte) []byte {
	for data = data[min(12, len(data)):]; len(data) >= 8; {
		size := uint64(binary.LittleEndian.Uint32(data[4:]))
		if size > uint64(len(data))-8 {
			return nil
		}
		if string(data[:4]) == "C2PA" {
			return data[8 : 8+size]
		}
		data = data[min(8+size+size%2, uint64(len(data))):]
	}
	return nil
}

// part is one JPEG segment's share of a box (ISO 19566-5, annex D): the box's instance, the share's place in it, and
// the box's header, which every share repeats, with the share itself.
type part struct {
	instance uint16
	sequence uint32
	box      []byte
}

func jpegStore(data []byte) []byte {
	const header = 8
	parts := jpegParts(data)
	first := slices.IndexFunc(parts, func(p part) bool { return container.IsManifestStore(p.box) })
	if first < 0 {
		return nil
	}
	instance := parts[first].instance
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.instance != instance })
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.sequence, b.sequence) })
	store := bytes.Clone(parts[0].box)
	for _, p := range parts[1:] {
		skip := header
		if binary.BigEndian.Uint32(p.box) == 1 { // A length of eight bytes stands behind the type.
			skip = 2 * header
		}
		store = append(store, p.box[min(skip, len(p.box)):]...)
	}
	return store
}

// jpegParts lists the segments before the image data that hold shares of boxes.
func jpegParts(data []byte) []part {
	const own, smallest = 8, 16
	var parts []part
	for at := 2; at+4 <= len(data) && data[at] == 0xFF; {
		marker := data[at+1]
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		switch {
		case marker == 0xFF: // A fill byte.
			at++
			continue
		case marker == 0xDA, size < 2, at+2+size > len(data):
			return parts
		}
		if payload := data[at+4 : at+2+size]; marker == 0xEB && len(payload) >= smallest && string(payload[:2]) == "JP" {
			parts = append(parts, part{
				instance: binary.BigEndian.Uint16(payload[2:]),
				sequence: binary.BigEndian.Uint32(payload[4:]),
				box:      payload[own:],
			})
		}
		at += 2 + size
	}
	return parts
}

// bmffStore finds the store in a box of C2PA at the top of an ISO base media file: version and flags, the purpose up to
// its NUL, an offset, the store. It reads the headers of boxes and nothing else.
func bmffStore(r io.ReaderAt, size int64) io.Reader {
	const head, offset = 16 + 4, 8
	const longest = int64(len("manifest\x00"))
	blocks := probe.NewBlocks(r, size, 512, 4<<20)
	for box, err := range blocks.Boxes(0, size, maxBoxes) {
		if err != nil {
			return nil
		}
		opening, err := blocks.Bytes(box.Body, min(head+longest, box.Len()))
		if err != nil || box.Kind != "uuid" || len(opening) < head || string(opening[:16]) != container.C2PABox {
			continue
		}
		purpose, _, ok := bytes.Cut(opening[head:], []byte{0})
		at := box.Body + head + int64(len(purpose)) + 1 + offset
		if !ok || !slices.Contains([]string{"manifest", "original", "update"}, string(purpose)) || at > box.End {
			continue
		}
		return io.NewSectionReader(r, at, box.End-at)
	}
	return nil
}
