package probe

import (
	"fmt"
	"io"
	"slices"
)

// Limits of the look for tracks. Files have a handful of tracks, each of which costs a block; a moov box behind hundreds
// of others belongs to no file that players open.
const (
	trackBlock     = 64 << 10
	trackAllowance = 64 * trackBlock
	maxTopBoxes    = 1024
	maxTracks      = 48
	maxTrackBoxes  = 64
)

// Tracks says which kinds of tracks an ISO base media file (MP4, MOV, M4A; ISO/IEC 14496-12) declares in its moov box:
// moving pictures, and sound. Pictures that only illustrate another track's chapters do not count as moving ones.
// Fragmented files declare their tracks in the same way. Whether a track holds anything that can be decoded is not
// asked. It reads some blocks of 64 KB, no sample data and no more than 4 MB.
//
// Its errors wrap [ErrMalformed] (no moov box, boxes that contradict each other), [ErrUnsupported] (a compressed moov
// box, a movie of references) or [ErrExcessive]; any other is the reader's.
func Tracks(r io.ReaderAt, size int64) (video, sound bool, err error) {
	t := tracks{blocks: NewBlocks(r, size, trackBlock, trackAllowance)}
	if err := t.file(); err != nil {
		return false, false, fmt.Errorf("read tracks: %w", err)
	}
	video = slices.ContainsFunc(t.found, func(k track) bool {
		return k.handler == "vide" && !slices.Contains(t.chapters, k.id)
	})
	sound = slices.ContainsFunc(t.found, func(k track) bool { return k.handler == "soun" })
	return video, sound, nil
}

type track struct {
	id      uint32
	handler string
}

type tracks struct {
	blocks *Blocks
	found  []track
	// chapters are the ids of tracks that illustrate others.
	chapters []uint32
}

func (t *tracks) file() error {
	for x, err := range t.blocks.Boxes(0, t.blocks.Size(), maxTopBoxes) {
		if err != nil {
			return err
		}
		if x.Kind == "moov" {
			return t.movie(x)
		}
	}
	return malformed("no moov box")
}

func (t *tracks) movie(moov Box) error {
	for x, err := range t.blocks.Boxes(moov.Body, moov.End, maxTopBoxes) {
		if err != nil {
			return err
		}
		switch x.Kind {
		case "cmov", "rmra":
			return unsupported("box %q in moov", x.Kind)
		case "trak":
			if len(t.found) == maxTracks {
				return excessive("more than %d tracks", maxTracks)
			}
			if err := t.track(x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tracks) track(trak Box) error {
	var k track
	for x, err := range t.blocks.Boxes(trak.Body, trak.End, maxTrackBoxes) {
		if err != nil {
			return err
		}
		switch x.Kind {
		case "tkhd":
			k.id, err = t.trackID(x)
		case "tref":
			err = t.references(x)
		case "mdia":
			k.handler, err = t.handler(x)
		}
		if err != nil {
			return err
		}
	}
	t.found = append(t.found, k)
	return nil
}

// trackID reads a track header (section 8.3.2): version and flags, two times of 4 or 8 bytes, the id.
func (t *tracks) trackID(tkhd Box) (uint32, error) {
	body, err := t.blocks.Bytes(tkhd.Body, min(24, tkhd.Len()))
	if err != nil {
		return 0, err
	}
	c := cursor{data: body}
	times := 8
	if c.u8() == 1 {
		times = 16
	}
	c.skip(3 + times)
	id := c.be32()
	if c.failed {
		return 0, malformed("tkhd box of %d bytes", tkhd.Len())
	}
	return id, nil
}

// references notes the tracks that a chap reference names (QuickTime File Format, Track Reference Atoms).
func (t *tracks) references(tref Box) error {
	for x, err := range t.blocks.Boxes(tref.Body, tref.End, maxTrackBoxes) {
		if err != nil {
			return err
		}
		if x.Kind != "chap" {
			continue
		}
		ids, err := t.blocks.Bytes(x.Body, min(4*maxTracks, x.Len()))
		if err != nil {
			return err
		}
		for c := (cursor{data: ids}); c.left() >= 4; {
			t.chapters = append(t.chapters, c.be32())
		}
	}
	return nil
}

// handler reads the kind of a track's media (section 8.4.3): version and flags, a field that QuickTime uses, the kind.
func (t *tracks) handler(mdia Box) (string, error) {
	for x, err := range t.blocks.Boxes(mdia.Body, mdia.End, maxTrackBoxes) {
		if err != nil {
			return "", err
		}
		if x.Kind != "hdlr" {
			continue
		}
		if x.Len() < 12 {
			return "", malformed("hdlr box of %d bytes", x.Len())
		}
		kind, err := t.blocks.Bytes(x.Body+8, 4)
		if err != nil {
			return "", err
		}
		return string(kind), nil
	}
	return "", malformed("mdia box without a handler")
}
