package carrier

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const (
	// id3Header is the size of a tag's header and of a frame's.
	id3Header = 10
	// maxFrames bounds the frames of a tag.
	maxFrames = 4096
	// maxObjectHead bounds what stands before the object in a GEOB frame: a media type, a file name and a description.
	maxObjectHead = 1024
	id3Block      = 64 << 10
)

// Flags of a tag and of its frames (id3.org: ID3v2.3.0, sections 3.1 and 3.3.1; ID3v2.4.0 structure, sections 3.1 and
// 4.1.2). Opaque frames are compressed or encrypted; no store is written so.
const (
	tagUnsynchronised    = 0x80
	tagExtended          = 0x40
	frame3Opaque         = 0xC0
	frame3Grouped        = 0x20
	frame4Opaque         = 0x0C
	frame4Grouped        = 0x40
	frame4Unsynchronised = 0x02
	frame4Length         = 0x01
)

// id3 reads the bytes of a tag, taking out the zeros that unsynchronisation puts behind FF.
type id3 struct {
	*window
	at, end int64
	unsync  bool
}

// skip passes over the next n bytes.
func (t *id3) skip(n int64) error {
	if t.unsync {
		return t.each(n, nil)
	}
	if t.at += n; t.at > t.end {
		return errEnd
	}
	return nil
}

// read gives the next n bytes.
func (t *id3) read(n int64) ([]byte, error) {
	out := make([]byte, 0, n)
	err := t.each(n, &out)
	return out, err
}

// each passes over the next n bytes and appends them to what is given.
func (t *id3) each(n int64, into *[]byte) error {
	for n > 0 {
		if t.at >= t.end {
			return errEnd
		}
		b, err := t.peek(t.at, 1)
		if err != nil {
			return err
		}
		b = b[:min(int64(len(b)), t.end-t.at)]
		used, taken := int64(0), int64(0)
		if t.unsync {
			used, taken = synchronise(b, n, into)
		} else {
			used = min(int64(len(b)), n)
			taken = used
			*into = append(*into, b[:used]...)
		}
		n, t.at = n-taken, t.at+used
		if !t.unsync || b[used-1] != 0xFF || t.at >= t.end {
			continue
		}
		// The block ends behind FF: the zero that follows it is in the next one.
		next, err := t.peek(t.at, 1)
		if err != nil {
			return err
		}
		if next[0] == 0 {
			t.at++
		}
	}
	return nil
}

// synchronise takes n bytes at most out of a block, without the zeros behind FF: how many of the block, and how many. A
// byte at a time is the quickest for the worst of blocks.
func synchronise(b []byte, n int64, into *[]byte) (used, taken int64) {
	for used < int64(len(b)) && taken < n {
		c := b[used]
		if into != nil {
			*into = append(*into, c)
		}
		used, taken = used+1, taken+1
		if c == 0xFF && used < int64(len(b)) && b[used] == 0 {
			used++
		}
	}
	return used, taken
}

// findID3 reads the store out of the one general object of the first tag that has C2PA's media type (specification 2.2,
// appendix A.3.4).
func findID3(f File) (*Found, error) {
	w := newWindow(f, id3Block)
	head, err := w.peek(0, id3Header)
	if err != nil || string(head[:3]) != "ID3" || head[3] != 3 && head[3] != 4 {
		return nil, whole(err)
	}
	version, flags := head[3], head[5]
	size, ok := synchsafe(head[6:])
	if !ok {
		return nil, nil
	}
	t := &id3{window: w, at: id3Header, end: min(id3Header+size, f.Size), unsync: version == 3 && flags&tagUnsynchronised != 0}
	if flags&tagExtended != 0 {
		if err := t.skipExtended(version); err != nil {
			return nil, whole(err)
		}
	}
	var found *Found
	for range maxFrames {
		next, err := t.frame(version, flags)
		if err != nil {
			return found, whole(err)
		}
		if next != nil && found != nil {
			return nil, ErrSeveral
		}
		if next != nil {
			found = next
		}
	}
	return found, nil
}

