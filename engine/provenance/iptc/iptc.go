// Package iptc reads IPTC-IIM datasets, bare or within Photoshop image resources. It judges nothing.
package iptc

import (
	"bytes"
	"encoding/binary"
	"strings"

	"veracity/engine/provenance/ifd"
)

const (
	marker = 0x1C
	// maxDatasets bounds what is kept of one block; real blocks hold some dozens.
	maxDatasets = 1024
	// extended marks a dataset whose length field is itself a length of a length (IIM 4.2, extended datasets).
	extended = 0x8000

	resourceIIM = 0x0404
)

var (
	resourceMagic   = []byte("8BIM")
	photoshopHeader = []byte("Photoshop 3.0\x00")
)

// Dataset is the number of a field: record and dataset, as in 2:110.
type Dataset [2]byte

// Datasets of the application record that speak of origin (IIM 4.2, section 6).
var (
	Credit  = Dataset{2, 110}
	Caption = Dataset{2, 120}
)

// Records are the texts of one block. IIM repeats some fields, so each holds a list.
type Records map[Dataset][]string

// Parse reads datasets until the first that is not whole.
func Parse(iim []byte) Records {
	records := Records{}
	for n := 0; n < maxDatasets && len(iim) >= 5 && iim[0] == marker; n++ {
		id := Dataset{iim[1], iim[2]}
		size := int(binary.BigEndian.Uint16(iim[3:]))
		iim = iim[5:]
		if size&extended != 0 {
			var ok bool
			if size, iim, ok = extendedSize(size&^extended, iim); !ok {
				break
			}
		}
		if size > len(iim) {
			break
		}
		// Writers mix character sets whatever 1:90 says; UTF-8 that is valid is not Latin-1 by chance.
		records[id] = append(records[id], strings.TrimSpace(ifd.Decode(iim[:size])))
		iim = iim[size:]
	}
	return records
}

func extendedSize(digits int, rest []byte) (size int, value []byte, ok bool) {
	if digits == 0 || digits > 4 || digits > len(rest) {
		return 0, nil, false
	}
	for _, b := range rest[:digits] {
		size = size<<8 | int(b)
	}
	return size, rest[digits:], true
}

// Find takes the datasets out of what containers store: bare datasets, or Photoshop image resources with or without
// their header (Adobe Photoshop File Formats Specification, Image Resource Blocks). Nil: there are none.
func Find(block []byte) []byte {
	block = bytes.TrimPrefix(block, photoshopHeader)
	if len(block) > 0 && block[0] == marker {
		return block
	}
	for bytes.HasPrefix(block, resourceMagic) {
		id, value, rest, ok := resource(block[len(resourceMagic):])
		if !ok {
			return nil
		}
		if id == resourceIIM {
			return value
		}
		block = rest
	}
	return nil
}

// resource reads one image resource: id, Pascal string padded to even, length, value padded to even.
func resource(b []byte) (id uint16, value, rest []byte, ok bool) {
	if len(b) < 3 {
		return 0, nil, nil, false
	}
	id = binary.BigEndian.Uint16(b)
	name := 1 + int(b[2])
	name += name % 2
	at := 2 + name
	if at+4 > len(b) {
		return 0, nil, nil, false
	}
	size := uint64(binary.BigEndian.Uint32(b[at:]))
	b = b[at+4:]
	if size > uint64(len(b)) {
		return 0, nil, nil, false
	}
	padded := min(size+size%2, uint64(len(b)))
	return id, b[:size], b[padded:], true
}
