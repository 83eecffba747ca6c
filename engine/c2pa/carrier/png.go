package carrier

import (
	"encoding/binary"
	"iter"
)

const (
	pngSignature = 8
	// pngFrame is what a chunk has around its data: length, type and checksum.
	pngFrame   = 12
	chunkBlock = 4 << 10
)

// chunk is a part with a name, framed by its length.
type chunk struct {
	name string
	Range
	content Range
}

// pngChunks walks the chunks up to IEND (PNG 3rd edition, section 5.3), more than maxPieces at most. Checksums are not looked at: decoders differ in
// whether they mind them, and the hash of the file tells more.
func (w *window) pngChunks() iter.Seq2[chunk, error] {
	return func(yield func(chunk, error) bool) {
		for at, n := int64(pngSignature), 0; n <= maxPieces; n++ {
			head, err := w.peek(at, 8)
			if err != nil {
				if whole(err) != nil {
					yield(chunk{}, err)
				}
				return
			}
			size := int64(binary.BigEndian.Uint32(head))
			c := chunk{name: string(head[4:8]), Range: Range{at, at + size + pngFrame}, content: Range{at + 8, at + 8 + size}}
			if c.End > w.f.Size || !yield(c, nil) || c.name == "IEND" {
				return
			}
			at = c.End
		}
	}
}

func findPNG(f File) (*Found, error) {
	return findChunk(f, "png:caBX", "caBX", newWindow(f, chunkBlock).pngChunks())
}

// findChunk reads the store out of the one chunk that has the name.
func findChunk(f File, where, name string, chunks iter.Seq2[chunk, error]) (*Found, error) {
	var store *chunk
	for c, err := range chunks {
		switch {
		case err != nil:
			return nil, err
		case c.name != name:
		case store != nil:
			return nil, ErrSeveral
		default:
			store = &c
		}
	}
	if store == nil {
		return nil, nil
	}
	return f.only(where, store.Range, store.content)
}

func piecesPNG(f File) ([]Piece, error) {
	var out pieces
	if f.Size < pngSignature {
		return out.rest("", f.Size), nil
	}
	if err := out.add(Piece{Name: "PNGh", Range: Range{0, pngSignature}}); err != nil {
		return nil, err
	}
	for c, err := range newWindow(f, chunkBlock).pngChunks() {
		if err != nil {
			return nil, err
		}
		p := Piece{Name: c.name, Range: c.Range}
		switch c.name {
		case "caBX":
			p.Name = StorePiece
		case "eXIf", "iTXt", "tEXt", "zTXt", "tIME":
			// The checksum goes with the data that it is of.
			p.Metadata = Range{c.content.Start, c.End}
		}
		if err := out.add(p); err != nil {
			return nil, err
		}
	}
	return out.rest(RestPiece, f.Size), nil
}
