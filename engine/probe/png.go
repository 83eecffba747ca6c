package probe

import (
	"encoding/binary"
	"iter"
)

const pngSignature = 8

// PNGChunk is one chunk of a PNG (PNG third edition, section 5.3). CRCs are not checked here.
type PNGChunk struct {
	// Type is the four-letter type.
	Type string
	// Body is the chunk's data.
	Body []byte
	// Raw is the whole chunk: length, type, data and CRC.
	Raw []byte
}

// PNGChunks yields the chunks of a PNG file up to IEND, which comes last. A file that ends before IEND yields
// [ErrMalformed] last.
func PNGChunks(data []byte) iter.Seq2[PNGChunk, error] {
	return func(yield func(PNGChunk, error) bool) {
		rest := data[min(pngSignature, len(data)):]
		for {
			if len(rest) < 12 {
				yield(PNGChunk{}, malformed("the file ends before IEND"))
				return
			}
			size := uint64(binary.BigEndian.Uint32(rest))
			if size > uint64(len(rest))-12 {
				yield(PNGChunk{}, malformed("chunk %q runs past the file", rest[4:8]))
				return
			}
			c := PNGChunk{Type: string(rest[4:8]), Body: rest[8 : 8+size], Raw: rest[:12+size]}
			if !yield(c, nil) || c.Type == "IEND" {
				return
			}
			rest = rest[12+size:]
		}
	}
}

func pngHeader(data []byte) (Info, error) {
	info := Info{Pages: 1}
	first, pixels := true, false
	for c, err := range PNGChunks(data) {
		if err != nil {
			return Info{}, err
		}
		if first != (c.Type == "IHDR") {
			return Info{}, malformed("IHDR is not the first chunk alone")
		}
		first = false
		switch c.Type {
		case "IHDR":
			if len(c.Body) != 13 {
				return Info{}, malformed("IHDR of %d bytes", len(c.Body))
			}
			width, height := binary.BigEndian.Uint32(c.Body), binary.BigEndian.Uint32(c.Body[4:])
			if width >= 1<<31 || height >= 1<<31 {
				return Info{}, malformed("size %d x %d", width, height)
			}
			info.Width, info.Height = int(width), int(height)
		case "acTL":
			if !pixels && len(c.Body) >= 4 {
				info.setFrames(binary.BigEndian.Uint32(c.Body))
			}
		case "IDAT":
			pixels = true
		}
	}
	if !pixels {
		return Info{}, malformed("no IDAT")
	}
	return info, nil
}

// setFrames takes an APNG's frame count. An acTL that announces one frame is a still picture.
func (i *Info) setFrames(n uint32) {
	if n > 1 {
		i.Pages, i.Animated = int(min(n, 1<<30)), true
	}
}
