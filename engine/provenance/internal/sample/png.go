package sample

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

var (
	pngSignature = []byte("\x89PNG\r\n\x1a\n")
	pngHeader    = PNGChunk("IHDR", []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0})
	pngData      = PNGChunk("IDAT", Deflate([]byte{0, 0}))
	pngEnd       = PNGChunk("IEND", nil)
)

// PNG has the chunks before the image data.
func PNG(chunks ...[]byte) []byte {
	return Join(pngSignature, pngHeader, Join(chunks...), pngData, pngEnd)
}

// PNGTail has the chunks behind the image data.
func PNGTail(chunks ...[]byte) []byte {
	return Join(pngSignature, pngHeader, pngData, Join(chunks...), pngEnd)
}

// PNGChunk is one chunk with its checksum.
func PNGChunk(kind string, payload []byte) []byte {
	body := Join([]byte(kind), payload)
	return Join(size32(binary.BigEndian, len(payload)), body, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
}

// Text is a tEXt chunk.
func Text(keyword, text string) []byte {
	return PNGChunk("tEXt", []byte(keyword+"\x00"+text))
}

// ZText is a zTXt chunk.
func ZText(keyword, text string) []byte {
	return PNGChunk("zTXt", Join([]byte(keyword+"\x00\x00"), Deflate([]byte(text))))
}

// IText is an iTXt chunk.
func IText(keyword, text string) []byte {
	return PNGChunk("iTXt", []byte(keyword+"\x00\x00\x00en\x00\x00"+text))
}

// ZIText is a compressed iTXt chunk.
func ZIText(keyword, text string) []byte {
	return PNGChunk("iTXt", Join([]byte(keyword+"\x00\x01\x00\x00\x00"), Deflate([]byte(text))))
}

// RawProfile is a profile as ImageMagick stores it.
func RawProfile(name string, data []byte) []byte {
	return ZText("Raw profile type "+name, fmt.Sprintf("\n%s\n%8d\n%x\n", name, len(data), data))
}

// Deflate compresses as zlib.
func Deflate(data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	// Writing to memory does not fail.
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Bytes()
}
