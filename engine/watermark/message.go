package watermark

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"

	"veracity/engine/provenance"
	"veracity/engine/raster"
)

// Some generators write their parameters into the lowest bits of the pixels, column by column from the upper left, the
// highest bit of each byte first: in alpha, or in red, green and blue of each pixel. A name of 15 letters says which, and
// whether the text is gzipped; the text's length in bits follows, in 32 bits, and the text (ashen-sensored and neggles,
// sd_webui_stealth_pnginfo, scripts/stealth_pnginfo.py; NovelAI writes the second form).
const (
	alphaPlain  = "stealth_pnginfo"
	alphaZipped = "stealth_pngcomp"
	rgbPlain    = "stealth_rgbinfo"
	rgbZipped   = "stealth_rgbcomp"
)

const (
	nameBytes, lengthBytes = len(alphaPlain), 4
	// mostHidden bounds the bytes that are taken from pixels, mostText those of the text, in bytes: records reach some
	// hundred kilobytes.
	mostHidden, mostText = 4 << 20, 4 << 20
	// mostShown is how many letters of the text a report shows.
	mostShown = 200
)

// Message is a text that was found in the lowest bits of pixels.
type Message struct {
	// Form is the name that the message begins with.
	Form string `json:"form"`
	// Bytes is the length of the text.
	Bytes int `json:"bytes"`
	// AI says that the text is a generator's record of how it made the picture, Generator who wrote it; empty when unknown.
	AI        bool   `json:"ai"`
	Generator string `json:"generator,omitempty"`
	// Text is the text's beginning.
	Text string `json:"text"`
}

// HasMessage says whether m's lowest bits begin as a message does, whatever follows.
func HasMessage(m *raster.Image) bool {
	_, form := openMessage(m)
	return form != ""
}

// readMessage reads a message whole; it answers false when there is none, or when it is damaged.
func readMessage(m *raster.Image) (Message, bool) {
	bits, form := openMessage(m)
	if form == "" {
		return Message{}, false
	}
	length, ok := bits.take(lengthBytes)
	if !ok {
		return Message{}, false
	}
	n := binary.BigEndian.Uint32(length)
	if n == 0 || n%8 != 0 || n/8 > mostHidden {
		return Message{}, false
	}
	text, ok := bits.take(int(n / 8))
	if ok && (form == alphaZipped || form == rgbZipped) {
		text, ok = unzip(text)
	}
	if !ok || !utf8.Valid(text) {
		return Message{}, false
	}
	message := Message{Form: form, Bytes: len(text), Text: beginning(string(text))}
	message.Generator, message.AI = provenance.Record(string(text))
	return message, true
}

// openMessage reads the name of a message, and leaves the bits behind it to be read; form is empty when there is none.
func openMessage(m *raster.Image) (bits *lowBits, form string) {
	if m.Channels == 4 {
		bits = &lowBits{image: m, channels: []int{3}}
		if name, _ := bits.take(nameBytes); string(name) == alphaPlain || string(name) == alphaZipped {
			return bits, string(name)
		}
	}
	bits = &lowBits{image: m, channels: []int{0, 1, 2}}
	if name, _ := bits.take(nameBytes); string(name) == rgbPlain || string(name) == rgbZipped {
		return bits, string(name)
	}
	return nil, ""
}

// lowBits reads the lowest bits of some channels, down the columns.
type lowBits struct {
	image    *raster.Image
	channels []int
	at       int
}

// take reads n bytes; it answers false when the picture ends before.
func (b *lowBits) take(n int) ([]byte, bool) {
	m := b.image
	if b.at+8*n > m.Width*m.Height*len(b.channels) {
		return nil, false
	}
	out := make([]byte, n)
	for i := range 8 * n {
		pixel, channel := (b.at+i)/len(b.channels), b.channels[(b.at+i)%len(b.channels)]
		x, y := pixel/m.Height, pixel%m.Height
		out[i/8] = out[i/8]<<1 | m.Pix[(y*m.Width+x)*m.Channels+channel]&1
	}
	b.at += 8 * n
	return out, true
}

// unzip answers false for what is no gzip stream, is damaged, or holds more than any record.
func unzip(data []byte) ([]byte, bool) {
	stream, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	text, err := io.ReadAll(io.LimitReader(stream, mostText+1))
	return text, err == nil && len(text) <= mostText
}

// beginning is what a report shows of a text.
func beginning(text string) string {
	text = strings.ToValidUTF8(text, "")
	shown := 0
	for i := range text {
		if shown++; shown > mostShown {
			return text[:i] + "…"
		}
	}
	return text
}
