// Package jumbf reads and writes the boxes of JUMBF (ISO/IEC 19566-5) in which C2PA keeps its manifests.
package jumbf

import (
	"errors"
	"strings"
)

// ErrInvalid wraps every complaint about bytes that are no JUMBF, or more of it than a manifest store needs.
var ErrInvalid = errors.New("invalid JUMBF")

// Box is a box. A superbox (type jumb) has a description and Children, any other has Content.
type Box struct {
	// Type is the box's own type of four letters: jumb, cbor, json, bfdb, bidb, brob …
	Type string
	// UUID and Label are those of a superbox's description.
	UUID  [16]byte
	Label string
	// Requestable is the description's toggle. Salt is what its private c2sh box holds, nil without one.
	Requestable bool
	Salt        []byte
	// Content is what a box other than a superbox holds. Children are those of a superbox, without the description.
	Content  []byte
	Children []Box
	// Raw is the whole box. Body is what C2PA hashes of a superbox: Raw without the box header (specification 2.2, section
	// 8.4.2.3, hashing JUMBF boxes).
	Raw, Body []byte
}

// Type UUIDs of superboxes (C2PA specification, section 11.1.4).
var (
	Store          = uuid("c2pa")
	Manifest       = uuid("c2ma")
	UpdateManifest = uuid("c2um")
	CompressedMark = uuid("c2cm")
	AssertionStore = uuid("c2as")
	Claim          = uuid("c2cl")
	Signature      = uuid("c2cs")
	Credentials    = uuid("c2vc")
	Databoxes      = uuid("c2db")
	CBORContent    = uuid("cbor")
	JSONContent    = uuid("json")
	// EmbeddedFile is that of superboxes of bfdb and bidb boxes (ISO/IEC 19566-5, annex B).
	EmbeddedFile = [16]byte{0x40, 0xCB, 0x0C, 0x32, 0xBB, 0x8A, 0x48, 0x9D, 0xA7, 0x0B, 0x2A, 0xD6, 0xF4, 0x7F, 0x43, 0x69}
)

func uuid(letters string) [16]byte {
	u := [16]byte{0, 0, 0, 0, 0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71}
	copy(u[:], letters)
	return u
}

// Labelled are the children with the label.
func (b Box) Labelled(label string) []Box {
	var found []Box
	for _, c := range b.Children {
		if c.Type == superbox && c.Label == label {
			found = append(found, c)
		}
	}
	return found
}

// Find follows a path of labels, such as c2pa.assertions/c2pa.hash.data, from b's children down. It is false when a step
// is missing or ambiguous.
func (b Box) Find(path string) (Box, bool) {
	for label := range strings.SplitSeq(path, "/") {
		found := b.Labelled(label)
		if label == "" || len(found) != 1 {
			return Box{}, false
		}
		b = found[0]
	}
	return b, true
}

// First is the content of the first child of the type, such as "cbor".
func (b Box) First(boxType string) ([]byte, bool) {
	for _, c := range b.Children {
		if c.Type == boxType {
			return c.Content, true
		}
	}
	return nil, false
}
