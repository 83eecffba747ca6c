package container

import (
	"bytes"
	"encoding/binary"

	"veracity/engine/provenance/iptc"
)

// Headers of JPEG application segments: Exif 2.32 section 4.7.2, XMP specification part 3, Photoshop file
// formats.
const (
	exifHeader        = "Exif\x00\x00"
	xmpHeader         = "http://ns.adobe.com/xap/1.0/\x00"
	extendedXMPHeader = "http://ns.adobe.com/xmp/extension/\x00"
	photoshopHeader   = "Photoshop 3.0\x00"
	// jumbfHeader is the size of a JUMBF segment's own fields (ISO 19566-5 annex D): "JP", instance, packet number.
	jumbfHeader = 8
)

// JPEG markers (ISO 10918-1, table B.1).
const (
	markerTEM   = 0x01
	markerRST0  = 0xD0
	markerRST7  = 0xD7
	markerEOI   = 0xD9
	markerSOS   = 0xDA
	markerAPP1  = 0xE1
	markerAPP11 = 0xEB
	markerAPP13 = 0xED
	markerCOM   = 0xFE
)

func readJPEG(data []byte, c *collector) {
	var photoshop [][]byte
	var extended extendedXMP
	segments(data, func(marker byte, payload []byte) {
		switch marker {
		case markerAPP1:
			readAPP1(payload, c, &extended)
		case markerAPP11:
			if len(payload) > jumbfHeader && payload[0] == 'J' && payload[1] == 'P' {
				c.manifest("jpeg:APP11", payload[jumbfHeader:])
			}
		case markerAPP13:
			if rest, ok := bytes.CutPrefix(payload, []byte(photoshopHeader)); ok && len(photoshop) < maxBlocks {
				photoshop = append(photoshop, rest)
			}
		case markerCOM:
			c.add(Comment, "jpeg:COM", "", payload)
		}
	})
	// Resources too long for one segment run on in the next.
	if len(photoshop) > 0 {
		c.add(IPTC, "jpeg:APP13:iptc", "", iptc.Find(bytes.Join(photoshop, nil)))
	}
	extended.flush(c)
}

// segments visits each whole segment before the image data.
func segments(data []byte, visit func(marker byte, payload []byte)) {
	for at := 2; at+4 <= len(data) && data[at] == 0xFF; {
		marker := data[at+1]
		switch {
		case marker == 0xFF: // A fill byte.
			at++
			continue
		case marker == markerTEM || marker >= markerRST0 && marker <= markerRST7:
			at += 2
			continue
		case marker == markerSOS || marker == markerEOI:
			return
		}
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		if size < 2 || at+2+size > len(data) {
			return
		}
		visit(marker, data[at+4:at+2+size])
		at += 2 + size
	}
}

func readAPP1(payload []byte, c *collector, extended *extendedXMP) {
	if packet, ok := bytes.CutPrefix(payload, []byte(xmpHeader)); ok {
		c.add(XMP, "jpeg:APP1:xmp", "", packet)
		return
	}
	if part, ok := bytes.CutPrefix(payload, []byte(extendedXMPHeader)); ok {
		extended.add(part)
		return
	}
	if bytes.HasPrefix(payload, []byte("Exif\x00")) {
		c.exif("jpeg:APP1:exif", payload)
	}
}
