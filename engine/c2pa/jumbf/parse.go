package jumbf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// Types of boxes that have a meaning here.
const (
	superbox    = "jumb"
	description = "jumd"
	saltBox     = "c2sh"
)

const (
	// maxDepth and maxBoxes bound what a store may hold: stores of long histories have some thousand boxes, six deep.
	maxDepth = 16
	maxBoxes = 20_000

	header, longHeader = 8, 16
)

// Toggles of a description (ISO/IEC 19566-5, A.3).
const (
	toggleRequestable = 1 << iota
	toggleLabel
	toggleID
	toggleHash
	togglePrivate
	toggles = 1<<iota - 1
)

// Parse reads one superbox and nothing behind it but zeros. Refused with ErrInvalid: lengths that do not fit, boxes
// nested deeper than 16, more than 20,000 of them, a superbox without exactly one description at its front, labels that
// are no UTF-8 or hold what ISO 19566-5 forbids. All that a Box holds are slices of data.
func Parse(data []byte) (Box, error) {
	p := parser{}
	b, rest, err := p.box(data, 1)
	if err != nil {
		return Box{}, err
	}
	if b.Type != superbox {
		return Box{}, fmt.Errorf("%w: a %q box is no superbox", ErrInvalid, b.Type)
	}
	if len(bytes.TrimLeft(rest, "\x00")) > 0 {
		return Box{}, fmt.Errorf("%w: bytes behind the superbox", ErrInvalid)
	}
	return b, nil
}

// parser counts the boxes of a store.
type parser struct{ boxes int }

// frame cuts the first box off data. A length of 0 reaches to the end, a length of 1 stands in eight bytes behind the
// type (ISO/IEC 19566-5, section 6.2).
func frame(data []byte) (b Box, rest []byte, err error) {
	if len(data) < header {
		return Box{}, nil, fmt.Errorf("%w: %d bytes are too few for a box", ErrInvalid, len(data))
	}
	head, size := header, uint64(binary.BigEndian.Uint32(data))
	switch {
	case size == 0:
		size = uint64(len(data))
	case size == 1 && len(data) >= longHeader:
		head, size = longHeader, binary.BigEndian.Uint64(data[header:])
	}
	if size < uint64(head) || size > uint64(len(data)) {
		return Box{}, nil, fmt.Errorf("%w: a box of %d bytes where there are %d", ErrInvalid, size, len(data))
	}
	whole := data[:size:size]
	return Box{Type: string(data[4:8]), Raw: whole, Body: whole[head:]}, data[size:], nil
}

// box reads the first box of data with all that it holds; depth counts from 1.
func (p *parser) box(data []byte, depth int) (b Box, rest []byte, err error) {
	if p.boxes++; p.boxes > maxBoxes || depth > maxDepth {
		return Box{}, nil, fmt.Errorf("%w: too many boxes, or nested too deep", ErrInvalid)
	}
	b, rest, err = frame(data)
	if err != nil {
		return Box{}, nil, err
	}
	if b.Type != superbox {
		b.Content = b.Body
		return b, rest, nil
	}
	about, inner, err := p.box(b.Body, depth+1)
	if err != nil {
		return Box{}, nil, err
	}
	if about.Type != description {
		return Box{}, nil, fmt.Errorf("%w: a superbox without a description", ErrInvalid)
	}
	if err := p.describe(&b, about.Content); err != nil {
		return Box{}, nil, err
	}
	for len(inner) > 0 {
		var child Box
		if child, inner, err = p.box(inner, depth+1); err != nil {
			return Box{}, nil, err
		}
		if child.Type == description {
			return Box{}, nil, fmt.Errorf("%w: a superbox with two descriptions", ErrInvalid)
		}
		b.Children = append(b.Children, child)
	}
	return b, rest, nil
}

// describe reads a description into b: type, toggles, and what these say is there, in their order.
func (p *parser) describe(b *Box, content []byte) error {
	const idSize, hashSize = 4, 32
	if len(content) < len(b.UUID)+1 {
		return fmt.Errorf("%w: a description cut short", ErrInvalid)
	}
	content = content[copy(b.UUID[:], content):]
	toggle := content[0]
	content = content[1:]
	if toggle&^toggles != 0 {
		return fmt.Errorf("%w: a description with unknown toggles %#x", ErrInvalid, toggle)
	}
	b.Requestable = toggle&toggleRequestable != 0
	if toggle&toggleLabel != 0 {
		label, behind, ok := bytes.Cut(content, []byte{0})
		if !ok || !validLabel(label) {
			return fmt.Errorf("%w: a label without end, or of letters that none may have", ErrInvalid)
		}
		b.Label, content = string(label), behind
	}
	skip := 0
	if toggle&toggleID != 0 {
		skip += idSize
	}
	if toggle&toggleHash != 0 {
		skip += hashSize
	}
	if len(content) < skip {
		return fmt.Errorf("%w: a description cut short", ErrInvalid)
	}
	content = content[skip:]
	if toggle&togglePrivate == 0 && len(content) > 0 {
		return fmt.Errorf("%w: bytes behind a description", ErrInvalid)
	}
	return p.private(b, content)
}

// private reads the private boxes of a description; C2PA puts its salt there (specification 2.2, section 8.4.2.3).
func (p *parser) private(b *Box, content []byte) error {
	for len(content) > 0 {
		if p.boxes++; p.boxes > maxBoxes {
			return fmt.Errorf("%w: too many boxes", ErrInvalid)
		}
		inner, rest, err := frame(content)
		if err != nil {
			return err
		}
		if inner.Type == saltBox {
			if b.Salt != nil {
				return fmt.Errorf("%w: two salts", ErrInvalid)
			}
			b.Salt = inner.Body
		}
		content = rest
	}
	return nil
}

// validLabel tells labels that may stand in a description (ISO/IEC 19566-5, A.3) and in a JUMBF URI (C2PA 2.2, section
// 11.1.4.1).
func validLabel(label []byte) bool {
	if !utf8.Valid(label) {
		return false
	}
	for _, r := range string(label) {
		switch {
		case r < 0x20, r >= 0x7F && r < 0xA0, r == 0xFEFF, r == 0xFFFF, r == '/', r == ';', r == '?', r == '#':
			return false
		}
	}
	return true
}
