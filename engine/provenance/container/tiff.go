package container

import (
	"bytes"

	"veracity/engine/provenance/ifd"
	"veracity/engine/provenance/iptc"
)

// Tags of TIFF files that hold metadata: XMP specification part 3, and C2PA
// specification appendix A.
const (
	tagXMP       = 700
	tagIPTC      = 33723
	tagPhotoshop = 34377
	tagC2PA      = 0xCD41
)

// readTIFF reads the first directory, the one of the main image.
func readTIFF(data []byte, c *collector) {
	f, ok := ifd.Open(data)
	if !ok {
		return
	}
	c.add(EXIF, "tiff:exif", "", data)
	dir := f.Directory(f.First())
	c.add(XMP, "tiff:700:xmp", "", dir[tagXMP].Data)
	c.add(IPTC, "tiff:33723:iptc", "", iptc.Find(unswapped(dir[tagIPTC].Data)))
	c.add(IPTC, "tiff:34377:iptc", "", iptc.Find(dir[tagPhotoshop].Data))
	c.manifest("tiff:52545", dir[tagC2PA].Data)
}

// unswapped undoes what writers do that take the IPTC bytes for the 32-bit numbers that the tag's type names.
func unswapped(b []byte) []byte {
	const datasetMarker = 0x1C
	if len(b) < 4 || b[0] == datasetMarker || b[3] != datasetMarker {
		return b
	}
	b = bytes.Clone(b[:len(b)&^3])
	for i := 0; i < len(b); i += 4 {
		b[i], b[i+1], b[i+2], b[i+3] = b[i+3], b[i+2], b[i+1], b[i]
	}
	return b
}
