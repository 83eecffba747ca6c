package container

// Parts of a GIF file (GIF89a specification, sections 18 to 27).
const (
	gifHeaderSize  = 13
	gifExtension   = 0x21
	gifImage       = 0x2C
	gifComment     = 0xFE
	gifApplication = 0xFF
	gifImageSize   = 10
	// gifXMPTrailer closes an XMP packet so that block readers find its end (XMP specification part 3).
	gifXMPTrailer = 257
)

func readGIF(data []byte, c *collector) {
	if len(data) < gifHeaderSize {
		return
	}
	at := gifHeaderSize + colourTable(data[10])
	for at < len(data) {
		switch data[at] {
		case gifExtension:
			if at+2 > len(data) {
				return
			}
			at = readGIFExtension(data, at+1, c)
		case gifImage:
			if at+gifImageSize > len(data) {
				return
			}
			// The code size byte stands between the colour table and the data.
			_, at = subBlocks(data, at+gifImageSize+colourTable(data[at+gifImageSize-1])+1, false)
		case 0: // A terminator too many, which the trailer of XMP can leave.
			at++
		default:
			return
		}
	}
}

// readGIFExtension reads the extension whose label is at at and answers where it ends.
func readGIFExtension(data []byte, at int, c *collector) int {
	label, body := data[at], at+1
	text, end := subBlocks(data, body, label == gifComment || label == gifApplication)
	switch {
	case end > len(data):
	case label == gifComment:
		c.add(Comment, "gif:comment", "", text)
	case label == gifApplication && len(text) >= 11:
		switch string(text[:11]) {
		case "XMP DataXMP":
			// The packet is not cut into blocks: what block readers take for lengths is text of the packet.
			if start := body + 12; end-1-gifXMPTrailer > start {
				c.add(XMP, "gif:xmp", "", data[start:end-1-gifXMPTrailer])
			}
		case "C2PA_GIF\x01\x00\x00": // C2PA 2.4, appendix A.3.8.
			c.manifest("gif:C2PA_GIF", text[11:])
		}
	}
	return end
}

// subBlocks joins the data sub-blocks from at on when asked to, and answers where they end: past the file when the
// closing block is missing.
func subBlocks(data []byte, at int, join bool) (joined []byte, end int) {
	for at < len(data) {
		size := int(data[at])
		at++
		if size == 0 {
			return joined, at
		}
		if join && at+size <= len(data) {
			joined = append(joined, data[at:at+size]...)
		}
		at += size
	}
	return joined, len(data) + 1
}

// colourTable is the size in bytes of the table that the flags announce.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}
