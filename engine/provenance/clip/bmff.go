package clip

import (
	"bytes"
	"encoding/binary"

	"veracity/engine/probe"
	"veracity/engine/provenance/container"
)

const (
	uuidSize = 16
	// fullBox is the size of the version and flags that open a full box (ISO/IEC 14496-12, section 4.2).
	fullBox = 4
	// manifestOffset is the size of the field between a C2PA box's purpose and its store.
	manifestOffset = 8
)

// bmff visits an ISO base media file (MP4, MOV, M4A): uuid boxes and metadata at the top, in moov and in its tracks.
func (c *collector) bmff() {
	for box, err := range c.blocks.Boxes(0, c.blocks.Size(), maxBoxes) {
		if err != nil {
			return
		}
		switch box.Kind {
		case "uuid":
			c.uuid(box)
		case "moov":
			c.movie(box)
		default:
			c.metadata("bmff", box)
		}
	}
}

func (c *collector) movie(moov probe.Box) {
	for box, err := range c.blocks.Boxes(moov.Body, moov.End, maxBoxes) {
		if err != nil {
			return
		}
		if box.Kind != "trak" {
			c.metadata("bmff:moov", box)
			continue
		}
		for inner, err := range c.blocks.Boxes(box.Body, box.End, maxBoxes) {
			if err != nil {
				break
			}
			c.metadata("bmff:moov:trak", inner)
		}
	}
}

// metadata reads the boxes that hold metadata wherever they lie.
func (c *collector) metadata(where string, box probe.Box) {
	switch box.Kind {
	case "udta":
		c.userData(where+":udta", box)
	case "meta":
		c.meta(where+":meta", box)
	}
}

// uuid reads the boxes of C2PA and of XMP, told by their types.
func (c *collector) uuid(box probe.Box) {
	id, err := c.blocks.Bytes(box.Body, min(uuidSize, box.Len()))
	if err != nil {
		return
	}
	switch string(id) {
	case container.XMPBox:
		c.xmp("bmff:uuid:xmp", box.Body+uuidSize, box.End)
	case container.C2PABox:
		c.c2paBox(box.Body+uuidSize, box.End)
	}
}

// c2paBox finds the manifest store in a box of C2PA (specification, appendix A.5): version and flags, the purpose up to
// its NUL, an offset, the store. Boxes of other purposes hold hashes of fragments.
func (c *collector) c2paBox(at, end int64) {
	const longest = int64(len("manifest\x00"))
	head, err := c.blocks.Bytes(at, min(fullBox+longest, end-at))
	if err != nil || len(head) <= fullBox {
		return
	}
	purpose, _, ok := bytes.Cut(head[fullBox:], []byte{0})
	if !ok {
		return
	}
	switch string(purpose) {
	case "manifest", "original", "update":
		c.manifest("bmff:uuid:c2pa", at+fullBox+int64(len(purpose))+1+manifestOffset, end)
	}
}

// userData reads a udta box: a meta box, an XMP packet (XMP specification part 3, QuickTime), and QuickTime's texts.
func (c *collector) userData(where string, udta probe.Box) {
	for box, err := range c.blocks.Boxes(udta.Body, udta.End, maxBoxes) {
		switch {
		case err != nil:
			return
		case box.Kind == "meta":
			c.meta(where+":meta", box)
		case box.Kind == "XMP_":
			c.xmp(where+":XMP_", box.Body, box.End)
		case box.Kind[0] == 0xA9 && fourccs[box.Kind] != "":
			c.quickTimeTexts(where, box)
		case threeGPP[box.Kind] != "":
			c.threeGPPText(where, box)
		}
	}
}

// fourccs name the fields of Apple's lists of items and of user data (QuickTime File Format, User Data Atoms; names of
// iTunes' items as players read them).
var fourccs = map[string]string{
	"\xA9cmt": Comment,
	"\xA9des": Description,
	"\xA9inf": Description,
	"desc":    Description,
	"ldes":    Description,
	"\xA9too": Encoder,
	"\xA9swr": Encoder,
	"\xA9enc": Encoder,
	"\xA9cpy": Copyright,
	"cprt":    Copyright,
	"\xA9src": Credit,
	"\xA9mak": Make,
	"\xA9mod": Model,
}

// threeGPP are the fields of 3GPP TS 26.244, section 8.
var threeGPP = map[string]string{"dscp": Description, "cprt": Copyright}

// fourcc is a code as it reads: one byte a character, as Apple's codes are.
func fourcc(code string) string {
	runes := make([]rune, 0, len(code))
	for _, b := range []byte(code) {
		if b < ' ' || b == 0x7F {
			b = '?'
		}
		runes = append(runes, rune(b))
	}
	return string(runes)
}

// quickTimeTexts reads a list of texts in several languages: each its length, its language and itself.
func (c *collector) quickTimeTexts(where string, box probe.Box) {
	body, ok := c.bytes(box.Body, box.End)
	for n := 0; ok && len(body) >= 4 && n < maxTexts; n++ {
		size := int(binary.BigEndian.Uint16(body))
		if size > len(body)-4 {
			return
		}
		c.text(fourccs[box.Kind], where+":"+fourcc(box.Kind), decode(body[4:4+size]))
		body = body[4+size:]
	}
}

// threeGPPText reads version and flags, the language, and a text in UTF-8 or, after a byte order mark, UTF-16.
func (c *collector) threeGPPText(where string, box probe.Box) {
	if body, ok := c.bytes(box.Body, box.End); ok && len(body) > fullBox+2 {
		c.text(threeGPP[box.Kind], where+":"+fourcc(box.Kind), decode(body[fullBox+2:]))
	}
}
