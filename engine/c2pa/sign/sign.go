// Package sign makes manifests of our own and puts them into files that we made. It knows no key: it leaves room for the
// signature, which is made where the key is and put in afterwards.
package sign

import (
	"errors"
	"fmt"
	"time"

	"veracity/engine/c2pa/splice"
)

var (
	// ErrSigned says that a file has a manifest store already. What was kept of a source goes into the order instead.
	ErrSigned = errors.New("the file has a manifest store already")
	// ErrNoPNG says that bytes are no PNG with a picture.
	ErrNoPNG = errors.New("the file is no PNG")
	errOrder = errors.New("the order is incomplete")
)

// Order is what a manifest is to say.
type Order struct {
	// Generator and Version name the program.
	Generator, Version string
	// Title and Format are those of the output; Format is a media type, for which claims of version 2 have no place.
	Title, Format string
	// Source is the file that the output was made of.
	Source Source
	// Actions were done to it after c2pa.opened, in order.
	Actions []Action
	// Room is how many bytes the signature may take.
	Room int
	// Now is when the actions were done.
	Now time.Time
}

// Source is the parentOf ingredient.
type Source struct {
	Title, Format string
	// InstanceID is that of its XMP. It may be empty; that of its active manifest counts before it.
	InstanceID string
	// Store is its whole manifest store, nil without one; Active is the label of its active manifest.
	Store  []byte
	Active string
	// Results is the ingredient's validationResults as CBOR-ready value, nil without a store.
	Results any
}

// Action is one thing that was done, by its C2PA name (c2pa.transcoded, c2pa.resized, c2pa.color_adjustments …).
type Action struct {
	Name string
	// Description says more, for people.
	Description string
}

// Unsigned says what is to be signed and where the signature goes in the output.
type Unsigned = splice.Unsigned

// IntoPNG puts a manifest store into a PNG, as a caBX chunk before the first IDAT, bound by c2pa.hash.data. Its errors
// wrap ErrNoPNG and ErrSigned.
//
// The source's manifests go along, byte for byte; other boxes of its store do not. A store of more than 8 MB, one that
// cannot be read, that has two manifests of one label or none of the active one's, or that comes without results stays
// behind: the ingredient then says so in its description.
func IntoPNG(png []byte, o Order) ([]byte, Unsigned, error) {
	d, err := o.draft()
	if err != nil {
		return nil, Unsigned{}, fmt.Errorf("write a manifest into PNG: %w", err)
	}
	return PNG(png, d.Compose)
}

// IntoMP4 puts a manifest store into the MP4 at path, as a uuid box behind ftyp, bound by c2pa.hash.bmff.v3, with the
// source's manifests as IntoPNG has them. Offsets of chunks (stco, co64) move along. The file is read and written once,
// from front to end. After an error it is of no use. Errors wrap ErrSigned, those of package atom, and those of the disk.
func IntoMP4(path string, o Order) (Unsigned, error) {
	d, err := o.draft()
	if err != nil {
		return Unsigned{}, fmt.Errorf("write a manifest into MP4: %w", err)
	}
	return MP4(path, d.Compose)
}
