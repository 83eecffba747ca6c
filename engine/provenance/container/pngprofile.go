package container

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"

	"veracity/engine/provenance/iptc"
)

// rawProfile opens the keyword under which ImageMagick and its kin store profiles that PNG had no chunk for.
const rawProfile = "Raw profile type "

// rawProfile reads such a profile: a line with its name, a line with its length, then hexadecimal lines.
func (c *collector) rawProfile(where, name string, text []byte) {
	data := decodeProfile(text)
	switch strings.ToLower(name) {
	case "exif":
		c.exif(where, data)
	case "xmp":
		c.add(XMP, where, "", data)
	case "iptc", "8bim":
		c.add(IPTC, where, "", iptc.Find(data))
	case "app1":
		if packet, ok := bytes.CutPrefix(data, []byte(xmpHeader)); ok {
			c.add(XMP, where, "", packet)
			return
		}
		c.exif(where, data)
	}
}

func decodeProfile(text []byte) []byte {
	_, text, ok := bytes.Cut(bytes.TrimLeft(text, "\n"), []byte{'\n'})
	if !ok {
		return nil
	}
	length, digits, ok := bytes.Cut(text, []byte{'\n'})
	if !ok {
		return nil
	}
	size, err := strconv.Atoi(string(bytes.TrimSpace(length)))
	if err != nil || size <= 0 {
		return nil
	}
	digits = bytes.ReplaceAll(digits, []byte{'\n'}, nil)
	if len(digits)/2 < size {
		return nil
	}
	data := make([]byte, size)
	if _, err := hex.Decode(data, digits[:2*size]); err != nil {
		return nil
	}
	return data
}
