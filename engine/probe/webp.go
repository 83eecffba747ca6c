package probe

import "encoding/binary"

// webpHeader reads the RIFF chunks of a WebP file (RFC 9649). For a still picture the canvas and the bitstream must
// agree on the size, so that neither can smuggle a larger one past a limit on the other.
func webpHeader(data []byte) (Info, error) {
	riffSize := uint64(binary.LittleEndian.Uint32(data[4:]))
	if riffSize+8 > uint64(len(data)) {
		return Info{}, malformed("RIFF of %d bytes in a file of %d", riffSize+8, len(data))
	}
	w := webpWalk{info: Info{Pages: 1}}
	rest := data[12 : riffSize+8]
	for len(rest) >= 8 {
		size := uint64(binary.LittleEndian.Uint32(rest[4:]))
		if size > uint64(len(rest))-8 {
			return Info{}, malformed("chunk %q runs past the file", rest[:4])
		}
		if err := w.chunk(string(rest[:4]), rest[8:8+size]); err != nil {
			return Info{}, err
		}
		rest = rest[min(8+size+size&1, uint64(len(rest))):]
	}
	return w.done()
}

type webpWalk struct {
	info     Info
	extended bool
	pictures int
	frames   int
}

func (w *webpWalk) chunk(id string, body []byte) error {
	switch id {
	case "VP8X":
		if len(body) < 10 || w.extended || w.pictures > 0 {
			return malformed("VP8X chunk out of place")
		}
		w.extended = true
		w.info.Animated = body[0]&0x02 != 0
		w.info.Width, w.info.Height = le24(body[4:])+1, le24(body[7:])+1
	case "ANMF":
		w.frames++
	case "VP8 ":
		return w.picture(vp8Size(body))
	case "VP8L":
		return w.picture(vp8lSize(body))
	}
	return nil
}

func (w *webpWalk) picture(width, height int, ok bool) error {
	w.pictures++
	switch {
	case !ok:
		return malformed("no key frame header")
	case w.pictures > 1:
		return malformed("two pictures")
	case w.extended && !w.info.Animated && (width != w.info.Width || height != w.info.Height):
		return malformed("picture of %d x %d on a canvas of %d x %d", width, height, w.info.Width, w.info.Height)
	case !w.extended:
		w.info.Width, w.info.Height = width, height
	}
	return nil
}

func (w *webpWalk) done() (Info, error) {
	if w.info.Animated {
		w.info.Pages = max(w.frames, 1)
		return w.info, nil
	}
	if w.pictures == 0 {
		return Info{}, malformed("no picture")
	}
	return w.info, nil
}

func le24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// vp8Size reads a lossy key frame (RFC 6386, section 9.1).
func vp8Size(b []byte) (width, height int, ok bool) {
	if len(b) < 10 || b[0]&1 != 0 || b[3] != 0x9D || b[4] != 0x01 || b[5] != 0x2A {
		return 0, 0, false
	}
	return int(binary.LittleEndian.Uint16(b[6:]) & 0x3FFF), int(binary.LittleEndian.Uint16(b[8:]) & 0x3FFF), true
}

// vp8lSize reads a lossless header (RFC 9649, section 3.4).
func vp8lSize(b []byte) (width, height int, ok bool) {
	if len(b) < 5 || b[0] != 0x2F {
		return 0, 0, false
	}
	bits := binary.LittleEndian.Uint32(b[1:])
	return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1, true
}
