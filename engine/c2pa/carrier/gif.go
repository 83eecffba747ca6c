package carrier

import (
	"fmt"
	"iter"
)

// Parts of a GIF file (GIF89a specification, sections 17 to 27).
const (
	gifHeader      = 6
	gifScreen      = 7
	gifExtension   = 0x21
	gifImage       = 0x2C
	gifTrailer     = 0x3B
	gifApplication = 0xFF
	gifDescriptor  = 10
	// gifStore names the application whose extension holds a store; a version of three bytes follows (specification 2.2,
	// appendix A.3.7).
	gifStore = "C2PA_GIF"
	gifBlock = 64 << 10
	// maxParts bounds the blocks of a walk, and the bytes between them.
	maxParts = 1 << 20
)

// gifPart is a block of a GIF file. blocks are the data sub-blocks of an extension, from the first one's length on.
type gifPart struct {
	Piece
	blocks int64
}

// gifParts walks the blocks up to the trailer. Bytes that begin no block are passed over, as decoders do.
func (w *window) gifParts() iter.Seq2[gifPart, error] {
	return func(yield func(gifPart, error) bool) {
		for at, n := int64(0), 0; n < maxParts; n++ {
			p, err := w.gifPart(at)
			if err != nil {
				if whole(err) != nil {
					yield(gifPart{}, err)
				}
				return
			}
			if p.Name != "" && !yield(p, nil) || p.Name == "3B" {
				return
			}
			at = p.End
			if p.Name != "2C" {
				continue
			}
			// The picture's data have a name of their own: the code size, and sub-blocks.
			data := gifPart{Piece: Piece{Name: "TBID", Range: Range{Start: at}}}
			if data.End, err = w.subBlocks(at + 1); err != nil {
				if whole(err) != nil {
					yield(gifPart{}, err)
				}
				return
			}
			if !yield(data, nil) {
				return
			}
			at = data.End
		}
	}
}

// gifPart reads the block at an offset. One without a name is a byte that begins none.
func (w *window) gifPart(at int64) (gifPart, error) {
	p := gifPart{Piece: Piece{Range: Range{at, at + 1}}}
	switch at {
	case 0:
		p.Name, p.End = "GIF89a", gifHeader
		return p, w.within(p.End)
	case gifHeader:
		screen, err := w.peek(at, gifScreen)
		if err != nil {
			return p, err
		}
		p.Name, p.End = "LSD", at+gifScreen+colourTable(screen[4])
		return p, w.within(p.End)
	}
	head, err := w.peek(at, 1)
	if err != nil {
		return p, err
	}
	switch head[0] {
	case gifTrailer:
		p.Name = "3B"
	case gifImage:
		if head, err = w.peek(at, gifDescriptor); err != nil {
			return p, err
		}
		p.Name, p.End = "2C", at+gifDescriptor+colourTable(head[gifDescriptor-1])
		return p, w.within(p.End)
	case gifExtension:
		if head, err = w.peek(at, 2); err != nil {
			return p, err
		}
		p.Name, p.blocks = fmt.Sprintf("21%02X", head[1]), at+2
		p.End, err = w.subBlocks(p.blocks)
		return p, err
	}
	return p, nil
}

func (w *window) within(end int64) error {
	if end > w.f.Size {
		return errEnd
	}
	return nil
}

// subBlocks finds the end of data sub-blocks, behind the empty one.
func (w *window) subBlocks(at int64) (int64, error) {
	for {
		size, err := w.peek(at, 1)
		if err != nil {
			return 0, err
		}
		if at += 1 + int64(size[0]); size[0] == 0 {
			return at, nil
		}
	}
}

// isGIFStore tells the extension that holds a store.
func (w *window) isGIFStore(p gifPart) (bool, error) {
	const application = "21FF"
	if p.Name != application {
		return false, nil
	}
	head, err := w.peek(p.blocks, 1+int64(len(gifStore)))
	if err != nil {
		return false, whole(err)
	}
	return head[0] == 11 && string(head[1:1+len(gifStore)]) == gifStore, nil
}

// colourTable is the size in bytes of the table that the flags announce.
func colourTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func findGIF(f File) (*Found, error) {
	w := newWindow(f, gifBlock)
	var at *gifPart
	for p, err := range w.gifParts() {
		if err != nil {
			return nil, err
		}
		is, err := w.isGIFStore(p)
		if err != nil {
			return nil, err
		}
		if is && at != nil {
			return nil, ErrSeveral
		}
		if is {
			at = &p
		}
	}
	if at == nil {
		return nil, nil
	}
	store, err := w.join(at.blocks + 12)
	if err != nil {
		return nil, err
	}
	if !isStore(store) {
		return nil, fmt.Errorf("%w: gif:C2PA_GIF holds something else", ErrBroken)
	}
	return &Found{Store: store, Where: "gif:C2PA_GIF", Ranges: []Range{at.Range}}, nil
}

// join puts data sub-blocks together, which are known to be whole.
func (w *window) join(at int64) ([]byte, error) {
	var out []byte
	for {
		head, err := w.peek(at, 1)
		if err != nil {
			return nil, err
		}
		size := int64(head[0])
		if size == 0 {
			return out, nil
		}
		block, err := w.peek(at+1, size)
		if err != nil {
			return nil, err
		}
		if len(out) > MaxStore {
			return nil, fmt.Errorf("%w: it has more than %d bytes", ErrBroken, MaxStore)
		}
		out = append(out, block[:size]...)
		at += 1 + size
	}
}

func piecesGIF(f File) ([]Piece, error) {
	w := newWindow(f, gifBlock)
	var out pieces
	for p, err := range w.gifParts() {
		if err != nil {
			return nil, err
		}
		is, err := w.isGIFStore(p)
		if err != nil {
			return nil, err
		}
		switch {
		case is:
			p.Name = StorePiece
		case p.Name == "21FE":
			p.Metadata = Range{p.blocks, p.End}
		}
		if err := out.add(p.Piece); err != nil {
			return nil, err
		}
	}
	return out.rest(RestPiece, f.Size), nil
}
