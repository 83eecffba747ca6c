package probe

import "bytes"

// isMP3 takes a file for MP3 when it starts with an ID3v2 tag, or with two frames in a row that agree on version and
// rate. One frame sync alone occurs in any binary file too often to go by.
func isMP3(head []byte) bool {
	if bytes.HasPrefix(head, []byte("ID3")) {
		return isID3(head)
	}
	first, ok := mp3FrameAt(head, 0)
	if !ok {
		return false
	}
	second, ok := mp3FrameAt(head, first.length)
	return ok && second.version == first.version && second.rate == first.rate
}

// isID3 checks the fields of an ID3v2 header (id3.org, ID3v2.4.0 section 3.1): versions 2 to 4 and a size whose bytes
// keep their top bits clear.
func isID3(head []byte) bool {
	if len(head) < 10 || head[3] < 2 || head[3] > 4 || head[4] == 0xFF {
		return false
	}
	return (head[6]|head[7]|head[8]|head[9])&0x80 == 0
}

type mp3Frame struct {
	version byte
	rate    int
	length  int
}

// Bit rates in kbit/s of layer III by index 1 to 14, and sampling rates of MPEG-1 in Hz (ISO/IEC 11172-3, 2.4.2.3;
// ISO/IEC 13818-3 halves the rates, and MPEG-2.5 halves them again).
var (
	mp3RatesV1  = [16]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0}
	mp3RatesV2  = [16]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}
	mp3Sampling = [4]int{44100, 48000, 32000, 0}
)

func mp3FrameAt(head []byte, at int) (mp3Frame, bool) {
	const layer3 = 1
	if at+4 > len(head) || head[at] != 0xFF || head[at+1]&0xE0 != 0xE0 {
		return mp3Frame{}, false
	}
	version := head[at+1] >> 3 & 3
	layer := head[at+1] >> 1 & 3
	kbits := mp3RatesV1[head[at+2]>>4]
	hertz := mp3Sampling[head[at+2]>>2&3]
	samples := 144
	switch version {
	case 3:
	case 2:
		kbits, hertz, samples = mp3RatesV2[head[at+2]>>4], hertz/2, 72
	case 0:
		kbits, hertz, samples = mp3RatesV2[head[at+2]>>4], hertz/4, 72
	default:
		return mp3Frame{}, false
	}
	if layer != layer3 || kbits == 0 || hertz == 0 {
		return mp3Frame{}, false
	}
	padding := int(head[at+2] >> 1 & 1)
	return mp3Frame{version: version, rate: hertz, length: samples*kbits*1000/hertz + padding}, true
}
