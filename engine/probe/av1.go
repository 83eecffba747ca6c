package probe

// OBU types (AV1 bitstream specification, 6.2.2).
const (
	obuSequenceHeader = 1
	obuFrameHeader    = 3
	obuFrame          = 6
)

const (
	// maxFrames bounds coded frames in one still picture: progressive AVIF has up to four layers.
	maxFrames = 8
	// maxUnits bounds the OBUs or NAL units of one picture: the levels of both codecs stay below it.
	maxUnits = 4096
)

// codedSize is the largest frame that a bitstream announces, and how many frames it has.
type codedSize struct {
	width, height int
	frames        int
}

func (s *codedSize) grow(width, height int) {
	s.width, s.height = max(s.width, width), max(s.height, height)
}

// scanAV1 walks the OBUs of an item (AV1 bitstream specification, 5.3) without decoding.
func scanAV1(data []byte, size *codedSize) error {
	c := cursor{data: data}
	for units := 0; c.left() > 0; units++ {
		if units == maxUnits {
			return excessive("more than %d AV1 units", maxUnits)
		}
		header := c.u8()
		if header&0x04 != 0 {
			c.skip(1)
		}
		length := c.left()
		if header&0x02 != 0 {
			length = c.leb128()
		}
		body := c.take(length)
		if c.failed {
			return malformed("AV1 unit runs past the item")
		}
		switch header >> 3 & 0xF {
		case obuSequenceHeader:
			width, height, ok := av1SequenceSize(body)
			if !ok {
				return malformed("AV1 sequence header")
			}
			size.grow(width, height)
		case obuFrameHeader, obuFrame:
			if size.frames++; size.frames > maxFrames {
				return excessive("more than %d AV1 frames in one picture", maxFrames)
			}
		}
	}
	return nil
}

// scanAV1C reads the units of a configuration record (AV1 in ISOBMFF, 2.3).
func scanAV1C(record []byte, size *codedSize) error {
	return scanAV1(record[min(4, len(record)):], size)
}

// leb128 reads a little-endian base-128 number, or -1 when it does not fit an int32.
func (c *cursor) leb128() int {
	var v uint64
	for i := range 8 {
		b := c.u8()
		v |= uint64(b&0x7F) << (7 * i)
		if b&0x80 == 0 {
			break
		}
	}
	if v > 1<<31-1 {
		return -1
	}
	return int(v)
}

// av1SequenceSize reads sequence_header_obu (AV1 bitstream specification, 5.5.1) up to the largest frame size.
func av1SequenceSize(body []byte) (width, height int, ok bool) {
	r := bitReader{data: body}
	r.bits(3 + 1)
	if reduced := r.flag(); reduced {
		r.bits(5)
	} else {
		av1OperatingPoints(&r)
	}
	widthBits, heightBits := uint(r.bits(4))+1, uint(r.bits(4))+1
	width, height = int(r.bits(widthBits))+1, int(r.bits(heightBits))+1
	return width, height, !r.failed
}

func av1OperatingPoints(r *bitReader) {
	var delayBits uint
	if timing := r.flag(); timing {
		r.bits(32)
		r.bits(32)
		if equalIntervals := r.flag(); equalIntervals {
			r.golomb()
		}
		if decoderModel := r.flag(); decoderModel {
			delayBits = uint(r.bits(5)) + 1
			r.bits(32 - 5)
			r.bits(5 + 5 + 5)
		}
	}
	initialDelay := r.flag()
	points := r.bits(5) + 1
	for range points {
		r.bits(12)
		if level := r.bits(5); level > 7 {
			r.bits(1)
		}
		if delayBits > 0 && r.flag() {
			r.bits(delayBits)
			r.bits(delayBits)
			r.bits(1)
		}
		if initialDelay && r.flag() {
			r.bits(4)
		}
	}
}
