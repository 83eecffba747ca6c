package sample

import "encoding/binary"

// Item is one metadata item of a still image.
type Item struct {
	// Type is Exif, or mime with the media type Media.
	Type, Media string
	Data        []byte
	// Inline puts the data into the meta box's idat instead of the file's mdat.
	Inline bool
	// Split cuts the data into two extents.
	Split bool
}

// HEIF is an AVIF or HEIC file of the brand with metadata items and boxes behind them.
func HEIF(brand string, items []Item, boxes ...[]byte) []byte {
	file := Box("ftyp", []byte(brand+"\x00\x00\x00\x00mif1"))
	// The offsets depend on the length of the boxes that state them, which is the same for any offset.
	meta := metaBox(items, 0)
	meta = metaBox(items, len(file)+len(meta)+8)
	var data []byte
	for _, it := range items {
		if !it.Inline {
			data = append(data, it.Data...)
		}
	}
	return Join(file, meta, Box("mdat", data), Join(boxes...))
}

// Box is one box.
func Box(kind string, payload []byte) []byte {
	return Join(size32(binary.BigEndian, len(payload)+8), []byte(kind), payload)
}

// UUIDBox is a box of an own type, 16 bytes.
func UUIDBox(id string, payload []byte) []byte {
	return Box("uuid", Join([]byte(id), payload))
}

// ManifestBox is the box that holds a C2PA manifest store.
func ManifestBox() []byte {
	return UUIDBox("\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81",
		Join([]byte("\x00\x00\x00\x00manifest\x00"), make([]byte, 8), ManifestStore()))
}

func metaBox(items []Item, mdat int) []byte {
	big := binary.BigEndian
	info := Join([]byte{0, 0, 0, 0}, size16(big, len(items)))
	location := Join([]byte{1, 0, 0, 0, 0x44, 0x00}, size16(big, len(items)))
	var idat []byte
	for i, it := range items {
		id := size16(big, i+1)
		entry := Join([]byte{2, 0, 0, 0}, id, []byte{0, 0}, []byte(it.Type), []byte("name\x00"))
		if it.Type == "mime" {
			entry = Join(entry, []byte(it.Media+"\x00"))
		}
		info = Join(info, Box("infe", entry))
		method, at := byte(0), mdat
		if it.Inline {
			method, at = 1, len(idat)
			idat = append(idat, it.Data...)
		} else {
			mdat += len(it.Data)
		}
		location = Join(location, id, []byte{0, method, 0, 0}, extents(at, len(it.Data), it.Split))
	}
	return Box("meta", Join([]byte{0, 0, 0, 0}, Box("iinf", info), Box("iloc", location), Box("idat", idat)))
}

func extents(at, size int, split bool) []byte {
	big := binary.BigEndian
	if !split {
		return Join(size16(big, 1), size32(big, at), size32(big, size))
	}
	half := size / 2
	return Join(size16(big, 2), size32(big, at), size32(big, half), size32(big, at+half), size32(big, size-half))
}
