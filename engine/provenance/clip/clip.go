// Package clip walks video and voice clips by their own structure and hands out the metadata that they hold, undecoded:
// XMP packets, texts by the name of their field, and where a C2PA manifest store sits. It reads through an
// [io.ReaderAt], never touches pictures or sound, and judges nothing. A file that ends early or contradicts itself gives
// what was whole up to there.
package clip

import (
	"io"
	"strings"

	"veracity/engine/probe"
	"veracity/engine/provenance/container"
)

// Limits of one file.
const (
	// maxBytes bounds what is read of it.
	maxBytes = 8 << 20
	// blockBytes is what a look at a header reads; clips lie on a local disk, where small reads are cheap.
	blockBytes = 512
	// maxBlocks bounds the blocks handed out.
	maxBlocks = 512
	// maxValue bounds one text or packet in bytes. ComfyUI's graphs reach some hundred kilobytes.
	maxValue = 4 << 20
	// maxName bounds the name of a field in bytes.
	maxName = 64
	// maxBoxes bounds the boxes, chunks or elements side by side; a clip in fragments has some thousand.
	maxBoxes = 8192
)

// Open walks a clip of the format, size bytes long. The blocks are texts, whose Key is one of the fields below, and
// XMP packets. Formats that are no clips give an empty File.
func Open(r io.ReaderAt, size int64, format probe.Format) container.File {
	c := &collector{blocks: probe.NewBlocks(r, size, blockBytes, maxBytes)}
	switch format {
	case probe.MP4, probe.MOV, probe.M4A:
		c.bmff()
	case probe.WebM:
		c.matroska()
	case probe.MP3:
		c.mp3()
	case probe.WAV:
		c.wave()
	default: // An image, or nothing known.
	}
	return c.file
}

// Fields that are handed out, by one name for every format. Others stay where they are.
const (
	Description = "description"
	Comment     = "comment"
	Encoder     = "encoder"
	Copyright   = "copyright"
	Credit      = "credit"
	Make        = "make"
	Model       = "model"
	// Source is the address of the page where the clip comes from.
	Source = "source"
	// Prompt, Workflow and Parameters are what generators call their records.
	Prompt     = "prompt"
	Workflow   = "workflow"
	Parameters = "parameters"
	// AIGC is the label that TC260's practice guides define for each format.
	AIGC = "aigc"
)

// names are what writers who name fields freely call them, in lower case.
var names = map[string]string{
	"description":  Description,
	"comment":      Comment,
	"comments":     Comment,
	"encoder":      Encoder,
	"software":     Encoder,
	"copyright":    Copyright,
	"credit":       Credit,
	"credits":      Credit,
	"make":         Make,
	"manufacturer": Make,
	"model":        Model,
	"prompt":       Prompt,
	"workflow":     Workflow,
	"parameters":   Parameters,
	"aigc":         AIGC,
}

// named is the field of a name, empty when it is not read. Matroska's writers have names in capitals and others do not,
// so case does not count; nor do the domains that Apple and Android put before theirs.
func named(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, domain := range []string{"com.apple.quicktime.", "com.apple.itunes:", "com.android."} {
		name = strings.TrimPrefix(name, domain)
	}
	return names[name]
}

// collector gathers blocks under the limits of the file.
type collector struct {
	blocks *probe.Blocks
	file   container.File
}

// text adds the text of a field that is read.
func (c *collector) text(field, where, value string) {
	if field != "" && strings.TrimSpace(value) != "" {
		c.add(container.Block{Kind: container.Text, Where: where, Key: field, Data: []byte(value)})
	}
}

// xmp adds an XMP packet by its place.
func (c *collector) xmp(where string, at, end int64) {
	if packet, ok := c.bytes(at, end); ok {
		c.packet(where, packet)
	}
}

func (c *collector) packet(where string, packet []byte) {
	c.add(container.Block{Kind: container.XMP, Where: where, Data: packet})
}

func (c *collector) add(b container.Block) {
	if len(c.file.Blocks) < maxBlocks && len(b.Data) > 0 {
		c.file.Blocks = append(c.file.Blocks, b)
	}
}

// manifest notes a C2PA manifest store when the box from at is one. Its body is not read.
func (c *collector) manifest(where string, at, end int64) {
	head, err := c.blocks.Bytes(at, max(0, min(container.ManifestHead, end-at)))
	if err == nil && c.file.Manifest == "" && container.IsManifestStore(head) {
		c.file.Manifest = where
	}
}

// bytes reads a value whole; false when it is longer than any tool writes, or cannot be read.
func (c *collector) bytes(at, end int64) ([]byte, bool) {
	if end-at > maxValue {
		return nil, false
	}
	piece, err := c.blocks.Bytes(at, end-at)
	if err != nil {
		return nil, false
	}
	return append([]byte(nil), piece...), true
}

// label is a name as it stands in a place: valid, and no longer than a report bears.
func label(name string) string {
	if len(name) > maxName {
		name = name[:maxName] + "…"
	}
	return strings.ToValidUTF8(name, "?")
}
