package origin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"veracity/engine/probe"
)

// errFar says that media would lie further than a table of 32-bit offsets reaches.
var errFar = errors.New("the file is too long for its tables of offsets")

// atom is a box within bytes in memory: whole, and its body alone.
type atom struct {
	kind        string
	whole, body []byte
}

// atoms lists the boxes side by side in b, which must be all of it. Boxes of unstated length are none that an encoder
// puts into moov.
func atoms(b []byte) ([]atom, error) {
	blocks := probe.NewBlocks(bytes.NewReader(b), int64(len(b)), 16, int64(len(b))*16)
	var list []atom
	at := int64(0)
	for x, err := range blocks.Boxes(0, int64(len(b)), maxBoxes) {
		if err != nil || binary.BigEndian.Uint32(b[at:]) == 0 {
			return nil, errors.Join(errNoMP4, err)
		}
		list = append(list, atom{kind: x.Kind, whole: b[at:x.End], body: b[x.Body:x.End]})
		at = x.End
	}
	if at != int64(len(b)) {
		return nil, errNoMP4
	}
	return list, nil
}

// rebuilt is moov with the metadata given in place of its own and of its tracks'.
func rebuilt(movie, userData []byte) ([]byte, error) {
	whole, err := atoms(movie)
	if err != nil {
		return nil, err
	}
	body, err := bare(whole[0].body, true)
	if err != nil {
		return nil, err
	}
	return box("moov", body, userData), nil
}

// bare is the body of moov, or of a track, without metadata.
func bare(body []byte, movie bool) ([]byte, error) {
	list, err := atoms(body)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, p := range list {
		switch {
		case p.kind == "mvex":
			return nil, errNoMP4
		case p.kind == "udta", p.kind == "meta", p.kind == "uuid":
		case p.kind == "trak" && movie:
			track, err := bare(p.body, false)
			if err != nil {
				return nil, err
			}
			out = append(out, box("trak", track)...)
		default:
			out = append(out, p.whole...)
		}
	}
	return out, nil
}

// moveOffsets adds n to the offsets of chunks that lie at or behind start, in every track of moov (ISO/IEC 14496-12,
// section 8.7.5).
func moveOffsets(movie []byte, start, n int64) error {
	if n == 0 {
		return nil
	}
	tables, err := descend(movie, "moov", "trak", "mdia", "minf", "stbl")
	if err != nil {
		return err
	}
	for _, t := range tables {
		switch t.kind {
		case "stco":
			err = moveTable(t.body, 4, start, n)
		case "co64":
			err = moveTable(t.body, 8, start, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// descend lists the boxes within all boxes that lie on the path.
func descend(b []byte, path ...string) ([]atom, error) {
	list, err := atoms(b)
	if err != nil {
		return nil, err
	}
	for _, kind := range path {
		var inner []atom
		for _, a := range list {
			if a.kind != kind {
				continue
			}
			more, err := atoms(a.body)
			if err != nil {
				return nil, err
			}
			inner = append(inner, more...)
		}
		list = inner
	}
	return list, nil
}

// moveTable adds n to the entries of a table of offsets that are start or more: version and flags, the number of
// entries, and they, width bytes each.
func moveTable(body []byte, width int, start, n int64) error {
	if len(body) < 8 || uint64(len(body)-8) < uint64(binary.BigEndian.Uint32(body[4:]))*uint64(width) { //nolint:gosec // 4 or 8.
		return fmt.Errorf("%w: a table of offsets is cut short", errNoMP4)
	}
	entries := body[8 : 8+int(binary.BigEndian.Uint32(body[4:]))*width]
	for ; len(entries) > 0; entries = entries[width:] {
		if width == 8 {
			if at := binary.BigEndian.Uint64(entries); at >= uint64(start) { //nolint:gosec // Places in a file.
				binary.BigEndian.PutUint64(entries, at+uint64(n)) //nolint:gosec // As above.
			}
			continue
		}
		at := int64(binary.BigEndian.Uint32(entries))
		if at < start {
			continue
		}
		if at+n > math.MaxUint32 {
			return errFar
		}
		binary.BigEndian.PutUint32(entries, uint32(at+n)) //nolint:gosec // Checked above.
	}
	return nil
}
