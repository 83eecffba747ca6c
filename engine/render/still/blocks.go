package still

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// A picture is compressed in bands, side by side, but a PNG holds one stream. libdeflate can only write whole streams,
// so each band's last block has its "final" bit cleared and an empty stored block brings the stream to a byte boundary,
// where the next band continues (RFC 1951, 3.2.3 and 3.2.4). Where the last block begins is known only to who walks
// all of them.

var errBlocks = errors.New("walk DEFLATE blocks: not a whole stream")

// unfinish turns a whole raw DEFLATE stream into one that another may follow. It changes stream in place and may append
// to it.
func unfinish(stream []byte) ([]byte, error) {
	w := walker{in: stream}
	last, err := w.walk()
	if err != nil {
		return nil, err
	}
	stream[last/8] &^= 1 << (last % 8)
	end := w.position()
	stream = stream[:(end+7)/8]
	if end%8 == 0 {
		return stream, nil
	}
	if end%8 > 5 { // the stored block's three header bits do not fit
		stream = append(stream, 0)
	}
	return append(stream, 0, 0, 0xFF, 0xFF), nil
}

// walker reads DEFLATE without producing what it stands for.
type walker struct {
	in   []byte
	next int    // the next byte to be read
	acc  uint64 // bits read ahead, the next one lowest
	have uint   // how many
	lit  huffman
	dist huffman
}

// position is how many bits were consumed.
func (w *walker) position() int { return w.next*8 - int(w.have) }

// fill makes 56 bits or more available; past the end they are zero, which position tells.
func (w *walker) fill() {
	if w.next+8 <= len(w.in) {
		w.acc |= binary.LittleEndian.Uint64(w.in[w.next:]) << w.have
		n := (63 - w.have) / 8
		w.next += int(n)
		w.have += n * 8
		return
	}
	for w.have <= 56 {
		if w.next < len(w.in) {
			w.acc |= uint64(w.in[w.next]) << w.have
		}
		w.next++
		w.have += 8
	}
}

func (w *walker) take(n uint) int {
	v := int(w.acc & (1<<n - 1)) //nolint:gosec // at most 13 bits
	w.acc >>= n
	w.have -= n
	return v
}

// walk gives the bit position of the last block's header.
func (w *walker) walk() (int, error) {
	for {
		w.fill()
		if w.position() >= len(w.in)*8 {
			return 0, errBlocks
		}
		start := w.position()
		final := w.take(1)
		var err error
		switch w.take(2) {
		case 0:
			err = w.stored()
		case 1:
			w.fixed()
			err = w.symbols()
		case 2:
			if err = w.dynamic(); err == nil {
				err = w.symbols()
			}
		default:
			err = errBlocks
		}
		if err != nil {
			return 0, err
		}
		if final == 1 {
			return start, nil
		}
	}
}

func (w *walker) stored() error {
	at := (w.position() + 7) / 8
	if at+4 > len(w.in) {
		return errBlocks
	}
	w.next = at + 4 + int(binary.LittleEndian.Uint16(w.in[at:]))
	w.acc, w.have = 0, 0
	if w.next > len(w.in) {
		return errBlocks
	}
	return nil
}

// fixed sets up the code lengths of RFC 1951, 3.2.6.
func (w *walker) fixed() {
	var lit [288]byte
	var dist [30]byte
	for i := range lit {
		switch {
		case i < 144:
			lit[i] = 8
		case i < 256:
			lit[i] = 9
		case i < 280:
			lit[i] = 7
		default:
			lit[i] = 8
		}
	}
	for i := range dist {
		dist[i] = 5
	}
	w.lit.build(lit[:])
	w.dist.build(dist[:])
}

// dynamic reads the code lengths of RFC 1951, 3.2.7.
func (w *walker) dynamic() error {
	order := [19]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	nlit, ndist, ncode := w.take(5)+257, w.take(5)+1, w.take(4)+4
	var lengths [19]byte
	w.fill()
	for _, at := range order[:ncode] {
		if w.have < 3 {
			w.fill()
		}
		lengths[at] = byte(w.take(3)) //nolint:gosec // three bits
	}
	w.lit.build(lengths[:])
	all := make([]byte, 0, 286+32+138)
	for len(all) < nlit+ndist {
		w.fill()
		symbol, err := w.symbol(&w.lit)
		if err != nil {
			return err
		}
		repeat, value := 1, byte(symbol) //nolint:gosec // below 19
		switch symbol {
		case 16:
			if len(all) == 0 {
				return errBlocks
			}
			repeat, value = 3+w.take(2), all[len(all)-1]
		case 17:
			repeat, value = 3+w.take(3), 0
		case 18:
			repeat, value = 11+w.take(7), 0
		}
		for range repeat {
			all = append(all, value)
		}
	}
	if len(all) > nlit+ndist {
		return errBlocks
	}
	w.lit.build(all[:nlit])
	w.dist.build(all[nlit:])
	return nil
}

// symbols reads literals and matches up to the end of the block.
func (w *walker) symbols() error {
	for {
		w.fill()
		if w.position() > len(w.in)*8 {
			return errBlocks
		}
		symbol, err := w.symbol(&w.lit)
		switch {
		case err != nil:
			return err
		case symbol < 256:
			continue
		case symbol == 256:
			return nil
		case symbol > 285:
			return errBlocks
		}
		w.take(lengthBits(symbol))
		if symbol, err = w.symbol(&w.dist); err != nil {
			return err
		}
		if symbol > 29 {
			return errBlocks
		}
		if symbol >= 4 {
			w.take(uint(symbol)/2 - 1)
		}
	}
}

// lengthBits is how many extra bits follow a length symbol (RFC 1951, 3.2.5).
func lengthBits(symbol int) uint {
	if symbol < 265 || symbol == 285 {
		return 0
	}
	return uint(symbol-261) / 4
}

func (w *walker) symbol(h *huffman) (int, error) {
	e := h.table[w.acc&(1<<maxCode-1)]
	if e == 0 {
		return 0, errBlocks
	}
	w.take(uint(e & 15))
	return int(e >> 4), nil
}

// maxCode is the longest code, in bits.
const maxCode = 15

// huffman maps the next fifteen bits to a symbol (upper bits) and its code's length (lowest four); 0 is no code.
type huffman struct {
	table [1 << maxCode]uint16
}

func (h *huffman) build(lengths []byte) {
	clear(h.table[:])
	code := uint16(0)
	for length := 1; length <= maxCode; length++ {
		for symbol, l := range lengths {
			if int(l) != length {
				continue
			}
			entry := uint16(symbol<<4 | length) //nolint:gosec // a symbol is below 288
			from := bits.Reverse16(code) >> (16 - length)
			for at := int(from); at < len(h.table); at += 1 << length {
				h.table[at] = entry
			}
			code++
		}
		code <<= 1
	}
}
