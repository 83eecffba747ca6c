package origin

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	// chunkFrame is what a chunk has beside its data: length, type and checksum.
	chunkFrame = 12
	xmpKeyword = "XML:com.adobe.xmp"
)

// pictureChunks are the chunks that make up the picture (PNG 3rd edition, sections 11.2 and 11.3.1 to 11.3.2). Any other
// chunk of an encoder's does not pass.
var pictureChunks = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "sRGB", "gAMA", "cHRM", "iCCP", "cICP", "sBIT", "pHYs",
}

var errNoPNG = errors.New("the file is no whole PNG")

// IntoPNG gives the PNG with the statements in it and with no other metadata: what it had is dropped. An XMP packet, texts
// and, where nothing else will do, EXIF stand before the pixels, where readers that stop there find them. The errors are
// [ErrLost] and that png is none.
func (s Statements) IntoPNG(png []byte) ([]byte, error) {
	if s.lost {
		return nil, fmt.Errorf("write statements into PNG: %w", ErrLost)
	}
	out, err := insert(png, s.cargo.chunks())
	if err != nil {
		return nil, fmt.Errorf("write statements into PNG: %w", err)
	}
	return out, nil
}

// insert puts chunks before the first IDAT.
func insert(png, chunks []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(png, []byte(pngSignature))
	if !ok {
		return nil, errNoPNG
	}
	out := make([]byte, 0, len(png)+len(chunks))
	out = append(out, pngSignature...)
	placed := false
	for {
		if len(rest) < chunkFrame {
			return nil, errNoPNG
		}
		size := uint64(binary.BigEndian.Uint32(rest)) + chunkFrame
		if size > uint64(len(rest)) {
			return nil, errNoPNG
		}
		kind := string(rest[4:8])
		if kind == "IDAT" && !placed {
			out, placed = append(out, chunks...), true
		}
		if slices.Contains(pictureChunks, kind) {
			out = append(out, rest[:size]...)
		}
		if kind == "IEND" {
			break
		}
		rest = rest[size:]
	}
	if !placed {
		return nil, errNoPNG
	}
	return out, nil
}

// chunks are the statements as PNG has them.
func (c cargo) chunks() []byte {
	var out []byte
	if c.tags != (tags{}) {
		out = appendChunk(out, "eXIf", c.tags.block())
	}
	if p := c.properties.packet(); p != nil {
		out = appendChunk(out, "iTXt", append([]byte(xmpKeyword+"\x00\x00\x00\x00\x00"), p...))
	}
	for _, t := range c.texts {
		out = t.append(out)
	}
	return out
}

// append writes a text as tEXt, or as iTXt when it is not plain ASCII, and compressed when the source had it so: some
// readers of generators' records know no other form than the one that their generator writes.
func (t text) append(out []byte) []byte {
	value := strings.ReplaceAll(t.value, "\x00", "")
	body := append([]byte(t.key), 0)
	switch {
	case isASCII(value) && t.packed:
		return appendChunk(out, "zTXt", append(append(body, 0), deflate(value)...))
	case isASCII(value):
		return appendChunk(out, "tEXt", append(body, value...))
	case t.packed:
		return appendChunk(out, "iTXt", append(append(body, 1, 0, 0, 0), deflate(value)...))
	}
	return appendChunk(out, "iTXt", append(append(body, 0, 0, 0, 0), value...))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func deflate(value string) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	// A bytes.Buffer takes every write.
	_, _ = z.Write([]byte(value))
	_ = z.Close()
	return b.Bytes()
}

func appendChunk(out []byte, kind string, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(body))) //nolint:gosec // What is carried is far below 4 GB.
	start := len(out)
	out = append(append(out, kind...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}

// preview is an image of one grey pixel that carries c: what provenance reads of it, it reads of the output.
func preview(c cargo) []byte {
	out := appendChunk([]byte(pngSignature), "IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0})
	out = append(out, c.chunks()...)
	out = appendChunk(out, "IDAT", deflate("\x00\x00"))
	return appendChunk(out, "IEND", nil)
}
