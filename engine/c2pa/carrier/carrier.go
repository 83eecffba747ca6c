// Package carrier finds C2PA manifest stores in files, and names the pieces of those files that hard bindings speak of.
// It walks structures and never searches bytes.
//
// A store counts where the specification (2.2, appendix A) puts it, and nowhere else: in segments of a JPEG's first
// image, in a PNG's chunks up to IEND, directly in a RIFF chunk, in uuid boxes at the top of an ISO base media file, in the
// first ID3v2 tag, in a GIF's extensions, in a TIFF's chain of directories. One that lies behind the end of the image,
// inside another chunk or box, in a further image of the same file, or behind more parts than any tool writes, is no store
// of this file: its bytes are bytes like any other, which a binding has to cover. Of those that count there may be one
// only.
package carrier

import (
	"errors"
	"fmt"
	"io"

	"veracity/engine/probe"
)

// Errors of files.
var (
	// ErrSeveral: the file holds more than one manifest store. All are invalid then (specification 2.2, section 15.5.2.1).
	ErrSeveral = errors.New("the file holds several manifest stores")
	// ErrBroken: the store's own framing is damaged or too large.
	ErrBroken = errors.New("the manifest store is damaged")
)

// MaxStore bounds a manifest store in bytes; those with thumbnails of their ingredients have some megabytes.
const MaxStore = 32 << 20

// File is a file that is read. R is asked for pieces, never for the whole at once.
type File struct {
	R      io.ReaderAt
	Size   int64
	Format probe.Format
}

// Range is bytes of a file, from Start up to End.
type Range struct{ Start, End int64 }

// Len is the length in bytes.
func (r Range) Len() int64 { return r.End - r.Start }

// Found is a manifest store in a file.
type Found struct {
	// Store is the JUMBF superbox, put together where it lies in pieces. What pads it out in the file may stand behind it.
	Store []byte
	// Where is its place, such as jpeg:APP11.
	Where string
	// Ranges are the bytes of the file that carry it, framing included, in file order: exactly what a hard binding may
	// leave out.
	Ranges []Range
	// Updated says that the last manifest is an update manifest: the store has outgrown the exclusion that the binding of
	// the standard manifest before it has for the store (specification 2.2, section 15.12.1.1).
	Updated bool
}

// Find reads a file's manifest store. Found is nil when there is none. Its errors wrap ErrSeveral or ErrBroken, or are
// those of R. A file that ends early or contradicts its format has the store that was whole up to there.
func Find(f File) (*Found, error) {
	find, ok := finders[f.Format]
	if !ok {
		return nil, nil
	}
	found, err := find(f)
	if err == nil && found != nil {
		err = complete(found.Store)
	}
	if errors.Is(err, errEnd) {
		err = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if err != nil {
		return nil, fmt.Errorf("find the manifest store: %w", err)
	}
	if found != nil {
		found.Updated = isUpdated(found.Store)
	}
	return found, nil
}

var finders = map[probe.Format]func(File) (*Found, error){
	probe.JPEG: findJPEG,
	probe.PNG:  findPNG,
	probe.GIF:  findGIF,
	probe.WebP: findRIFF,
	probe.WAV:  findRIFF,
	probe.TIFF: findTIFF,
	probe.MP3:  findID3,
	probe.MP4:  findBMFF,
	probe.MOV:  findBMFF,
	probe.M4A:  findBMFF,
	probe.AVIF: findBMFF,
	probe.HEIC: findBMFF,
	probe.HEIF: findBMFF,
}

// Piece is a named part of a file as c2pa.hash.boxes names it (specification 2.2, section 18.7): a JPEG segment by its
// marker (SOI, APP0, SOS …), a PNG chunk by its type (PNGh for the signature), a GIF block, a RIFF chunk. The one that
// holds the manifest store is named StorePiece, what follows the end of the format's own structure RestPiece, and bytes
// that belong to no part, such as those between two segments, have no name.
type Piece struct {
	Name string
	Range
	// Metadata is where the piece holds statements about the media and nothing that media are made of or shown by: the
	// payload of Exif, XMP, IPTC and texts, without the framing around it. It is empty for all else.
	Metadata Range
}

// Names of pieces that no format gives.
const (
	StorePiece = "C2PA"
	RestPiece  = "c2pa.after"
)

// maxPieces bounds the pieces of a file. A JPEG with a restart marker behind each row of blocks has some thousand.
const maxPieces = 1 << 17

// Pieces lists the parts of a file in order, without gaps. ok is false for formats that have no box hash here: ISO base
// media, MP3, and TIFF, whose entries are hashed together with what they point at. Errors are those of R, or wrap
// ErrBroken for files with more pieces than any tool writes.
func Pieces(f File) (pieces []Piece, ok bool, err error) {
	list, ok := listers[f.Format]
	if !ok {
		return nil, false, nil
	}
	pieces, err = list(f)
	if err != nil {
		return nil, true, fmt.Errorf("list the pieces: %w", err)
	}
	return pieces, true, nil
}

var listers = map[probe.Format]func(File) ([]Piece, error){
	probe.JPEG: piecesJPEG,
	probe.PNG:  piecesPNG,
	probe.GIF:  piecesGIF,
	probe.WebP: piecesRIFF,
	probe.WAV:  piecesRIFF,
}

// pieces gathers what a lister finds and fills the gaps between.
type pieces struct {
	list []Piece
	end  int64
}

// add appends a piece that begins at or behind the end of the last one.
func (p *pieces) add(x Piece) error {
	if x.Start > p.end {
		p.list = append(p.list, Piece{Range: Range{p.end, x.Start}})
	}
	if len(p.list) >= maxPieces {
		return fmt.Errorf("%w: more than %d pieces", ErrBroken, maxPieces)
	}
	p.list = append(p.list, x)
	p.end = x.End
	return nil
}

// rest appends what the file has behind its own structure.
func (p *pieces) rest(name string, size int64) []Piece {
	if p.end < size {
		p.list = append(p.list, Piece{Name: name, Range: Range{p.end, size}})
	}
	return p.list
}
