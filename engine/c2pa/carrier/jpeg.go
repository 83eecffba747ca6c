package carrier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
)

// JPEG markers (ISO 10918-1, table B.1).
const (
	markerTEM   = 0x01
	markerSOF0  = 0xC0
	markerDHT   = 0xC4
	markerJPG   = 0xC8
	markerDAC   = 0xCC
	markerRST0  = 0xD0
	markerRST7  = 0xD7
	markerSOI   = 0xD8
	markerEOI   = 0xD9
	markerSOS   = 0xDA
	markerDQT   = 0xDB
	markerDNL   = 0xDC
	markerDRI   = 0xDD
	markerDHP   = 0xDE
	markerEXP   = 0xDF
	markerAPP0  = 0xE0
	markerAPP11 = 0xEB
	markerAPP15 = 0xEF
	markerJPG0  = 0xF0
	markerJPG13 = 0xFD
	markerCOM   = 0xFE
)

const (
	jpegBlock = 64 << 10
	// maxSegments bounds those of a walk. With a restart marker behind each block of 16 x 16, 100 megapixels have 400,000.
	maxSegments = 1 << 20
)

// segment is a marker segment. That of SOS and RST goes on to the next marker: the entropy-coded data are part of it.
type segment struct {
	marker byte
	Range
	// body is where the payload begins, behind the marker and the length.
	body int64
}

func isRestart(marker byte) bool { return marker >= markerRST0 && marker <= markerRST7 }

// segments walks the segments of the first image and of those that follow it at once (multi-picture format). Bytes
// between segments are passed over as decoders do. A segment that is cut short ends the walk.
func (w *window) segments() iter.Seq2[segment, error] {
	return func(yield func(segment, error) bool) {
		for at, n := int64(0), 0; n < maxSegments; n++ {
			s, err := w.segment(at)
			if err != nil {
				if whole(err) != nil {
					yield(segment{}, err)
				}
				return
			}
			if !yield(s, nil) {
				return
			}
			at = s.End
			if s.marker != markerEOI {
				continue
			}
			if next, err := w.peek(at, 2); err != nil || next[0] != 0xFF || next[1] != markerSOI {
				if whole(err) != nil {
					yield(segment{}, err)
				}
				return
			}
		}
	}
}

// segment reads the one that begins at or behind an offset.
func (w *window) segment(at int64) (segment, error) {
	start, marker, err := w.marker(at)
	if err != nil {
		return segment{}, err
	}
	s := segment{marker: marker, Range: Range{start, start + 2}, body: start + 2}
	switch {
	case marker == markerSOI, marker == markerEOI, marker == markerTEM:
		return s, nil
	case !isRestart(marker):
		size, err := w.peek(s.body, 2)
		if err != nil {
			return segment{}, err
		}
		length := int64(binary.BigEndian.Uint16(size))
		if length < 2 || length > w.f.Size-s.body {
			return segment{}, errEnd
		}
		s.body, s.End = s.body+2, s.body+length
		if marker != markerSOS {
			return s, nil
		}
	}
	s.End, _, err = w.marker(s.End)
	if err != nil {
		s.End = w.f.Size
	}
	return s, whole(err)
}

// marker finds the next marker at or behind an offset. Zeros behind FF are entropy-coded data, further FF are fill bytes.
func (w *window) marker(at int64) (int64, byte, error) {
	for {
		b, err := w.peek(at, 2)
		if err != nil {
			return 0, 0, err
		}
		i := bytes.IndexByte(b[:len(b)-1], 0xFF)
		switch {
		case i < 0:
			at += int64(len(b) - 1)
		case b[i+1] == 0:
			at += int64(i + 2)
		case b[i+1] == 0xFF:
			at += int64(i + 1)
		default:
			return at + int64(i), b[i+1], nil
		}
	}
}

