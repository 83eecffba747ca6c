package container

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Limits of XMP that is too long for one JPEG segment.
const (
	maxExtended       = 4 << 20
	maxExtendedGUIDs  = 4
	maxExtendedParts  = 256
	extendedGUIDSize  = 32
	extendedFieldSize = extendedGUIDSize + 8
)

// extendedXMP puts packets together that are spread over segments (XMP specification part 3, extended XMP in JPEG). Each part names its
// packet by GUID, the packet's length and its own offset. Nothing is allocated before all bytes are there.
type extendedXMP struct {
	packets []extendedPacket
}

type extendedPacket struct {
	guid  string
	size  uint32
	parts []extendedPart
}

type extendedPart struct {
	offset uint32
	data   []byte
}

func (x *extendedXMP) add(segment []byte) {
	if len(segment) < extendedFieldSize {
		return
	}
	guid := string(segment[:extendedGUIDSize])
	size := binary.BigEndian.Uint32(segment[extendedGUIDSize:])
	part := extendedPart{
		offset: binary.BigEndian.Uint32(segment[extendedGUIDSize+4:]),
		data:   segment[extendedFieldSize:],
	}
	at := slices.IndexFunc(x.packets, func(p extendedPacket) bool { return p.guid == guid && p.size == size })
	if at < 0 {
		if size == 0 || size > maxExtended || len(x.packets) == maxExtendedGUIDs {
			return
		}
		at = len(x.packets)
		x.packets = append(x.packets, extendedPacket{guid: guid, size: size})
	}
	if p := &x.packets[at]; len(p.parts) < maxExtendedParts {
		p.parts = append(p.parts, part)
	}
}

// flush hands out the packets whose parts join without gap or overlap.
func (x *extendedXMP) flush(c *collector) {
	for _, p := range x.packets {
		slices.SortFunc(p.parts, func(a, b extendedPart) int { return cmp.Compare(a.offset, b.offset) })
		if !p.whole() {
			continue
		}
		data := make([]byte, 0, p.size)
		for _, part := range p.parts {
			data = append(data, part.data...)
		}
		c.add(ExtendedXMP, "jpeg:APP1:xmp-extended", p.guid, data)
	}
}

func (p extendedPacket) whole() bool {
	var end uint64
	for _, part := range p.parts {
		if uint64(part.offset) != end {
			return false
		}
		end += uint64(len(part.data))
	}
	return end == uint64(p.size)
}
