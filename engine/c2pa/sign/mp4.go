package sign

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"veracity/engine/c2pa/cbor"
	"veracity/engine/probe"
	"veracity/engine/provenance/container"
	"veracity/engine/render/atom"
)

const (
	// maxMovie bounds the moov box that is held in memory, in bytes; 5,400 frames take some 200 KB.
	maxMovie = 32 << 20
	// headers bounds what is read of a file beside moov: the headers of its boxes.
	headers = 4 << 20
	// stride is how many bytes of media are moved at once, at least.
	stride = 1 << 20
	// purpose says that a box of C2PA holds a manifest store, behind eight bytes for a place of which there is none
	// (specification 2.2, section A.5.3).
	purpose = "\x00\x00\x00\x00manifest\x00\x00\x00\x00\x00\x00\x00\x00\x00"
)

// MP4 puts a composed store into the MP4 at path, as IntoMP4 does.
func MP4(path string, compose Composer) (Unsigned, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return Unsigned{}, fmt.Errorf("write a manifest into MP4: %w", err)
	}
	u, err := intoMP4(file, compose)
	if err := errors.Join(err, file.Close()); err != nil {
		return Unsigned{}, fmt.Errorf("write a manifest into MP4: %w", err)
	}
	return u, nil
}

func intoMP4(file *os.File, compose Composer) (Unsigned, error) {
	info, err := file.Stat()
	if err != nil {
		return Unsigned{}, err
	}
	l, err := layOut(file, info.Size())
	if err != nil {
		return Unsigned{}, err
	}
	movie := make([]byte, l.movie.end-l.movie.start)
	if _, err := file.ReadAt(movie, l.movie.start); err != nil {
		return Unsigned{}, fmt.Errorf("read moov: %w", err)
	}
	if err := movable(movie); err != nil {
		return Unsigned{}, err
	}
	growth := int64(len(storeBox(compose(movieHash(make([]byte, sha256.Size))))))
	if err := atom.MoveOffsets(movie, l.front, growth); err != nil {
		return Unsigned{}, err
	}
	bound := &hasher{digest: sha256.New(), boxes: l.behind, at: l.front, growth: growth}
	err = shift(file, l.front, info.Size(), growth, func(at int64, p []byte) {
		if from, to := max(at, l.movie.start), min(at+int64(len(p)), l.movie.end); from < to {
			copy(p[from-at:to-at], movie[from-l.movie.start:])
		}
		bound.write(p)
	})
	if err != nil {
		return Unsigned{}, fmt.Errorf("move the media: %w", err)
	}
	store := compose(movieHash(bound.digest.Sum(nil)))
	box := storeBox(store)
	if int64(len(box)) != growth {
		return Unsigned{}, fmt.Errorf("the store of %d bytes does not fit its place of %d", len(box), growth)
	}
	if _, err := file.WriteAt(box, l.front); err != nil {
		return Unsigned{}, fmt.Errorf("write the manifest store: %w", err)
	}
	room := len(store.Bytes) - store.Signature
	return Unsigned{Claim: store.Claim, At: l.front + growth - int64(room), Room: room}, nil
}

// storeBox is the box of a store, which ends with it.
func storeBox(s Store) []byte {
	return atom.Box("uuid", []byte(container.C2PABox), []byte(purpose), s.Bytes)
}

// place is where a box lies in a file.
type place struct {
	kind       string
	start, end int64
}

// layout is where the boxes of a file lie: front is the end of ftyp, behind are all that follow it.
type layout struct {
	front  int64
	movie  place
	behind []place
}

// layOut finds the boxes at the top of the file, which must be one that can be moved.
func layOut(r io.ReaderAt, size int64) (layout, error) {
	blocks := probe.NewBlocks(r, size, 512, headers)
	var l layout
	at := int64(0)
	for b, err := range blocks.Boxes(0, size, atom.MaxBoxes) {
		if err != nil {
			return layout{}, fmt.Errorf("%w: %w", atom.ErrNoMP4, err)
		}
		here := place{b.Kind, at, b.End}
		at = b.End
		if l.front == 0 {
			if b.Kind != "ftyp" {
				return layout{}, atom.ErrNoMP4
			}
			l.front = b.End
			continue
		}
		l.behind = append(l.behind, here)
		switch b.Kind {
		case "moov":
			if l.movie != (place{}) || here.end-here.start > maxMovie {
				return layout{}, atom.ErrNoMP4
			}
			l.movie = here
		case "moof", "meta": // Both hold offsets of other kinds.
			return layout{}, atom.ErrNoMP4
		case "uuid":
			id, err := blocks.Bytes(b.Body, min(b.Len(), int64(len(container.C2PABox))))
			if err != nil {
				return layout{}, fmt.Errorf("%w: %w", atom.ErrNoMP4, err)
			}
			if string(id) == container.C2PABox {
				return layout{}, ErrSigned
			}
		}
	}
	if l.movie == (place{}) || at != size {
		return layout{}, atom.ErrNoMP4
	}
	return l, nil
}

// movable refuses movies with offsets that nobody here moves: of fragments, and of encryption (saio).
func movable(movie []byte) error {
	top, err := atom.Descend(movie, "moov")
	if err != nil {
		return err
	}
	tables, err := atom.Descend(movie, "moov", "trak", "mdia", "minf", "stbl")
	if err != nil {
		return err
	}
	for _, a := range append(top, tables...) {
		if a.Kind == "mvex" || a.Kind == "saio" {
			return atom.ErrNoMP4
		}
	}
	return nil
}

// movieHash binds an MP4 with the exclusions that the specification demands (2.2, section A.5.6) and no more.
func movieHash(digest []byte) Assertion {
	const idAt = 8
	id := cbor.Members{{Key: "offset", Value: idAt}, {Key: "value", Value: []byte(container.C2PABox)}}
	return Assertion{Label: "c2pa.hash.bmff.v3", Value: cbor.Members{
		{Key: "exclusions", Value: []any{
			cbor.Members{{Key: "xpath", Value: "/uuid"}, {Key: "data", Value: []any{id}}},
			cbor.Members{{Key: "xpath", Value: "/ftyp"}},
			cbor.Members{{Key: "xpath", Value: "/mfra"}},
		}},
		{Key: "alg", Value: hashName},
		{Key: "hash", Value: digest},
		{Key: "name", Value: "jumbf manifest"},
	}}
}
