package sample

import "encoding/binary"

// Markers of JPEG segments.
const (
	APP1  = 0xE1
	APP11 = 0xEB
	APP13 = 0xED
	COM   = 0xFE
)

// JPEG has the segments before the image data.
func JPEG(segments ...[]byte) []byte {
	return Join([]byte{0xFF, 0xD8}, Join(segments...), Segment(0xDA, []byte{0, 0, 63, 0}), []byte{0x00, 0xFF, 0xD9})
}

// Segment is one segment, 65,533 bytes of payload at most.
func Segment(marker byte, payload []byte) []byte {
	return Join([]byte{0xFF, marker}, size16(binary.BigEndian, len(payload)+2), payload)
}

// JPEGWithEXIF has one TIFF structure.
func JPEGWithEXIF(tiff []byte) []byte {
	return JPEG(Segment(APP1, Join([]byte("Exif\x00\x00"), tiff)))
}

// JPEGWithXMP has one packet.
func JPEGWithXMP(packet string) []byte {
	return JPEG(XMPSegment(packet))
}

// XMPSegment holds a packet.
func XMPSegment(packet string) []byte {
	return Segment(APP1, []byte("http://ns.adobe.com/xap/1.0/\x00"+packet))
}

// ExtendedXMPSegment holds the part from offset of a packet that is size bytes long.
func ExtendedXMPSegment(guid string, size, offset int, part string) []byte {
	return Segment(APP1, Join([]byte("http://ns.adobe.com/xmp/extension/\x00"+guid),
		size32(binary.BigEndian, size), size32(binary.BigEndian, offset), []byte(part)))
}

// ManifestSegment holds a C2PA manifest store.
func ManifestSegment() []byte {
	return Segment(APP11, Join([]byte{'J', 'P', 0, 1, 0, 0, 0, 1}, ManifestStore()))
}

// Photoshop is the payload of an APP13 segment that holds IIM datasets behind another resource.
func Photoshop(iim []byte) []byte {
	other := Join([]byte("8BIM\x03\xED\x00\x00"), size32(binary.BigEndian, 3), []byte{1, 2, 3, 0})
	return Join([]byte("Photoshop 3.0\x00"), other, []byte("8BIM\x04\x04\x03odd"), size32(binary.BigEndian, len(iim)), iim)
}

// IIM is one dataset of the application record.
func IIM(dataset byte, value string) []byte {
	return Join([]byte{0x1C, 2, dataset}, size16(binary.BigEndian, len(value)), []byte(value))
}
