package sample

// GIF has one pixel between the extensions.
func GIF(before, after []byte) []byte {
	header := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF")
	image := []byte{0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 0, 0, 0, 1, 1, 1, 2, 2, 0x44, 1, 0}
	return Join(header, before, image, after, []byte{0x3B})
}

// GIFComment is a comment extension.
func GIFComment(text string) []byte {
	return Join([]byte{0x21, 0xFE}, subBlocks([]byte(text)))
}

// GIFApplication is an application extension; id has eleven bytes.
func GIFApplication(id string, data []byte) []byte {
	return Join([]byte{0x21, 0xFF, 11}, []byte(id), subBlocks(data))
}

// GIFXMP is the extension that holds a packet, uncut, with the trailer that leads block readers to the end.
func GIFXMP(packet string) []byte {
	trailer := []byte{1}
	for b := 255; b >= 0; b-- {
		trailer = append(trailer, byte(b))
	}
	return Join([]byte{0x21, 0xFF, 11}, []byte("XMP DataXMP"+packet), trailer, []byte{0})
}

func subBlocks(data []byte) []byte {
	var out []byte
	for len(data) > 0 {
		n := min(len(data), 255)
		out = append(append(out, byte(n)), data[:n]...)
		data = data[n:]
	}
	return append(out, 0)
}
