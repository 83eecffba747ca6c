// Package container walks image files by their own structure and hands out the metadata blocks they hold, undecoded:
// EXIF, XMP, IPTC, keyed texts, comments, and where a C2PA manifest store sits. It decodes no pixels and judges
// nothing. A file that ends early or contradicts itself gives what was whole up to there.
package container

import (
	"bytes"
	"encoding/binary"
)

// Kind says how a block's bytes are to be read.
type Kind int

// Kinds of blocks.
const (
	// EXIF is a TIFF structure.
	EXIF Kind = iota
	// XMP is one packet.
	XMP
	// ExtendedXMP is a packet that counts only when a main packet names its Key.
	ExtendedXMP
	// IPTC is IIM datasets, bare or in Photoshop image resources.
	IPTC
	// Text is the UTF-8 text of the keyword Key.
	Text
	// Comment is free text as it stands in the file.
	Comment
)

// Block is one piece of metadata. Data is a slice of the file unless it was compressed or re-encoded there.
type Block struct {
	Kind Kind
	// Where is the path to the block, such as png:tEXt:parameters.
	Where string
	// Key is the keyword of a Text, the GUID of an ExtendedXMP.
	Key  string
	Data []byte
}

// File is what a file holds.
type File struct {
	Blocks []Block
	// Manifest is where a C2PA manifest store sits, empty when there is none.
	Manifest string
}

// Limits of one file.
const (
	// maxBlocks bounds the blocks handed out; files hold a few, floods hold millions.
	maxBlocks = 512
	// maxAllowance bounds what inflated texts and items joined from pieces may take together, in bytes.
	maxAllowance = 16 << 20
	// maxBoxes bounds the boxes walked side by side.
	maxBoxes = 4096
)

// Open walks a JPEG, PNG, RIFF (WebP, WAVE), TIFF, GIF or ISO base media (AVIF, HEIC, MP4) file, told apart by its first
// bytes. Anything else gives an empty File.
func Open(data []byte) File {
	c := &collector{allowance: maxAllowance}
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xD8}):
		readJPEG(data, c)
	case bytes.HasPrefix(data, []byte(pngSignature)):
		readPNG(data[len(pngSignature):], c)
	case bytes.HasPrefix(data, []byte("RIFF")):
		readRIFF(data, c)
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		readTIFF(data, c)
	case bytes.HasPrefix(data, []byte("GIF8")):
		readGIF(data, c)
	case len(data) >= 8 && string(data[4:8]) == "ftyp":
		readBMFF(data, c)
	}
	return c.file
}

// collector gathers blocks under the limits of the file.
type collector struct {
	file      File
	allowance int
}

func (c *collector) add(kind Kind, where, key string, data []byte) {
	if len(data) > 0 && len(c.file.Blocks) < maxBlocks {
		c.file.Blocks = append(c.file.Blocks, Block{Kind: kind, Where: where, Key: key, Data: data})
	}
}

// exif adds a TIFF structure, without the JPEG header that some writers leave before it.
func (c *collector) exif(where string, data []byte) {
	if bytes.HasPrefix(data, []byte("Exif\x00")) && len(data) > len(exifHeader) {
		data = data[len(exifHeader):]
	}
	c.add(EXIF, where, "", data)
}

// manifest notes a C2PA manifest store when the box is one.
func (c *collector) manifest(where string, box []byte) {
	if c.file.Manifest == "" && isManifestStore(box) {
		c.file.Manifest = where
	}
}

// manifestUUID is the type of the superbox that holds a manifest store (C2PA specification, use of JUMBF).
const manifestUUID = "c2pa\x00\x11\x00\x10\x80\x00\x00\xAA\x00\x38\x9B\x71"

// isManifestStore tells a JUMBF superbox (ISO 19566-5) whose description box has the manifest store's type. Its stated
// length is left alone: JPEG cuts boxes into segments.
func isManifestStore(box []byte) bool {
	header := 8
	if len(box) >= 4 && binary.BigEndian.Uint32(box) == 1 {
		header = 16
	}
	description := header + 8
	return len(box) >= description+len(manifestUUID) &&
		string(box[4:8]) == "jumb" &&
		string(box[header+4:description]) == "jumd" &&
		string(box[description:description+len(manifestUUID)]) == manifestUUID
}
