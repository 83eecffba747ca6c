package carrier

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"veracity/engine/c2pa/jumbf"
)

// storeHead is how much of a box tells whether it is a manifest store.
const storeHead = 16 + 8 + 16

// isStore tells a manifest store by its beginning (specification 2.2, section 11.1.4.2).
func isStore(head []byte) bool {
	kind, ok := described(head)
	return ok && kind == jumbf.Store
}

// described is the type that the description of a JUMBF superbox states (ISO 19566-5, clause 5).
func described(head []byte) (kind [16]byte, ok bool) {
	if len(head) < 8 || string(head[4:8]) != "jumb" {
		return kind, false
	}
	at := boxHeader(head)
	if len(head) < at+24 || string(head[at+4:at+8]) != "jumd" {
		return kind, false
	}
	return [16]byte(head[at+8:]), true
}

// boxHeader is the size of a box's header: a length of 1 says that the true one takes eight bytes more.
func boxHeader(box []byte) int {
	if box[0] == 0 && box[1] == 0 && box[2] == 0 && box[3] == 1 {
		return 16
	}
	return 8
}

// complete says whether a store has all the bytes that it says it has.
func complete(store []byte) error {
	if n := boxLength(store); n > uint64(len(store)) || n > 0 && n < storeHead-8 {
		return fmt.Errorf("%w: of the %d bytes that it states %d are there", ErrBroken, n, len(store))
	}
	return nil
}

// boxLength is the length that a whole box states for itself, 0 for up to its end.
func boxLength(box []byte) uint64 {
	if boxHeader(box) == 16 {
		return binary.BigEndian.Uint64(box[8:])
	}
	return uint64(binary.BigEndian.Uint32(box))
}

// parts walks the boxes in a superbox that is whole, as far as they are.
func parts(store []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		store = trimmed(store)
		end := uint64(len(store))
		for at := uint64(boxHeader(store)); at+16 <= end; { //nolint:gosec // 8 or 16.
			size := boxLength(store[at:])
			if size < 8 || size > end-at || !yield(store[at:at+size]) {
				return
			}
			at += size
		}
	}
}

// isUpdated says whether the last manifest of a store is an update manifest.
func isUpdated(store []byte) bool {
	var last [16]byte
	for x := range parts(store) {
		if kind, ok := described(x); ok {
			last = kind
		}
	}
	return last == jumbf.UpdateManifest
}

// joinStores appends what the second superbox has behind its description to the first; both are whole.
func joinStores(first, second []byte) ([]byte, bool) {
	first, second = trimmed(first), trimmed(second)
	var description []byte
	for description = range parts(second) {
		break
	}
	if description == nil {
		return nil, false
	}
	store := slices.Concat(first, second[boxHeader(second)+len(description):])
	if size := uint64(len(store)); boxHeader(store) == 16 {
		binary.BigEndian.PutUint64(store[8:], size)
	} else {
		binary.BigEndian.PutUint32(store, uint32(size)) //nolint:gosec // MaxStore at most.
	}
	return store, true
}

// trimmed is a whole box without what follows it.
func trimmed(box []byte) []byte {
	if n := boxLength(box); n > 0 {
		return box[:n]
	}
	return box
}
