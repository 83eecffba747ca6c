package container

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"

	"veracity/engine/provenance/ifd"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	// maxText bounds one compressed text of a PNG file, in bytes once inflated.
	maxText = 8 << 20
	// maxKeyword is the longest keyword (PNG 3rd edition, section 11.3.3.1).
	maxKeyword = 79
)

// readPNG visits every chunk up to the end of the file: writers append texts after the image data.
func readPNG(data []byte, c *collector) {
	for len(data) >= 12 {
		size := uint64(binary.BigEndian.Uint32(data))
		if size > uint64(len(data))-12 {
			return
		}
		kind, payload := string(data[4:8]), data[8:8+size]
		switch kind {
		case "tEXt", "zTXt", "iTXt":
			readPNGText(kind, payload, c)
		case "eXIf":
			c.exif("png:eXIf", payload)
		case "caBX":
			c.manifest("png:caBX", payload)
		case "IEND":
			return
		}
		data = data[12+size:]
	}
}

func readPNGText(kind string, payload []byte, c *collector) {
	keyword, rest, ok := bytes.Cut(payload, []byte{0})
	if !ok || len(keyword) == 0 || len(keyword) > maxKeyword {
		return
	}
	var text []byte
	switch kind {
	case "tEXt":
		text = rest
	case "zTXt":
		if len(rest) > 1 && rest[0] == 0 {
			text = c.inflate(rest[1:])
		}
	case "iTXt":
		text = c.internationalText(rest)
	}
	key := strings.ToValidUTF8(string(keyword), "?")
	where := "png:" + kind + ":" + key
	switch {
	case key == "XML:com.adobe.xmp":
		c.add(XMP, where, "", text)
	case strings.HasPrefix(key, rawProfile):
		c.rawProfile(where, strings.TrimPrefix(key, rawProfile), text)
	default:
		// The standard says Latin-1 for tEXt and zTXt; most generators write UTF-8 there.
		c.add(Text, where, key, decodeText(text))
	}
}

func decodeText(b []byte) []byte {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return b
	}
	return []byte(ifd.Decode(b))
}

// internationalText reads an iTXt chunk behind its keyword: compression flag and method, language, translated keyword.
func (c *collector) internationalText(b []byte) []byte {
	if len(b) < 2 {
		return nil
	}
	compressed, method := b[0], b[1]
	_, b, ok := bytes.Cut(b[2:], []byte{0})
	if !ok {
		return nil
	}
	_, b, ok = bytes.Cut(b, []byte{0})
	switch {
	case !ok || compressed > 1:
		return nil
	case compressed == 0:
		return b
	case method != 0:
		return nil
	}
	return c.inflate(b)
}

// inflate decompresses a text and charges its size to the file, kept or not, so that bombs use up the allowance.
func (c *collector) inflate(b []byte) []byte {
	limit := min(maxText, c.allowance)
	if limit <= 0 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	c.allowance -= len(text)
	if err != nil || len(text) > limit || z.Close() != nil {
		return nil
	}
	return text
}