func findJPEG(f File) (*Found, error) {
	w, boxes := newWindow(f, jpegBlock), jpegBoxes{}
	for s, err := range w.segments() {
		if err != nil {
			return nil, err
		}
		if s.marker == markerEOI {
			break
		}
		if err := boxes.add(w, s); err != nil {
			return nil, err
		}
	}
	box, err := boxes.store(w)
	if box == nil || err != nil {
		return nil, err
	}
	return box.found(f)
}

func piecesJPEG(f File) ([]Piece, error) {
	w, boxes, first := newWindow(f, jpegBlock), jpegBoxes{}, true
	var out pieces
	for s, err := range w.segments() {
		if err != nil {
			return nil, err
		}
		if first {
			if err := boxes.add(w, s); err != nil {
				return nil, err
			}
		}
		first = first && s.marker != markerEOI
		metadata, err := w.segmentMetadata(s)
		if err != nil {
			return nil, err
		}
		if err := out.add(Piece{Name: markerName(s.marker), Range: s.Range, Metadata: metadata}); err != nil {
			return nil, err
		}
	}
	box, err := boxes.store(w)
	if err != nil {
		return nil, err
	}
	all := out.rest(RestPiece, f.Size)
	if box == nil {
		return all, nil
	}
	return mergeStore(all, box.ranges()), nil
}

// mergeStore makes one piece of those that together are a range of the store.
func mergeStore(all []Piece, ranges []Range) []Piece {
	out := all[:0]
	for _, p := range all {
		for len(ranges) > 0 && ranges[0].End <= p.Start {
			ranges = ranges[1:]
		}
		switch {
		case len(ranges) == 0 || p.Start < ranges[0].Start:
			out = append(out, p)
		case p.Start == ranges[0].Start:
			out = append(out, Piece{Name: StorePiece, Range: ranges[0]})
		}
	}
	return out
}

// segmentMetadata is the payload of segments that no decoder asks for how the picture looks. APP0 and APP14 tell colour
// spaces, APP2 holds the profile unless it is the index of a multi-picture file, and APP11 what JPEG XT adds.
func (w *window) segmentMetadata(s segment) (Range, error) {
	const index = "MPF\x00"
	switch payload := (Range{s.body, s.End}); s.marker {
	case markerAPP0 + 2:
		head, err := w.peek(s.body, min(int64(len(index)), payload.Len()))
		if err != nil || !bytes.HasPrefix(head[:min(int64(len(head)), payload.Len())], []byte(index)) {
			return Range{}, whole(err)
		}
		return payload, nil
	case markerAPP0, markerAPP11, markerAPP0 + 14:
		return Range{}, nil
	default:
		if s.marker > markerAPP0 && s.marker <= markerAPP15 || s.marker == markerCOM {
			return payload, nil
		}
	}
	return Range{}, nil
}

var markerNames = map[byte]string{
	markerTEM: "TEM", markerDHT: "DHT", markerJPG: "JPG", markerDAC: "DAC", markerSOI: "SOI", markerEOI: "EOI",
	markerSOS: "SOS", markerDQT: "DQT", markerDNL: "DNL", markerDRI: "DRI", markerDHP: "DHP", markerEXP: "EXP",
	markerCOM: "COM",
}

// markerName is a marker's symbol (ISO 10918-1, table B.1).
func markerName(marker byte) string {
	if name, ok := markerNames[marker]; ok {
		return name
	}
	switch {
	case isRestart(marker):
		return fmt.Sprintf("RST%d", marker-markerRST0)
	case marker >= markerAPP0 && marker <= markerAPP15:
		return fmt.Sprintf("APP%d", marker-markerAPP0)
	case marker >= markerJPG0 && marker <= markerJPG13:
		return fmt.Sprintf("JPG%d", marker-markerJPG0)
	case marker >= markerSOF0 && marker < markerRST0:
		return fmt.Sprintf("SOF%d", marker-markerSOF0)
	}
	return fmt.Sprintf("RES%02X", marker)
}
