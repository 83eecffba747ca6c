package raster

import (
	"bytes"
	"compress/zlib"
	"io"

	"veracity/engine/probe"
)

// maxEXIF is the most EXIF that is handed to libvips, which needs no more of it than the orientation.
const maxEXIF = 64 << 10

// pixelChunks drops from a PNG what makes no pixels. Text and profiles are compressed, and libpng inflates up to 50 MB
// for each of a hundred chunks before anyone asks for them; provenance reads them from the file itself. Of a chunk that
// may occur once, the first counts.
func pixelChunks(data []byte) []byte {
	const signature = 8
	out := make([]byte, 0, len(data))
	out = append(out, data[:signature]...)
	seen := map[string]bool{}
	for c, err := range probe.PNGChunks(data) {
		if err != nil {
			break
		}
		if c.Type != "IDAT" && seen[c.Type] {
			continue
		}
		seen[c.Type] = true
		if makesPixels(c) {
			out = append(out, c.Raw...)
		}
	}
	return out
}

func makesPixels(c probe.PNGChunk) bool {
	switch c.Type {
	case "IHDR", "PLTE", "tRNS", "IDAT", "IEND":
		return true
	case "eXIf":
		return len(c.Body) <= maxEXIF
	case "iCCP":
		return inflatesWithin(c.Body, maxProfile)
	}
	return false
}

// inflatesWithin says whether an iCCP chunk (name, zero, method, zlib stream) holds at most limit bytes of profile.
func inflatesWithin(body []byte, limit int64) bool {
	_, rest, ok := bytes.Cut(body, []byte{0})
	if !ok || len(rest) < 1 {
		return false
	}
	z, err := zlib.NewReader(bytes.NewReader(rest[1:]))
	if err != nil {
		return false
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, limit+1))
	return err == nil && n <= limit
}