// skipExtended passes over the extended header, whose length counts itself in version 4 alone.
func (t *id3) skipExtended(version byte) error {
	head, err := t.read(4)
	if err != nil {
		return err
	}
	size := int64(binary.BigEndian.Uint32(head))
	if version == 4 {
		own, ok := synchsafe(head)
		if !ok || own < 4 {
			return errEnd
		}
		size = own - 4
	}
	return t.skip(size)
}

// frame reads the next frame, and gives the store if it holds one. Padding ends the frames: errEnd.
func (t *id3) frame(version, tagFlags byte) (*Found, error) {
	start := t.at
	head, err := t.read(id3Header)
	if err != nil {
		return nil, err
	}
	if !isFrameID(head[:4]) {
		return nil, errEnd
	}
	size := int64(binary.BigEndian.Uint32(head[4:]))
	body := &id3{window: t.window, at: t.at, end: t.end, unsync: t.unsync}
	skip, opaque := int64(0), head[9]&frame3Opaque != 0
	if head[9]&frame3Grouped != 0 {
		skip = 1
	}
	if version == 4 {
		var ok bool
		if size, ok = synchsafe(head[4:]); !ok || size > t.end-t.at {
			return nil, errEnd
		}
		skip, opaque = frame4Head(head[9])
		body.end, body.unsync = t.at+size, head[9]&frame4Unsynchronised != 0 || tagFlags&tagUnsynchronised != 0
	}
	if err := t.skip(size); err != nil {
		return nil, err
	}
	body.end = t.at
	if string(head[:4]) != "GEOB" || opaque {
		return nil, nil
	}
	if err := body.skip(skip); err != nil {
		return nil, whole(err)
	}
	return body.object(Range{start, t.at})
}

// frame4Head is how many bytes a version 4 frame has before its body: a group, and the length without unsynchronisation.
func frame4Head(flags byte) (skip int64, opaque bool) {
	if flags&frame4Grouped != 0 {
		skip++
	}
	if flags&frame4Length != 0 {
		skip += 4
	}
	return skip, flags&frame4Opaque != 0
}

// object reads a general object: an encoding, a media type, a file name and a description, and the object.
func (t *id3) object(frame Range) (*Found, error) {
	start := *t
	head, err := t.read(min(maxObjectHead, t.end-t.at))
	if whole(err) != nil || len(head) == 0 {
		return nil, err
	}
	media, rest, ok := bytes.Cut(head[1:], []byte{0})
	if !ok || string(media) != "application/c2pa" && string(media) != "application/x-c2pa-manifest-store" {
		return nil, nil
	}
	for range 2 {
		if rest, ok = cutText(head[0], rest); !ok {
			return nil, fmt.Errorf("%w: its frame has no object", ErrBroken)
		}
	}
	body := start
	if err := body.skip(int64(len(head) - len(rest))); err != nil {
		return nil, err
	}
	if t.end-body.at > 2*MaxStore {
		return nil, fmt.Errorf("%w: its frame has %d bytes", ErrBroken, frame.Len())
	}
	store, err := body.all()
	if err != nil {
		return nil, err
	}
	if !isStore(store) {
		return nil, fmt.Errorf("%w: its frame holds something else", ErrBroken)
	}
	return &Found{Store: store, Where: "mp3:id3:GEOB:c2pa", Ranges: []Range{frame}}, nil
}

// all reads what is left.
func (t *id3) all() ([]byte, error) {
	out := make([]byte, 0, min(t.end-t.at, MaxStore))
	for t.at < t.end {
		if len(out) == MaxStore {
			return nil, fmt.Errorf("%w: it has more than %d bytes", ErrBroken, MaxStore)
		}
		// Unsynchronisation only takes bytes away, so that the frame may end before the count does.
		n := min(t.end-t.at, MaxStore-int64(len(out)))
		err := t.each(n, &out)
		if err := whole(err); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cutText drops the first text that a NUL of its encoding ends (ID3v2.4.0 structure, section 4).
func cutText(encoding byte, body []byte) (rest []byte, ok bool) {
	const utf16, utf16BE = 1, 2
	if encoding != utf16 && encoding != utf16BE {
		_, rest, ok = bytes.Cut(body, []byte{0})
		return rest, ok
	}
	for i := 0; i+1 < len(body); i += 2 {
		if body[i] == 0 && body[i+1] == 0 {
			return body[i+2:], true
		}
	}
	return nil, false
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
