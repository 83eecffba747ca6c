package raster_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"math/bits"
	"math/rand/v2"
	"testing"

	"veracity/engine/mediatest"
	"veracity/engine/mediatest/coded"
)

// worstSide squared is the pixel limit.
const worstSide = 5000

// noisy is a photograph with so much grain on its red channel that codecs cannot save on it, and alpha where wanted.
func noisy(grain int, alpha bool) *image.NRGBA {
	random := rand.New(rand.NewPCG(1, 2))
	p := mediatest.Flat(worstSide, worstSide, color.NRGBA{120, 90, 60, 255})
	for i := 0; i < len(p.Pix); i += 4 {
		p.Pix[i] += uint8(random.IntN(grain))
		if alpha {
			p.Pix[i+3] -= uint8(random.IntN(2))
		}
	}
	return p
}

// deep has 16 bits a channel and alpha.
func deep() *image.NRGBA64 {
	random := rand.New(rand.NewPCG(3, 4))
	p := image.NewNRGBA64(image.Rect(0, 0, worstSide, worstSide))
	for i := 0; i < len(p.Pix); i += 8 {
		p.Pix[i] = uint8(random.IntN(12))
		p.Pix[i+6] = 200
	}
	return p
}

// planarTIFF has 16-bit RGBA in four planes of one deflated strip each, which must be held whole to interleave them.
func planarTIFF(tb testing.TB, w, h int) []byte {
	tb.Helper()
	plane := mediatest.Deflate(make([]byte, 2*w*h))
	file := []byte("II*\x00\x00\x00\x00\x00")
	var offsets, counts []uint32
	for range 4 {
		offsets, counts = append(offsets, uint32(len(file))), append(counts, uint32(len(plane)))
		file = append(file, plane...)
	}
	file, _ = mediatest.AppendTIFFDirectory(file, 4,
		tag(256, uint32(w)), tag(257, uint32(h)), tag(258, 16), tag(259, 8), tag(262, 2), tag(273, offsets...), tag(277, 4),
		tag(278, uint32(h)), tag(279, counts...), tag(284, 2), tag(338, 2))
	return file
}

func tag(number uint16, values ...uint32) mediatest.TIFFTag {
	return mediatest.TIFFTag{Tag: number, Values: values}
}

// worstFiles are the costliest files that this test knows to build within the limits, by format.
var worstFiles = []struct {
	name string
	make func(testing.TB) []byte
}{
	{"JPEG", func(tb testing.TB) []byte {
		tb.Helper()
		return mediatest.JPEG(tb, worstSide, worstSide, mediatest.WithPicture(noisy(200, false)), mediatest.WithQuality(95))
	}},
	{"JPEGScans", func(tb testing.TB) []byte { tb.Helper(); return scanBomb(worstSide, worstSide, 32) }},
	{"PNGInterlacedDeep", func(tb testing.TB) []byte { tb.Helper(); return coded.InterlacedPNG(tb, deep()) }},
	{"WebP", func(tb testing.TB) []byte { tb.Helper(); return coded.WebP(tb, noisy(60, true), 95) }},
	{"WebPLossless", func(tb testing.TB) []byte { tb.Helper(); return coded.LosslessWebP(tb, noisy(30, true)) }},
	{"GIF", func(tb testing.TB) []byte {
		tb.Helper()
		return mediatest.GIF(tb, worstSide, worstSide, mediatest.WithPicture(noisy(60, false)))
	}},
	{"TIFFDeflate", func(tb testing.TB) []byte {
		tb.Helper()
		return mediatest.TIFF(tb, worstSide, worstSide, mediatest.WithPicture(noisy(30, false)), mediatest.WithDeflate())
	}},
	{"TIFFPlanar", func(tb testing.TB) []byte { tb.Helper(); return planarTIFF(tb, worstSide, worstSide/2) }},
	{"BMPRuns", func(tb testing.TB) []byte {
		tb.Helper()
		return mediatest.BMPFile(worstSide, worstSide, 8, 1, bmpColours(256), []byte{0, 1})
	}},
	{"AVIF", func(tb testing.TB) []byte { tb.Helper(); return coded.AVIF(tb, noisy(60, true), 85) }},
	{"HEIC", func(tb testing.TB) []byte { tb.Helper(); return coded.HEIC(tb, noisy(40, true), 85, 10) }},
}

// scanBomb makes a progressive JPEG of as many scans as it is told: every luma coefficient is set and refined six
// times, and the rest of the scans pass over empty chroma planes, which costs a decoder time and the file nothing.
func scanBomb(w, h, scans int) []byte {
	const lumaRefinements, firstBit = 6, 13
	blocks := ((w + 7) / 8) * ((h + 7) / 8)
	b := &jpegBits{bytes: []byte{0xFF, 0xD8}}
	b.segment(0xDB, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	b.segment(0xC2, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
	b.segment(0xC4, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00)
	b.segment(0xC4, 0x10, 1, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01,
		0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xA0, 0xB0, 0xC0, 0xD0, 0xE0)

	b.segment(0xDA, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)
	for range 3 * blocks {
		b.put(0, 1)
	}
	b.flush()
	random := rand.New(rand.NewPCG(5, 6))
	b.segment(0xDA, 1, 1, 0, 1, 63, lumaRefinements)
	for range 63 * blocks {
		b.put(random.Uint32N(2), 2)
	}
	b.flush()
	for bit := lumaRefinements; bit > 0; bit-- {
		b.segment(0xDA, 1, 1, 0, 1, 63, byte(bit<<4|bit-1))
		b.emptyBlocks(blocks, 63)
	}
	left := scans - 2 - lumaRefinements
	for i := range left {
		component, step := byte(2+i%2), i/2
		high, low := byte(firstBit-step+1), byte(firstBit-step)
		if step == 0 {
			high = 0
		}
		b.segment(0xDA, 1, component, 0, 1, 63, high<<4|low)
		b.emptyBlocks(blocks, 0)
	}
	return append(b.bytes, 0xFF, 0xD9)
}

// jpegBits writes entropy-coded data with its byte stuffing.
type jpegBits struct {
	bytes []byte
	acc   uint32
	count uint
}

func (b *jpegBits) segment(marker byte, body ...byte) {
	b.bytes = append(b.bytes, 0xFF, marker)
	b.bytes = binary.BigEndian.AppendUint16(b.bytes, uint16(len(body)+2))
	b.bytes = append(b.bytes, body...)
}

func (b *jpegBits) put(v uint32, n uint) {
	b.acc, b.count = b.acc<<n|v, b.count+n
	for b.count >= 8 {
		b.count -= 8
		out := byte(b.acc >> b.count)
		b.bytes = append(b.bytes, out)
		if out == 0xFF {
			b.bytes = append(b.bytes, 0)
		}
	}
}

func (b *jpegBits) flush() {
	if b.count > 0 {
		b.put(1<<(8-b.count)-1, 8-b.count)
	}
}

// emptyBlocks ends blocks before their first coefficient, in runs, each block followed by its correction bits. The run
// lengths have five-bit codes.
func (b *jpegBits) emptyBlocks(blocks, corrections int) {
	for blocks > 0 {
		run := min(blocks, 32767)
		exponent := uint(bits.Len(uint(run)) - 1)
		b.put(16+uint32(exponent), 5)
		b.put(uint32(run)-1<<exponent, exponent)
		for range run * corrections {
			b.put(0, 1)
		}
		blocks -= run
	}
	b.flush()
}
