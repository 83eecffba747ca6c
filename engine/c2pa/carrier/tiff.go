package carrier

import (
	"encoding/binary"
	"fmt"
)

// Fields of TIFF 6.0 and of BigTIFF (Aware Systems, BigTIFF design).
const (
	tagStore       = 0xCD41
	tiffMagic      = 42
	bigMagic       = 43
	maxDirectories = 64
	// maxEntries is what the count of classic TIFF can say.
	maxEntries = 1<<16 - 1
)

// tiff is an opened TIFF file. A count, an offset and the number of entries take more bytes in BigTIFF.
type tiff struct {
	*window
	order             binary.ByteOrder
	word, count, wide int64
	entry             int64
}

// findTIFF reads the store out of a directory of the file's chain: the specification wants it in the last, once had it
// in the first (2.2, appendix A.3.5). Directories that others point at beside the chain hold none. The entry's count and
// offset are part of the framing: they follow the store's length and place.
func findTIFF(f File) (*Found, error) {
	t, next, err := openTIFF(newWindow(f, chunkBlock))
	if t == nil || err != nil {
		return nil, err
	}
	var entry *Range
	for seen := map[int64]bool{}; next != 0 && !seen[next] && len(seen) < maxDirectories; {
		seen[next] = true
		found, after, err := t.directory(next)
		if err != nil {
			if whole(err) != nil {
				return nil, err
			}
			break
		}
		if len(found) > 1 || len(found) == 1 && entry != nil {
			return nil, ErrSeveral
		}
		if len(found) == 1 {
			entry = &found[0]
		}
		next = after
	}
	if entry == nil {
		return nil, nil
	}
	return t.found(*entry)
}

// openTIFF reads the header. It is nil for anything else.
func openTIFF(w *window) (*tiff, int64, error) {
	head, err := w.peek(0, 8)
	if err != nil {
		return nil, 0, whole(err)
	}
	t := &tiff{window: w, word: 4, count: 2, wide: 4, entry: 12}
	switch string(head[:2]) {
	case "II":
		t.order = binary.LittleEndian
	case "MM":
		t.order = binary.BigEndian
	default:
		return nil, 0, nil
	}
	at := int64(4)
	switch t.order.Uint16(head[2:]) {
	case tiffMagic:
	case bigMagic:
		t.word, t.count, t.wide, t.entry, at = 8, 8, 8, 20, 8
	default:
		return nil, 0, nil
	}
	first, err := t.number(at, t.word)
	return t, first, whole(err)
}

// number reads an unsigned number of 2, 4 or 8 bytes. What no offset or count within the file can be is errEnd.
func (t *tiff) number(at, size int64) (int64, error) {
	b, err := t.peek(at, size)
	if err != nil {
		return 0, err
	}
	var n uint64
	switch size {
	case 2:
		n = uint64(t.order.Uint16(b))
	case 4:
		n = uint64(t.order.Uint32(b))
	default:
		n = t.order.Uint64(b)
	}
	if n > uint64(t.f.Size) { //nolint:gosec // Sizes are not negative.
		return 0, errEnd
	}
	return int64(n), nil //nolint:gosec // Within the file.
}

// directory finds the entries of stores in a directory, and the offset of the next one.
func (t *tiff) directory(at int64) (stores []Range, next int64, err error) {
	entries, err := t.number(at, t.count)
	if err != nil {
		return nil, 0, err
	}
	at += t.count
	if entries > min(maxEntries, (t.f.Size-at)/t.entry) {
		return nil, 0, errEnd
	}
	for ; entries > 0; entries-- {
		tag, err := t.peek(at, 2)
		if err != nil {
			return nil, 0, err
		}
		if t.order.Uint16(tag) == tagStore {
			stores = append(stores, Range{at, at + t.entry})
		}
		at += t.entry
	}
	next, err = t.number(at, t.word)
	return stores, next, whole(err)
}

// found reads the store that an entry leads to: bytes, of type UNDEFINED or BYTE.
func (t *tiff) found(entry Range) (*Found, error) {
	const where, typeByte, typeUndefined = "tiff:52545", 1, 7
	kind, err := t.number(entry.Start+2, 2)
	if err != nil {
		return nil, err
	}
	size, errSize := t.number(entry.Start+4, t.wide)
	at, errPlace := t.number(entry.Start+4+t.wide, t.word)
	if kind != typeByte && kind != typeUndefined || errSize != nil || errPlace != nil || size > t.f.Size-at {
		return nil, fmt.Errorf("%w: its entry leads nowhere", ErrBroken)
	}
	found, err := t.f.only(where, Range{at, at + size}, Range{at, at + size})
	if err != nil {
		return nil, err
	}
	framing := Range{entry.Start + 4, entry.End}
	if framing.Start < at {
		found.Ranges = []Range{framing, found.Ranges[0]}
	} else {
		found.Ranges = append(found.Ranges, framing)
	}
	return found, nil
}
