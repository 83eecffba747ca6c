package carrier

import (
	"encoding/binary"
	"iter"
)

const (
	// riffHead is the size of what opens a RIFF file: the id, the length and the form.
	riffHead  = 12
	chunkHead = 8
	// sizeElsewhere, in RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088), stands for a length that the ds64 chunk states.
	sizeElsewhere = 1<<32 - 1
)

// riffChunks walks the chunks of the first RIFF chunk, padding bytes included. Those behind its end are none of the
// file's; a length that was never filled in, or that runs past the file, means its end.
func (w *window) riffChunks() iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		head, err := w.peek(0, riffHead)
		if err != nil {
			if whole(err) != nil {
				yield(chunk{}, err)
			}
			return
		}
		end, long := chunkHead+int64(binary.LittleEndian.Uint32(head[4:])), int64(-1)
		if end <= riffHead || end > w.f.Size {
			end = w.f.Size
		}
		for at, n := int64(riffHead), 0; end-at >= chunkHead && n <= maxPieces; n++ {
			c, err := w.riffChunk(at, end, &long)
			if err != nil {
				if whole(err) != nil {
					yield(chunk{}, err)
				}
				return
			}
			if !yield(c, nil) {
				return
			}
			at = c.End
		}
	}
}

func (w *window) riffChunk(at, end int64, long *int64) (chunk, error) {
	head, err := w.peek(at, chunkHead)
	if err != nil {
		return chunk{}, err
	}
	c, size := chunk{name: string(head[:4])}, int64(binary.LittleEndian.Uint32(head[4:]))
	if size == sizeElsewhere && c.name == "data" && *long >= 0 {
		size = *long
	}
	c.content = Range{at + chunkHead, at + chunkHead + size}
	if size > end-c.content.Start {
		return chunk{}, errEnd
	}
	c.Range = Range{at, min(c.content.End+size%2, end)}
	if c.name == "ds64" && size >= 16 {
		body, err := w.peek(c.content.Start, 16)
		if err != nil {
			return chunk{}, err
		}
		if n := binary.LittleEndian.Uint64(body[8:]); n <= uint64(w.f.Size) { //nolint:gosec // Sizes are not negative.
			*long = int64(n) //nolint:gosec // Within the file.
		}
	}
	return c, nil
}

func findRIFF(f File) (*Found, error) {
	return findChunk(f, string(f.Format)+":C2PA", "C2PA", newWindow(f, chunkBlock).riffChunks())
}

// riffMetadata are the chunks that hold statements about the media: RFC 9649 for WebP, EBU Tech 3285 (bext), and what
// tools have added to WAVE.
var riffMetadata = map[string]bool{
	"EXIF": true, "XMP ": true, "_PMX": true, "bext": true, "iXML": true, "axml": true, "id3 ": true, "ID3 ": true,
	"AIGC": true,
}

// piecesRIFF names the chunks as specification 2.2, section 18.7.3.5, does: the RIFF header by its form, lists by their
// type.
func piecesRIFF(f File) ([]Piece, error) {
	w := newWindow(f, chunkBlock)
	head, err := w.peek(0, riffHead)
	if err != nil {
		return (&pieces{}).rest("", f.Size), whole(err)
	}
	var out pieces
	if err := out.add(Piece{Name: string(head[8:12]), Range: Range{0, riffHead}}); err != nil {
		return nil, err
	}
	for c, err := range w.riffChunks() {
		if err != nil {
			return nil, err
		}
		p := Piece{Name: c.name, Range: c.Range}
		switch {
		case c.name == "LIST" && c.content.Len() >= 4:
			kind, err := w.peek(c.content.Start, 4)
			if err != nil {
				return nil, whole(err)
			}
			if p.Name = string(kind[:4]); p.Name == "INFO" {
				p.Metadata = Range{c.content.Start + 4, c.content.End}
			}
		case riffMetadata[c.name]:
			p.Metadata = c.content
		}
		if err := out.add(p); err != nil {
			return nil, err
		}
	}
	return out.rest(RestPiece, f.Size), nil
}
