//nolint:gosec // test media are small: no size comes near the range of its field
package mediatest

import (
	"bytes"
	"encoding/binary"
	"math"
)

// WAV makes a playable clip: a tone of 440 Hz, 16-bit mono at 16 kHz.
func WAV(seconds float64) []byte {
	const rate, tone, loudness = 16000, 440, 12000
	le := binary.LittleEndian
	var samples []byte
	for i := range int(seconds * rate) {
		v := int16(loudness * math.Sin(2*math.Pi*tone*float64(i)/rate))
		samples = le.AppendUint16(samples, uint16(v))
	}
	b := []byte("RIFF")
	b = le.AppendUint32(b, uint32(36+len(samples)))
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	b = le.AppendUint32(b, rate)
	b = le.AppendUint32(b, rate*2)
	b = append(b, "\x02\x00\x10\x00data"...)
	b = le.AppendUint32(b, uint32(len(samples)))
	return append(b, samples...)
}

// MP3 makes silent MPEG-1 layer III frames of 128 kbit/s at 44.1 kHz.
func MP3(frames int) []byte {
	const frameSize = 417
	frame := append([]byte{0xFF, 0xFB, 0x90, 0xC4}, make([]byte, frameSize-4)...)
	return bytes.Repeat(frame, frames)
}

// MP4Head is the beginning of an MP4 file: enough to be told apart, nothing to decode.
func MP4Head() []byte {
	return append(FileType("isom", "isom", "iso2", "avc1", "mp41"), Box("moov")...)
}

// MOVHead is the beginning of a QuickTime movie.
func MOVHead() []byte { return append(FileType("qt  ", "qt  "), Box("moov")...) }

// M4AHead is the beginning of a sound file in MP4.
func M4AHead() []byte { return append(FileType("M4A ", "M4A ", "mp42", "isom"), Box("moov")...) }

// WebMHead is the beginning of a WebM file.
func WebMHead() []byte {
	return []byte("\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\xF7\x81\x01\x42\xF2\x81\x04\x42\xF3\x81\x08" +
		"\x42\x82\x84webm\x42\x87\x81\x04\x42\x85\x81\x02\x18\x53\x80\x67")
}
