package film

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// track is what one track of an MP4 file says of itself. The files read here were written by our own ffmpeg, but out of
// hostile ones: the fields are as hostile as those.
type track struct {
	// kind is the handler: vide or soun.
	kind string
	// entry is the sample entry's type, avc1 or mp4a, config the contents of its avcC or esds box.
	entry  string
	config []byte
	// samples counts them, bytes is their sum.
	samples int
	bytes   int64
	// upright says that the track's matrix leaves the picture as it is.
	upright bool
}

// maxIndex bounds an index (moov) that is read: one of three minutes takes some 200 KB.
const maxIndex = 16 << 20

var errBroken = errors.New("the file's boxes are broken")

// readTracks reads the index of the MP4 file at path.
func readTracks(path string) (tracks []track, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read an index: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	index, err := findIndex(f)
	if err != nil {
		return nil, fmt.Errorf("read an index: %w", err)
	}
	err = eachBox(index, func(name string, body []byte) error {
		if name != "trak" {
			return nil
		}
		var t track
		err := t.read(body)
		tracks = append(tracks, t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read an index: %w", err)
	}
	return tracks, nil
}

// findIndex gives the contents of the moov box (ISO/IEC 14496-12, 8.2.1).
func findIndex(r io.ReadSeeker) ([]byte, error) {
	for {
		var head [16]byte
		if _, err := io.ReadFull(r, head[:8]); err != nil {
			return nil, fmt.Errorf("find moov: %w", err)
		}
		size := int64(binary.BigEndian.Uint32(head[:4])) - 8
		if size == 1-8 {
			if _, err := io.ReadFull(r, head[8:]); err != nil {
				return nil, fmt.Errorf("find moov: %w", err)
			}
			size = int64(binary.BigEndian.Uint64(head[8:])) - 16 //nolint:gosec // A size beyond the range is negative, and refused.
		}
		switch {
		case size < 0:
			return nil, errBroken
		case string(head[4:8]) != "moov":
			if _, err := r.Seek(size, io.SeekCurrent); err != nil {
				return nil, fmt.Errorf("find moov: %w", err)
			}
		case size > maxIndex:
			return nil, fmt.Errorf("an index of %d bytes: %w", size, errBroken)
		default:
			index := make([]byte, size)
			_, err := io.ReadFull(r, index)
			return index, err
		}
	}
}

// eachBox walks through the boxes that b is made of.
func eachBox(b []byte, do func(name string, body []byte) error) error {
	for len(b) >= 8 {
		size := binary.BigEndian.Uint32(b)
		if size < 8 || uint64(size) > uint64(len(b)) {
			return errBroken
		}
		if err := do(string(b[4:8]), b[8:size]); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// read takes what it needs of a trak box, its descendants included.
func (t *track) read(body []byte) error {
	return eachBox(body, func(name string, body []byte) error {
		switch name {
		case "mdia", "minf", "stbl":
			return t.read(body)
		case "tkhd":
			t.upright = upright(body)
		case "hdlr":
			if len(body) >= 12 && t.kind == "" {
				t.kind = string(body[8:12])
			}
		case "stsd":
			return t.readEntry(body)
		case "stsz":
			return t.readSizes(body)
		}
		return nil
	})
}

// Lengths of the fixed parts of sample entries (ISO/IEC 14496-12, 12.1.3 and 12.2.3) behind their box's head.
const (
	videoEntry = 78
	soundEntry = 28
)

func (t *track) readEntry(body []byte) error {
	if len(body) < 8 {
		return errBroken
	}
	return eachBox(body[8:], func(name string, body []byte) error {
		fixed := map[string]int{"avc1": videoEntry, "mp4a": soundEntry}[name]
		if t.entry != "" || fixed == 0 || len(body) < fixed {
			return nil
		}
		t.entry = name
		return eachBox(body[fixed:], func(name string, body []byte) error {
			if name == "avcC" || name == "esds" {
				t.config = body
			}
			return nil
		})
	})
}

func (t *track) readSizes(body []byte) error {
	if len(body) < 12 {
		return errBroken
	}
	same, count, list := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:]), body[12:]
	t.samples = int(count)
	if same != 0 {
		t.bytes = int64(same) * int64(count)
		return nil
	}
	if uint64(len(list)) < 4*uint64(count) {
		return errBroken
	}
	for i := range count {
		t.bytes += int64(binary.BigEndian.Uint32(list[4*i:]))
	}
	return nil
}

// upright says whether a track header (8.3.2) has a matrix that neither turns nor mirrors.
func upright(tkhd []byte) bool {
	const fixed, wide, matrix = 40, 12, 36 // Version 1 has longer times.
	if len(tkhd) < fixed+wide {
		return false
	}
	at := fixed
	if tkhd[0] == 1 {
		at += wide
	}
	if len(tkhd) < at+matrix {
		return false
	}
	value := func(i int) int32 { return int32(binary.BigEndian.Uint32(tkhd[at+4*i:])) } //nolint:gosec // The sign is meant to go over.
	return value(0) > 0 && value(4) > 0 && value(1) == 0 && value(3) == 0
}

// find is the first track of a kind.
func find(tracks []track, kind string) (track, bool) {
	for _, t := range tracks {
		if t.kind == kind {
			return t, true
		}
	}
	return track{}, false
}
