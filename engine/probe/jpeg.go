package probe

import (
	"bytes"
	"encoding/binary"
)

// JPEG markers (ITU-T T.81, table B.1).
const (
	jpegSOI  = 0xD8
	jpegEOI  = 0xD9
	jpegSOS  = 0xDA
	jpegTEM  = 0x01
	jpegRST0 = 0xD0
	jpegRST7 = 0xD7
)

// jpegHeader walks the markers of the first image in the file, as libjpeg does, up to its end-of-image marker. What
// follows (preview images, gain maps, a phone's motion video) is no part of the picture.
func jpegHeader(data []byte) (Info, error) {
	info := Info{Pages: 1}
	at := 2
	for {
		marker, body := nextMarker(data, at)
		if marker == 0 || marker == jpegEOI {
			return jpegDone(info)
		}
		at = body
		if marker == jpegSOI || marker == jpegTEM || (marker >= jpegRST0 && marker <= jpegRST7) {
			continue
		}
		if body+2 > len(data) {
			return Info{}, malformed("the file ends inside segment %#02x", marker)
		}
		end := body + int(binary.BigEndian.Uint16(data[body:]))
		if end < body+2 || end > len(data) {
			return Info{}, malformed("segment %#02x runs past the file", marker)
		}
		switch {
		case marker == jpegSOS:
			info.Scans++
		case isFrameMarker(marker):
			if err := jpegFrame(marker, data[body+2:end], &info); err != nil {
				return Info{}, err
			}
		}
		at = end
	}
}

func jpegDone(info Info) (Info, error) {
	switch {
	case info.Width == 0:
		return Info{}, malformed("no frame header")
	case info.Scans == 0:
		return Info{}, malformed("no scan")
	}
	return info, nil
}

// nextMarker finds the next marker at or after at: 0xFF, any fill bytes, and a code other than 0. It gives code 0 at
// the end of the data. Entropy-coded data and junk between segments are passed over the same way.
func nextMarker(data []byte, at int) (marker byte, body int) {
	for {
		i := bytes.IndexByte(data[min(at, len(data)):], 0xFF)
		if i < 0 {
			return 0, len(data)
		}
		at += i
		for at < len(data) && data[at] == 0xFF {
			at++
		}
		if at == len(data) {
			return 0, at
		}
		if data[at] != 0 {
			return data[at], at + 1
		}
	}
}

// isFrameMarker knows the SOFn: 0xC0 to 0xCF but for DHT, JPG and DAC, which share the range.
func isFrameMarker(m byte) bool {
	return m >= 0xC0 && m <= 0xCF && m != 0xC4 && m != 0xC8 && m != 0xCC
}

// jpegFrame takes the Huffman-coded processes, baseline to progressive; browsers read no others either.
func jpegFrame(marker byte, body []byte, info *Info) error {
	if info.Width != 0 {
		return malformed("two frame headers")
	}
	if marker > 0xC2 {
		return unsupported("JPEG process %#02x (lossless, hierarchical or arithmetic)", marker)
	}
	if len(body) < 6 {
		return malformed("short frame header")
	}
	if body[0] != 8 {
		return unsupported("%d bits a sample", body[0])
	}
	height, width, components := binary.BigEndian.Uint16(body[1:]), binary.BigEndian.Uint16(body[3:]), body[5]
	if width == 0 || height == 0 {
		return unsupported("a size that only the end of the file tells")
	}
	if components != 1 && components != 3 && components != 4 {
		return unsupported("%d colour components", components)
	}
	info.Width, info.Height = int(width), int(height)
	return nil
}
