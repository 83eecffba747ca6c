package clip

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Flags of a frame: how its body is stored (ID3v2.4.0 structure, section 4.1.2, and ID3v2.3.0, section 3.3.1). No tool
// that labels its output compresses or encrypts frames, so those are left.
const (
	frame3Opaque         = 0xC0
	frame3Grouped        = 0x20
	frame4Opaque         = 0x0C
	frame4Grouped        = 0x40
	frame4Unsynchronised = 0x02
	frame4Length         = 0x01
)

// maxObjectHead bounds what stands before the object in a GEOB frame.
const maxObjectHead = 1024

// frameFields name the text frames that are read, in versions 3 and 4 and in version 2.
var frameFields = map[string]string{
	"TIT3": Description, "TT3": Description,
	"TSSE": Encoder, "TSS": Encoder,
	"TENC": Encoder, "TEN": Encoder,
	"TCOP": Copyright, "TCR": Copyright,
}

// frame reads a frame that can hold a statement. Pictures, lyrics and the like stay where they are.
func (c *collector) frame(t id3Tag, f id3Frame) {
	unsynchronised, ok := f.open(t)
	if !ok {
		return
	}
	where := t.where + ":" + f.id
	switch f.id {
	case "GEOB", "GEO":
		c.object(where, f)
	case "PRIV":
		c.private(where, f, unsynchronised)
	case "TXXX", "TXX", "COMM", "COM", "TIT3", "TT3", "TSSE", "TSS", "TENC", "TEN", "TCOP", "TCR", "WOAS", "WAS":
		body, ok := c.bytes(f.at, f.end)
		if !ok || len(body) == 0 {
			return
		}
		if unsynchronised {
			body = resynchronise(body)
		}
		c.frameText(where, f.id, body)
	}
}

func (c *collector) frameText(where, id string, body []byte) {
	const language = 3
	switch id {
	case "TXXX", "TXX":
		name, value := described(body[0], body[1:])
		c.text(named(name), where+":"+label(name), value)
	case "COMM", "COM":
		if len(body) > 1+language {
			name, value := described(body[0], body[1+language:])
			c.text(commentField(name), where, value)
		}
	case "WOAS", "WAS":
		c.text(Source, where, decode(body))
	default:
		c.text(frameFields[id], where, encoded(body[0], body[1:]))
	}
}

// open passes over what the flags put before the body. False: the body cannot be read.
func (f *id3Frame) open(t id3Tag) (unsynchronised, ok bool) {
	switch t.version {
	case 3:
		if f.flags&frame3Opaque != 0 {
			return false, false
		}
		if f.flags&frame3Grouped != 0 {
			f.at++
		}
	case 4:
		if f.flags&frame4Opaque != 0 {
			return false, false
		}
		if f.flags&frame4Grouped != 0 {
			f.at++
		}
		if f.flags&frame4Length != 0 {
			f.at += 4
		}
		unsynchronised = f.flags&frame4Unsynchronised != 0 || t.flags&tagUnsynchronised != 0
	}
	return unsynchronised, f.at <= f.end
}

// commentField is the field of a comment by its description. iTunes keeps settings of its own in comments.
func commentField(description string) string {
	if field := named(description); field != "" {
		return field
	}
	if strings.HasPrefix(description, "iTun") {
		return ""
	}
	return Comment
}

// private finds an XMP packet in a frame whose owner says so (XMP specification part 3, MP3).
func (c *collector) private(where string, f id3Frame, unsynchronised bool) {
	const owner = "XMP\x00"
	head, err := c.blocks.Bytes(f.at, min(int64(len(owner)), f.end-f.at))
	if err != nil || string(head) != owner {
		return
	}
	packet, ok := c.bytes(f.at+int64(len(owner)), f.end)
	if !ok {
		return
	}
	if unsynchronised {
		packet = resynchronise(packet)
	}
	c.packet(where+":xmp", packet)
}

// object finds a C2PA manifest store in a general object (C2PA specification, appendix A: media type application/c2pa;
// the older name is that of the specification's first versions): an encoding, the type, a file name and a description,
// the store.
func (c *collector) object(where string, f id3Frame) {
	head, err := c.blocks.Bytes(f.at, min(maxObjectHead, f.end-f.at))
	if err != nil || len(head) == 0 {
		return
	}
	encoding := head[0]
	media, rest, ok := bytes.Cut(head[1:], []byte{0})
	if !ok {
		return
	}
	switch string(media) {
	case "application/c2pa", "application/x-c2pa-manifest-store":
		_, rest = cutText(encoding, rest)
		_, rest = cutText(encoding, rest)
		c.manifest(where+":c2pa", f.at+int64(len(head)-len(rest)), f.end)
	}
}

// described splits a body into the text that describes the value and the value itself.
func described(encoding byte, body []byte) (description, value string) {
	name, rest := cutText(encoding, body)
	return encoded(encoding, name), encoded(encoding, rest)
}

// Encodings of texts (ID3v2.4.0 structure, section 4): UTF-16 with a byte order mark, and big-endian without one.
const (
	id3UTF16   = 1
	id3UTF16BE = 2
)

// cutText splits a body behind the first text that a NUL of its encoding ends.
func cutText(encoding byte, body []byte) (text, rest []byte) {
	if encoding != id3UTF16 && encoding != id3UTF16BE {
		text, rest, _ = bytes.Cut(body, []byte{0})
		return text, rest
	}
	for i := 0; i+1 < len(body); i += 2 {
		if body[i] == 0 && body[i+1] == 0 {
			return body[:i], body[i+2:]
		}
	}
	return body, nil
}

// encoded reads a text. What calls itself Latin-1 is UTF-8 in many files.
func encoded(encoding byte, body []byte) string {
	switch encoding {
	case id3UTF16:
		return strings.TrimSpace(decode(body))
	case id3UTF16BE:
		return strings.TrimSpace(decodeUTF16(body, binary.BigEndian))
	}
	return strings.TrimSpace(decode(body))
}
