//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"testing"

	"veracity/engine/probe"
)

// PNGText puts a tEXt chunk before the pixels.
func PNGText(key, value string) Option { return PNGChunk("tEXt", []byte(key+"\x00"+value)) }

// PNGTextAfterPixels puts a tEXt chunk between the pixels and IEND, where some tools write it.
func PNGTextAfterPixels(key, value string) Option {
	return Option{"PNGTextAfterPixels", []probe.Format{probe.PNG}, func(s *spec) {
		s.after = append(s.after, Chunk("tEXt", []byte(key+"\x00"+value)))
	}}
}

// PNGCompressedText puts a zTXt chunk before the pixels.
func PNGCompressedText(key, value string) Option {
	return PNGChunk("zTXt", append([]byte(key+"\x00\x00"), Deflate([]byte(value))...))
}

// PNGInternationalText puts an uncompressed iTXt chunk before the pixels.
func PNGInternationalText(key, value string) Option {
	return PNGChunk("iTXt", []byte(key+"\x00\x00\x00\x00\x00"+value))
}

// PNGChunk puts any chunk before the pixels.
func PNGChunk(kind string, body []byte) Option {
	return Option{"PNGChunk", []probe.Format{probe.PNG}, func(s *spec) { s.before = append(s.before, Chunk(kind, body)) }}
}

// PNG makes a PNG whose colour type follows the picture: palette, grey, 16 bits and alpha come out as such.
func PNG(tb testing.TB, w, h int, opts ...Option) []byte {
	tb.Helper()
	s := newSpec(tb, probe.PNG, w, h, opts)
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, s.picture); err != nil {
		tb.Fatalf("encode PNG: %v", err)
	}
	const header, end = 8 + 25, 12
	file := b.Bytes()
	tail := len(file) - end
	return bytes.Join([][]byte{
		file[:header], bytes.Join(s.pngBefore(), nil), file[header:tail], bytes.Join(s.after, nil), file[tail:],
	}, nil)
}

func (s *spec) pngBefore() [][]byte {
	var out [][]byte
	if s.icc != nil {
		out = append(out, Chunk("iCCP", append([]byte("profile\x00\x00"), Deflate(s.icc)...)))
	}
	if s.exif != nil {
		out = append(out, Chunk("eXIf", s.exif))
	}
	if s.xmp != "" {
		out = append(out, Chunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+s.xmp)))
	}
	if s.frames > 1 {
		out = append(out, Chunk("acTL", binary.BigEndian.AppendUint64(nil, uint64(s.frames)<<32)))
	}
	return append(out, s.before...)
}

// Chunk makes a PNG chunk with its length and CRC.
func Chunk(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(b, kind...)
	b = append(b, body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// Deflate compresses into a zlib stream.
func Deflate(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	// A bytes.Buffer takes every write.
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}
