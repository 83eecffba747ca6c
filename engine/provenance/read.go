package provenance

import (
	"strings"

	"veracity/engine/provenance/container"
	"veracity/engine/provenance/exif"
	"veracity/engine/provenance/ifd"
	"veracity/engine/provenance/iptc"
	"veracity/engine/provenance/xmp"
)

// Limits of the XMP of a file, all its packets together: some 0.3 s of work.
const (
	maxXMPBytes  = 8 << 20
	maxXMPTokens = 256 << 10
)

// Read reports what an image says of its own origin. data is the whole file, 25 MB at most; what is left of a truncated
// or damaged one is read as far as it is whole. It never fails: a file that says nothing has the verdict none.
func Read(data []byte) Report {
	file := container.Open(data)
	f := finder{texts: texts{}}
	for _, b := range file.Blocks {
		switch b.Kind {
		case container.EXIF:
			if tags, ok := exif.Parse(b.Data); ok {
				f.exif(b.Where, tags)
			}
		case container.IPTC:
			f.iptc(b.Where, iptc.Parse(b.Data))
		case container.Text:
			f.texts.add(b.Key, b.Where, b.Data)
		case container.Comment:
			f.record(b.Where, strings.TrimSpace(ifd.Decode(b.Data)))
		case container.XMP, container.ExtendedXMP:
		}
	}
	f.pngTexts()
	for _, p := range packets(file.Blocks) {
		f.xmp(p)
	}
	return f.report(file.Manifest)
}

// packet is an XMP packet and its place.
type packet struct {
	xmp.Packet
	where string
}

// packets parses the main packets, and then the extended ones that a main packet names.
func packets(blocks []container.Block) []packet {
	tokens, size := maxXMPTokens, 0
	var parsed []packet
	parse := func(b container.Block) (packet, bool) {
		if size += len(b.Data); size > maxXMPBytes {
			return packet{}, false
		}
		p := packet{Packet: xmp.Parse(b.Data, &tokens), where: b.Where}
		parsed = append(parsed, p)
		return p, true
	}
	named := map[string]bool{}
	for _, b := range blocks {
		if b.Kind != container.XMP {
			continue
		}
		if p, ok := parse(b); ok {
			named[p.First(xmp.NSNote, "HasExtendedXMP")] = true
		}
	}
	for _, b := range blocks {
		if b.Kind == container.ExtendedXMP && named[b.Key] {
			parse(b)
		}
	}
	return parsed
}
