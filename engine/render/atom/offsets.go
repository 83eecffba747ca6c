package atom

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MoveOffsets adds n to the offsets of chunks that lie at or behind start, in every track of moov (ISO/IEC 14496-12,
// section 8.7.5). Its errors wrap ErrNoMP4 and ErrFar.
func MoveOffsets(movie []byte, start, n int64) error {
	if n == 0 {
		return nil
	}
	tables, err := Descend(movie, "moov", "trak", "mdia", "minf", "stbl")
	if err != nil {
		return err
	}
	for _, t := range tables {
		switch t.Kind {
		case "stco":
			err = moveTable(t.Body, 4, start, n)
		case "co64":
			err = moveTable(t.Body, 8, start, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moveTable adds n to the entries of a table of offsets that are start or more: version and flags, the number of
// entries, and they, width bytes each.
func moveTable(body []byte, width int, start, n int64) error {
	if len(body) < 8 || uint64(len(body)-8) < uint64(binary.BigEndian.Uint32(body[4:]))*uint64(width) { //nolint:gosec // 4 or 8.
		return fmt.Errorf("%w: a table of offsets is cut short", ErrNoMP4)
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
			return ErrFar
		}
		binary.BigEndian.PutUint32(entries, uint32(at+n)) //nolint:gosec // Checked above.
	}
	return nil
}
