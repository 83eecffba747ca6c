package probe

// gifHeader walks the blocks (GIF89a specification, appendix B) until it has seen two pictures or the end. The size is
// the union of the logical screen and the picture, because decoders differ in which of the two they trust.
func gifHeader(data []byte) (Info, error) {
	c := cursor{data: data, at: 6}
	info := Info{Width: int(c.le16()), Height: int(c.le16())}
	c.colourTable(c.u8(), 2)
	for !c.failed {
		switch kind := c.u8(); {
		case c.failed || kind == 0x3B:
			return gifDone(info)
		case kind == 0x21:
			c.skip(1)
			c.subBlocks()
		case kind == 0x2C:
			info.Pages++
			if info.Pages > 1 {
				info.Animated = true
				return info, nil
			}
			c.gifPicture(&info)
		default:
			// Bytes between blocks occur in real files, and decoders pass over them.
		}
	}
	return Info{}, malformed("the file ends inside a block")
}

func gifDone(info Info) (Info, error) {
	if info.Pages == 0 {
		return Info{}, malformed("no picture")
	}
	return info, nil
}

func (c *cursor) gifPicture(info *Info) {
	left, top, width, height := c.le16(), c.le16(), c.le16(), c.le16()
	info.Width = max(info.Width, int(left)+int(width))
	info.Height = max(info.Height, int(top)+int(height))
	c.colourTable(c.u8(), 0)
	c.skip(1)
	c.subBlocks()
}

// colourTable skips a table whose presence and size flags holds, and the extra bytes that stand before it.
func (c *cursor) colourTable(flags byte, extra int) {
	c.skip(extra)
	if flags&0x80 != 0 {
		c.skip(3 << (flags&7 + 1))
	}
}

// subBlocks skips length-prefixed blocks up to the empty one.
func (c *cursor) subBlocks() {
	for !c.failed {
		n := c.u8()
		if n == 0 {
			return
		}
		c.skip(int(n))
	}
}
