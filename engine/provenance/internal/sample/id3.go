package sample

import (
	"bytes"
	"encoding/binary"
)

// MP3 has the tags before two silent frames.
func MP3(tags ...[]byte) []byte {
	frame := append([]byte{0xFF, 0xFB, 0x90, 0xC4}, make([]byte, 413)...)
	return Join(Join(tags...), frame, frame)
}

// ID3 is a tag of version 2, 3 or 4 with padding behind its frames. flags are those of its header.
func ID3(version, flags byte, frames ...[]byte) []byte {
	body := Join(Join(frames...), make([]byte, 16))
	return Join([]byte{'I', 'D', '3', version, 0, flags}, Synchsafe(len(body)), body)
}

// ID3Frame is a frame as a tag of the version has it.
func ID3Frame(version byte, id string, body []byte) []byte {
	switch version {
	case 2:
		return Join([]byte(id), size32(binary.BigEndian, len(body))[1:], body)
	case 3:
		return Join([]byte(id), size32(binary.BigEndian, len(body)), []byte{0, 0}, body)
	}
	return Join([]byte(id), Synchsafe(len(body)), []byte{0, 0}, body)
}

// ID3Text is a user's text in UTF-8, in a frame TXXX of version 4.
func ID3Text(name, text string) []byte {
	return ID3Frame(4, "TXXX", []byte("\x03"+name+"\x00"+text))
}

// Synchsafe is a length with seven bits a byte.
func Synchsafe(n int) []byte {
	return size32(binary.BigEndian, n&0x7F|n<<1&0x7F00|n<<2&0x7F0000|n<<3&0x7F000000)
}

// Unsynchronised puts a zero behind each byte FF.
func Unsynchronised(b []byte) []byte { return bytes.ReplaceAll(b, []byte{0xFF}, []byte{0xFF, 0}) }
