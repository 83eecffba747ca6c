package probe

import "encoding/binary"

// cursor reads bytes front to back. The first read past the end sets failed, and every later one gives zero, so that a
// parser checks once at its end.
type cursor struct {
	data   []byte
	at     int
	failed bool
}

func (c *cursor) left() int { return len(c.data) - c.at }

func (c *cursor) take(n int) []byte {
	if c.failed || n < 0 || n > c.left() {
		c.failed = true
		return nil
	}
	b := c.data[c.at : c.at+n]
	c.at += n
	return b
}

func (c *cursor) skip(n int) { c.take(n) }

func (c *cursor) u8() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) le16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) be16() uint16 {
	if b := c.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) be32() uint32 {
	if b := c.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) be64() uint64 {
	if b := c.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// beN reads an unsigned number of 0, 4 or 8 bytes.
func (c *cursor) beN(size int) uint64 {
	switch size {
	case 0:
		return 0
	case 4:
		return uint64(c.be32())
	case 8:
		return c.be64()
	}
	c.failed = true
	return 0
}

// text reads up to the next zero byte, which it consumes.
func (c *cursor) text() string {
	start := c.at
	for !c.failed {
		if c.u8() == 0 {
			break
		}
	}
	if c.failed {
		return ""
	}
	return string(c.data[start : c.at-1])
}
