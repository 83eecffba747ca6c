package container

import (
	"encoding/binary"
	"iter"
)

// Types of top-level uuid boxes: C2PA specification appendix A, and XMP specification part 3.
const (
	uuidC2PA = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"
	uuidXMP  = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"
	uuidSize = 16
	// fullBox is the size of the version and flags that open a full box.
	fullBox = 4
	// manifestPurpose opens a C2PA box that holds the store itself; an offset of eight bytes follows.
	manifestPurpose = "manifest\x00"
	purposeOffset   = 8
)

func readBMFF(data []byte, c *collector) {
	for kind, payload := range boxes(data) {
		switch {
		case kind == "meta" && len(payload) > fullBox:
			readMeta(data, payload[fullBox:], c)
		case kind == "uuid" && len(payload) > uuidSize:
			switch body := payload[uuidSize:]; string(payload[:uuidSize]) {
			case uuidC2PA:
				readC2PABox(body, c)
			case uuidXMP:
				c.add(XMP, "bmff:uuid:xmp", "", body)
			}
		}
	}
}

func readC2PABox(body []byte, c *collector) {
	start := fullBox + len(manifestPurpose) + purposeOffset
	if len(body) > start && string(body[fullBox:fullBox+len(manifestPurpose)]) == manifestPurpose {
		c.manifest("bmff:uuid:c2pa", body[start:])
	}
}

// boxes lists the boxes side by side in data (ISO 14496-12, section 4.2) until one is not whole.
func boxes(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for n := 0; n < maxBoxes && len(data) >= 8; n++ {
			size, header := uint64(binary.BigEndian.Uint32(data)), uint64(8)
			kind := string(data[4:8])
			switch {
			case size == 0: // Up to the end of the file.
				size = uint64(len(data))
			case size == 1 && len(data) >= 16:
				size, header = binary.BigEndian.Uint64(data[8:]), 16
			}
			if size < header || size > uint64(len(data)) {
				return
			}
			if !yield(kind, data[header:size]) {
				return
			}
			data = data[size:]
		}
	}
}
