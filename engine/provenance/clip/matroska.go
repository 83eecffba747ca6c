package clip

import (
	"iter"
	"math/bits"
	"strings"
)

// Elements of Matroska that are looked into (RFC 9559, section 5).
const (
	idSegment    = 0x18538067
	idCluster    = 0x1F43B675
	idInfo       = 0x1549A966
	idMuxingApp  = 0x4D80
	idWritingApp = 0x5741
	idTags       = 0x1254C367
	idTag        = 0x7373
	idSimpleTag  = 0x67C8
	idTagName    = 0x45A3
	idTagString  = 0x4487
)

const (
	// elementHeader is the longest header: 4 bytes of id, 8 of length.
	elementHeader = 12
	// maxTagDepth bounds tags within tags.
	maxTagDepth = 4
	// unknownSize is the length of an element that runs on until one that cannot be in it.
	unknownSize = -1
)

// element is an EBML element (RFC 8794) by its place: the body lies from at up to end.
type element struct {
	id      uint32
	at, end int64
	// open says that the element states no length.
	open bool
}

// matroska visits the segment of a WebM file.
func (c *collector) matroska() {
	for e := range c.elements(0, c.blocks.Size()) {
		if e.id != idSegment {
			continue
		}
		for part := range c.elements(e.at, e.end) {
			switch {
			case part.id == idCluster && part.open:
				// A live recording: its clusters end where the file does.
				return
			case part.id == idInfo:
				c.segmentInfo(part)
			case part.id == idTags:
				c.tags(part)
			}
		}
		return
	}
}

// elements walks the elements between two offsets, without reading their bodies, until one is not whole.
func (c *collector) elements(at, end int64) iter.Seq[element] {
	return func(yield func(element) bool) {
		for n := 0; n < maxBoxes && at < end; n++ {
			head, err := c.blocks.Bytes(at, min(elementHeader, end-at))
			if err != nil {
				return
			}
			id, idBytes := elementID(head)
			size, sizeBytes := elementSize(head[idBytes:])
			if idBytes == 0 || sizeBytes == 0 {
				return
			}
			e := element{id: id, at: at + int64(idBytes+sizeBytes), end: end, open: size == unknownSize}
			if !e.open {
				if size > end-e.at {
					return
				}
				e.end = e.at + size
			}
			if !yield(e) {
				return
			}
			at = e.end
		}
	}
}

// elementID reads an id with its marker, and gives its length in bytes, 0 when it is none.
func elementID(b []byte) (id uint32, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	if n = bits.LeadingZeros8(b[0]) + 1; n > 4 || n > len(b) {
		return 0, 0
	}
	for _, v := range b[:n] {
		id = id<<8 | uint32(v)
	}
	return id, n
}

// elementSize reads a length without its marker, or unknownSize, and gives the bytes that it takes, 0 when it is none.
func elementSize(b []byte) (size int64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	if n = bits.LeadingZeros8(b[0]) + 1; n > 8 || n > len(b) {
		return 0, 0
	}
	size = int64(b[0]) & (1<<(8-n) - 1)
	for _, v := range b[1:n] {
		size = size<<8 | int64(v)
	}
	if size == 1<<(7*n)-1 {
		return unknownSize, n
	}
	return size, n
}

func (c *collector) segmentInfo(info element) {
	for e := range c.elements(info.at, info.end) {
		switch e.id {
		case idWritingApp:
			c.elementText(Encoder, "webm:Info:WritingApp", e)
		case idMuxingApp:
			c.elementText(Encoder, "webm:Info:MuxingApp", e)
		}
	}
}

func (c *collector) tags(tags element) {
	for tag := range c.elements(tags.at, tags.end) {
		if tag.id == idTag {
			c.simpleTags(tag, "webm:Tags", 0)
		}
	}
}

// simpleTags reads the tags directly within an element, and those within them.
func (c *collector) simpleTags(within element, where string, depth int) {
	if depth == maxTagDepth {
		return
	}
	for tag := range c.elements(within.at, within.end) {
		if tag.id != idSimpleTag {
			continue
		}
		var name string
		var value element
		for e := range c.elements(tag.at, tag.end) {
			switch e.id {
			case idTagName:
				if body, err := c.blocks.Bytes(e.at, min(e.end-e.at, maxName)); err == nil {
					name = strings.TrimRight(string(body), "\x00")
				}
			case idTagString:
				value = e
			}
		}
		c.elementText(named(name), where+":"+label(name), value)
		c.simpleTags(tag, where+":"+label(name), depth+1)
	}
}

func (c *collector) elementText(field, where string, e element) {
	if field == "" {
		return
	}
	if body, ok := c.bytes(e.at, e.end); ok {
		c.text(field, where, decode(body))
	}
}
