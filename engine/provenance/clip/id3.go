package clip

import (
	"bytes"
	"encoding/binary"
	"iter"

	"veracity/engine/probe"
)

const (
	// id3Header is the size of a tag's header, and of the footer that repeats it.
	id3Header = 10
	// maxTags bounds the tags in a row; players read the first.
	maxTags = 4
	// maxFrames bounds the frames of a tag.
	maxFrames = 1024
)

// Flags of a tag's header (id3.org: ID3v2.4.0 structure, section 3.1, ID3v2.3.0, section 3.1, ID3v2.2.0, section 3.1).
const (
	tagUnsynchronised = 0x80
	tagExtended       = 0x40 // In version 2: compressed, in a way that was never defined.
	tagFooter         = 0x10
)

// mp3 visits the ID3v2 tags that open an MP3 file.
func (c *collector) mp3() {
	var at int64
	for range maxTags {
		size := c.id3("mp3:id3", at, c.blocks.Size())
		if size == 0 {
			return
		}
		at += size
	}
}

// id3Tag is the header of a tag and where its frames lie.
type id3Tag struct {
	where   string
	version byte
	flags   byte
	at, end int64
}

// id3 reads the tag at an offset and gives its length, 0 when there is none.
func (c *collector) id3(where string, at, end int64) int64 {
	head, err := c.blocks.Bytes(at, id3Header)
	if err != nil || string(head[:3]) != "ID3" || head[3] < 2 || head[3] > 4 {
		return 0
	}
	size, ok := synchsafe(head[6:])
	if !ok {
		return 0
	}
	t := id3Tag{where: where, version: head[3], flags: head[5], at: at + id3Header, end: min(at+id3Header+size, end)}
	c.id3Frames(t)
	size += id3Header
	if t.version == 4 && t.flags&tagFooter != 0 {
		size += id3Header
	}
	return size
}

// id3Frames reads a tag's frames. Before version 4 a tag is unsynchronised as a whole, so that it has to be read whole.
func (c *collector) id3Frames(t id3Tag) {
	if t.version == 2 && t.flags&tagExtended != 0 {
		return
	}
	if t.version < 4 && t.flags&tagUnsynchronised != 0 {
		body, ok := c.bytes(t.at, t.end)
		if !ok {
			return
		}
		body = resynchronise(body)
		outer := c.blocks
		defer func() { c.blocks = outer }()
		c.blocks = probe.NewBlocks(bytes.NewReader(body), int64(len(body)), blockBytes, maxBytes)
		t.at, t.end = 0, int64(len(body))
	}
	if t.version > 2 && t.flags&tagExtended != 0 && !c.skipExtended(&t) {
		return
	}
	for f := range c.frames(t) {
		c.frame(t, f)
	}
}

// skipExtended passes over the extended header, whose length counts itself in version 4 alone.
func (c *collector) skipExtended(t *id3Tag) bool {
	head, err := c.blocks.Bytes(t.at, 4)
	if err != nil {
		return false
	}
	size, ok := int64(binary.BigEndian.Uint32(head))+4, true
	if t.version == 4 {
		size, ok = synchsafe(head)
	}
	t.at += size
	return ok && t.at <= t.end
}

// id3Frame is a frame by its place.
type id3Frame struct {
	id string
	// flags is the byte that says how the body is stored; version 2 has none.
	flags   byte
	at, end int64
}

// frames walks the frames of a tag, without reading their bodies, until one is not whole or padding begins.
func (c *collector) frames(t id3Tag) iter.Seq[id3Frame] {
	return func(yield func(id3Frame) bool) {
		for n := 0; n < maxFrames; n++ {
			f, ok := c.frameAt(t)
			if !ok || !yield(f) {
				return
			}
			t.at = f.end
		}
	}
}

func (c *collector) frameAt(t id3Tag) (id3Frame, bool) {
	id, header := 4, int64(10)
	if t.version == 2 {
		id, header = 3, 6
	}
	if t.end-t.at < header {
		return id3Frame{}, false
	}
	head, err := c.blocks.Bytes(t.at, header)
	if err != nil || !isFrameID(head[:id]) {
		return id3Frame{}, false
	}
	f := id3Frame{id: string(head[:id]), at: t.at + header}
	var size int64
	switch t.version {
	case 2:
		size = int64(head[3])<<16 | int64(head[4])<<8 | int64(head[5])
	case 3:
		f.flags, size = head[9], int64(binary.BigEndian.Uint32(head[4:]))
	default:
		f.flags = head[9]
		size = c.frameSize(t, [4]byte(head[4:]))
	}
	f.end = f.at + size
	return f, f.end <= t.end
}

// frameSize is the length of a frame of version 4. Some writers, early iTunes first, put a plain number where seven bits
// of each byte count; it is one when another frame or the end follows there alone.
func (c *collector) frameSize(t id3Tag, field [4]byte) int64 {
	plain := int64(binary.BigEndian.Uint32(field[:]))
	size, ok := synchsafe(field[:])
	if !ok || size != plain && !c.frameFollows(t, size) && c.frameFollows(t, plain) {
		return plain
	}
	return size
}

func (c *collector) frameFollows(t id3Tag, size int64) bool {
	at := t.at + id3Header + size
	if at >= t.end {
		return at == t.end
	}
	head, err := c.blocks.Bytes(at, min(4, t.end-at))
	return err == nil && len(head) == 4 && isFrameID(head)
}

func isFrameID(id []byte) bool {
	for _, b := range id {
		if (b < 'A' || b > 'Z') && (b < '0' || b > '9') {
			return false
		}
	}
	return true
}

// synchsafe reads 28 bits, seven of each byte; false when a top bit is set.
func synchsafe(b []byte) (int64, bool) {
	if (b[0]|b[1]|b[2]|b[3])&0x80 != 0 {
		return 0, false
	}
	return int64(b[0])<<21 | int64(b[1])<<14 | int64(b[2])<<7 | int64(b[3]), true
}

// resynchronise takes out the zero that unsynchronisation puts behind each byte FF.
func resynchronise(b []byte) []byte { return bytes.ReplaceAll(b, []byte{0xFF, 0}, []byte{0xFF}) }
