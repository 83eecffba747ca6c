package probe

import "encoding/binary"

// bmpHeader reads the size from the DIB header. A negative height means that rows run from the top.
func bmpHeader(data []byte) (Info, error) {
	if len(data) < 26 {
		return Info{}, malformed("the file ends inside the header")
	}
	info := Info{Pages: 1}
	if binary.LittleEndian.Uint32(data[14:]) == 12 {
		info.Width = int(binary.LittleEndian.Uint16(data[18:]))
		info.Height = int(binary.LittleEndian.Uint16(data[20:]))
		return info, nil
	}
	info.Width = leInt32(data[18:])
	info.Height = leInt32(data[22:])
	if info.Height < 0 {
		info.Height = -info.Height
	}
	return info, nil
}

func leInt32(b []byte) int {
	return int(int32(binary.LittleEndian.Uint32(b))) //nolint:gosec // the field is signed
}
