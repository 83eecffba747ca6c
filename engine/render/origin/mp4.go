package origin

import (
	"errors"
	"fmt"
	"io"
	"os"

	"veracity/engine/probe"
	"veracity/engine/render/atom"
)

const (
	// maxMovie bounds the moov box that is held in memory, in bytes; 5,400 frames take some 200 KB.
	maxMovie = 32 << 20
	// headers bounds what is read of a file beside moov: the headers of its boxes.
	headers = 4 << 20
	// stride is how many bytes of media are moved at once.
	stride = 1 << 20
)

// IntoMP4 puts the statements into the MP4 at path, which the caller's encoder wrote, and drops what other metadata it
// has. Texts go into moov, XMP into a box behind it, so that a file made for streaming stays one; the media behind move,
// and the offsets to them with them. The file is changed where it lies, without a copy: after an error it is of no use.
// The errors are [ErrLost], that the file is no plain MP4, and those of the disk.
func (s Statements) IntoMP4(path string) error {
	if s.lost {
		return fmt.Errorf("write statements into MP4: %w", ErrLost)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("write statements into MP4: %w", err)
	}
	if err := errors.Join(s.cargo.into(file), file.Close()); err != nil {
		return fmt.Errorf("write statements into MP4: %w", err)
	}
	return nil
}

func (c cargo) into(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	old, others, err := layOut(file, info.Size())
	if err != nil {
		return err
	}
	for _, o := range others {
		if err := o.blank(file); err != nil {
			return fmt.Errorf("drop metadata: %w", err)
		}
	}
	movie := make([]byte, old.end-old.start)
	if _, err := file.ReadAt(movie, old.start); err != nil {
		return fmt.Errorf("read moov: %w", err)
	}
	movie, err = rebuilt(movie, c.userData())
	if err != nil {
		return err
	}
	piece, growth := fit(append(movie, c.xmpBox()...), old.end-old.start)
	if err := atom.MoveOffsets(piece[:len(movie)], old.end, growth); err != nil {
		return err
	}
	if err := move(file, old.end, info.Size(), growth); err != nil {
		return fmt.Errorf("move the media: %w", err)
	}
	if _, err := file.WriteAt(piece, old.start); err != nil {
		return fmt.Errorf("write moov: %w", err)
	}
	return nil
}

// place is where a box lies in a file, and its body in it.
type place struct{ start, body, end int64 }

// layOut finds the moov box, and the boxes at the top of the file that hold metadata.
func layOut(r io.ReaderAt, size int64) (movie place, metadata []place, err error) {
	blocks := probe.NewBlocks(r, size, 512, headers)
	at := int64(0)
	for b, err := range blocks.Boxes(0, size, maxBoxes) {
		if err != nil {
			return place{}, nil, fmt.Errorf("%w: %w", atom.ErrNoMP4, err)
		}
		here := place{at, b.Body, b.End}
		switch b.Kind {
		case "moov":
			if movie != (place{}) || here.end-here.start > maxMovie {
				return place{}, nil, atom.ErrNoMP4
			}
			movie = here
		case "moof":
			return place{}, nil, atom.ErrNoMP4
		case "uuid", "meta", "udta":
			metadata = append(metadata, here)
		}
		at = b.End
	}
	if movie == (place{}) || at != size {
		return place{}, nil, atom.ErrNoMP4
	}
	return movie, metadata, nil
}

// blank makes the box one of free space.
func (p place) blank(file *os.File) error {
	if _, err := file.WriteAt([]byte("free"), p.start+4); err != nil {
		return err
	}
	for at := p.body; at < p.end; at += stride {
		if _, err := file.WriteAt(make([]byte, min(stride, p.end-at)), at); err != nil {
			return err
		}
	}
	return nil
}

// fit pads a piece to the room there is, and answers how much longer than that it gets. A gap is filled with a free
// box, the smallest of which has eight bytes.
func fit(piece []byte, room int64) (padded []byte, growth int64) {
	gap := room - int64(len(piece))
	switch {
	case gap >= 8:
		return append(piece, atom.Box("free", make([]byte, gap-8))...), 0
	case gap > 0:
		return append(piece, atom.Box("free")...), 8 - gap
	}
	return piece, -gap
}

// move shifts what lies from start up to the end of the file back by n bytes, the end first.
func move(file *os.File, start, end, n int64) error {
	if n == 0 {
		return nil
	}
	buffer := make([]byte, min(stride, end-start))
	for at := end; at > start; {
		part := buffer[:min(int64(len(buffer)), at-start)]
		at -= int64(len(part))
		if _, err := file.ReadAt(part, at); err != nil {
			return err
		}
		if _, err := file.WriteAt(part, at+n); err != nil {
			return err
		}
	}
	return nil
}
