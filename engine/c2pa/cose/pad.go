package cose

import "veracity/engine/c2pa/cbor"

// Headers of padding. The second is there for the lengths that one cannot reach, where the head of its byte string grows.
const (
	padLabel  = "pad"
	pad2Label = "pad2"
)

// padded writes the signature with its padding, exactly size bytes long.
func (s Signature) padded(unprotected cbor.Members, size int) ([]byte, error) {
	plain := s.encode(unprotected)
	missing := size - len(plain)
	if missing == 0 {
		return plain, nil
	}
	pads, ok := padding(missing)
	if !ok {
		return nil, invalid("%d bytes have no room in %d", len(plain), size)
	}
	return s.encode(append(unprotected, pads...)), nil
}

func (s Signature) encode(unprotected cbor.Members) []byte {
	return cbor.Encode(cbor.TagOf{Number: tagSign1, Content: []any{s.protected, unprotected, nil, s.signature}})
}

// padding are headers that take that many bytes. Fewer than five cannot be had.
func padding(missing int) (cbor.Members, bool) {
	if n, ok := zeros(missing - len(cbor.Encode(padLabel))); ok {
		return cbor.Members{{Key: padLabel, Value: make([]byte, n)}}, true
	}
	first := cbor.Members{{Key: padLabel, Value: []byte{}}}
	rest := missing - len(cbor.Encode(padLabel)) - 1
	if n, ok := zeros(rest - len(cbor.Encode(pad2Label))); ok {
		return append(first, cbor.Member{Key: pad2Label, Value: make([]byte, n)}), true
	}
	return nil, false
}

// zeros is the length of the byte string that takes exactly so many bytes with its head. Some lengths cannot be had: a
// string of 23 bytes takes 24, one of 24 takes 26.
func zeros(total int) (int, bool) {
	if total > MaxSize {
		return 0, false
	}
	for _, head := range []int{1, 2, 3, 5} {
		if n := total - head; n >= 0 && headLength(n) == head {
			return n, true
		}
	}
	return 0, false
}

// headLength is how many bytes the head of a byte string takes (RFC 8949, section 3).
func headLength(n int) int {
	switch {
	case n < 24:
		return 1
	case n < 1<<8:
		return 2
	case n < 1<<16:
		return 3
	default:
		return 5
	}
}
