package probe

import "iter"

// maxBoxes bounds the boxes in one container: a grid of 25 megapixels has a few hundred properties and references.
const maxBoxes = 8192

// box is one box of ISO/IEC 14496-12, section 4.2.
type box struct {
	kind string
	body []byte
}

// boxes yields the boxes that fill data. What cannot be a box ends the walk with an error.
func boxes(data []byte) iter.Seq2[box, error] {
	return func(yield func(box, error) bool) {
		c := cursor{data: data}
		for n := 0; c.left() > 0; n++ {
			b, err := c.box()
			if n == maxBoxes {
				err = excessive("more than %d boxes in one container", maxBoxes)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

func (c *cursor) box() (box, error) {
	start := c.at
	size := uint64(c.be32())
	kind := string(c.take(4))
	switch size {
	case 0:
		size = uint64(len(c.data[start:]))
	case 1:
		size = c.be64()
	}
	whole, header := c.data[start:], c.at-start
	if c.failed || size < uint64(len(whole[:header])) || size > uint64(len(whole)) {
		return box{}, malformed("box %q of %d bytes runs past its container", kind, size)
	}
	body := whole[header:size]
	c.skip(len(body))
	return box{kind: kind, body: body}, nil
}

// full splits a FullBox body into version, flags and the rest.
func (b box) full() (version byte, flags uint32, rest cursor) {
	c := cursor{data: b.body}
	word := c.be32()
	return byte(word >> 24), word & 0xFFFFFF, c
}
