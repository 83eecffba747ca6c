package container

import "bytes"

const (
	// maxItems bounds the metadata items read; files hold one or two.
	maxItems = 16
	// maxExtents bounds the pieces of one item.
	maxExtents = 256
	xmpMIME    = "application/rdf+xml"
)

// readMeta finds the metadata items of a still image (ISO 23008-12, annex A): EXIF, and XMP by its media type.
func readMeta(file, meta []byte, c *collector) {
	var info, location, idat []byte
	for kind, payload := range boxes(meta) {
		switch kind {
		case "iinf":
			info = payload
		case "iloc":
			location = payload
		case "idat":
			idat = payload
		}
	}
	wanted := itemKinds(info)
	if len(wanted) == 0 {
		return
	}
	for _, item := range locations(location, wanted) {
		data := c.assemble(item, file, idat)
		switch wanted[item.id] {
		case EXIF:
			c.exif("bmff:meta:Exif", exifItem(data))
		case XMP:
			c.add(XMP, "bmff:meta:xmp", "", data)
		default:
		}
	}
}

// exifItem strips the offset to the TIFF header that opens an EXIF item (ISO 23008-12, annex A.2.1).
func exifItem(b []byte) []byte {
	r := cursor{b: b}
	skip := r.number(4)
	if skip > uint64(len(r.b)) {
		return nil
	}
	return r.b[skip:]
}

// itemKinds lists the ids of metadata items that the item information box names (ISO 14496-12, section 8.11.6).
func itemKinds(info []byte) map[uint64]Kind {
	r := cursor{b: info}
	version := r.number(1)
	r.take(3)
	width := 2
	if version > 0 {
		width = 4
	}
	r.number(width)
	kinds := map[uint64]Kind{}
	for kind, payload := range boxes(r.b) {
		if kind != "infe" {
			continue
		}
		if id, k, ok := itemKind(payload); ok {
			kinds[id] = k
		}
	}
	return kinds
}

func itemKind(entry []byte) (id uint64, kind Kind, ok bool) {
	r := cursor{b: entry}
	version := r.number(1)
	r.take(3)
	width := 2
	if version == 3 {
		width = 4
	}
	id = r.number(width)
	r.take(2)
	itemType := string(r.take(4))
	if r.failed || version < 2 {
		return 0, 0, false
	}
	switch itemType {
	case "Exif":
		return id, EXIF, true
	case "mime":
		_, rest, _ := bytes.Cut(r.b, []byte{0})
		media, _, _ := bytes.Cut(rest, []byte{0})
		return id, XMP, string(media) == xmpMIME
	}
	return 0, 0, false
}
