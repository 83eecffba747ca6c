package container

import "encoding/binary"

// readRIFF visits the chunks of a WebP file (RFC 9649, section 2.3), and finds the manifest store of other RIFF files.
// The length in the header is not asked: writers leave it stale.
func readRIFF(data []byte, c *collector) {
	if len(data) < 12 {
		return
	}
	form := "riff"
	if string(data[8:12]) == "WEBP" {
		form = "webp"
	}
	for data = data[12:]; len(data) >= 8; {
		size := uint64(binary.LittleEndian.Uint32(data[4:]))
		if size > uint64(len(data))-8 {
			return
		}
		payload := data[8 : 8+size]
		switch name := string(data[:4]); {
		case name == "C2PA":
			c.manifest(form+":C2PA", payload)
		case form != "webp":
		case name == "EXIF":
			c.exif("webp:EXIF", payload)
		case name == "XMP ":
			c.add(XMP, "webp:XMP", "", payload)
		}
		data = data[min(8+size+size%2, uint64(len(data))):]
	}
}
