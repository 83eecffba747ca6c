package cbor

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	// maxDepth bounds how deep items may nest; manifests need some eight levels.
	maxDepth = 64
	// maxItems bounds the items of one document, chunks of strings among them.
	maxItems = 100_000
	// indefinite is the additional information of items that end with a break (RFC 8949, section 3.2).
	indefinite = 31
	breakCode  = 0xFF
)

// Major types (RFC 8949, section 3.1).
const (
	majorUnsigned = iota
	majorNegative
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple
)

// Decode reads exactly one item and nothing behind it. Refused with ErrInvalid: what RFC 8949 calls not well-formed or
// not valid (duplicate keys, text that is no UTF-8), deeper than 64, more than 100,000 items, and keys that are
// arrays, maps or tags. Whether a tag suits its content is for its reader to say.
func Decode(data []byte) (Value, error) {
	d := decoder{data: data}
	v, err := d.item(1)
	if err != nil {
		return Value{}, err
	}
	if d.at != len(data) {
		return Value{}, d.bad("bytes behind the item")
	}
	return v, nil
}

// decoder walks over data. Nothing is allocated by lengths that data only claims.
type decoder struct {
	data  []byte
	at    int
	items int
}

func (d *decoder) bad(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrInvalid, what, d.at)
}

// head is the first byte of an item with its argument.
type head struct {
	major, info byte
	argument    uint64
}

// header reads a head (RFC 8949, section 3). Heads of 31 have no argument.
func (d *decoder) header() (head, error) {
	if d.at == len(d.data) {
		return head{}, d.bad("the end within an item")
	}
	if d.items++; d.items > maxItems {
		return head{}, d.bad("too many items")
	}
	h := head{major: d.data[d.at] >> 5, info: d.data[d.at] & 31}
	d.at++
	switch {
	case h.info < 24:
		h.argument = uint64(h.info)
		return h, nil
	case h.info == indefinite:
		return h, nil
	case h.info > 27:
		return head{}, d.bad("a reserved length")
	}
	width := 1 << (h.info - 24)
	if len(d.data)-d.at < width {
		return head{}, d.bad("the end within a length")
	}
	var wide [8]byte
	copy(wide[8-width:], d.data[d.at:])
	h.argument = binary.BigEndian.Uint64(wide[:])
	d.at += width
	return h, nil
}

// item reads one item; depth counts from 1.
func (d *decoder) item(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, d.bad("items nested too deep")
	}
	start := d.at
	h, err := d.header()
	if err != nil {
		return Value{}, err
	}
	var v Value
	switch h.major {
	case majorUnsigned, majorNegative:
		v = Value{kind: Integer, num: h.argument, minus: h.major == majorNegative}
		if h.info == indefinite {
			return Value{}, d.bad("an integer without length")
		}
	case majorBytes, majorText:
		v, err = d.str(h)
	case majorArray, majorMap:
		v, err = d.container(h, depth)
	case majorTag:
		v, err = d.tag(h, depth)
	default:
		v, err = d.simple(h)
	}
	if err != nil {
		return Value{}, err
	}
	v.raw = d.data[start:d.at:d.at]
	return v, nil
}

// atBreak steps over the break that ends an item of indefinite length.
func (d *decoder) atBreak() bool {
	if d.at < len(d.data) && d.data[d.at] == breakCode {
		d.at++
		return true
	}
	return false
}

// str reads a string; one of indefinite length is put together from its chunks, each of which is a string of its own
// (section 3.2.3).
func (d *decoder) str(h head) (Value, error) {
	v := Value{kind: Bytes}
	if h.major == majorText {
		v.kind = Text
	}
	var err error
	if h.info != indefinite {
		v.str, err = d.chunk(h)
		return v, err
	}
	v.str = []byte{}
	for !d.atBreak() {
		part, err := d.header()
		if err != nil {
			return Value{}, err
		}
		if part.major != h.major || part.info == indefinite {
			return Value{}, d.bad("a chunk of another kind")
		}
		chunk, err := d.chunk(part)
		if err != nil {
			return Value{}, err
		}
		v.str = append(v.str, chunk...)
	}
	return v, nil
}

func (d *decoder) chunk(h head) ([]byte, error) {
	if h.argument > uint64(len(d.data)-d.at) { //nolint:gosec // at stays within data.
		return nil, d.bad("the end within a string")
	}
	end := d.at + int(h.argument) //nolint:gosec // Fits data, as just checked.
	chunk := d.data[d.at:end:end]
	if h.major == majorText && !utf8.Valid(chunk) {
		return nil, d.bad("text that is no UTF-8")
	}
	d.at = end
	return chunk, nil
}

// container reads an array or a map.
func (d *decoder) container(h head, depth int) (Value, error) {
	v := Value{kind: Array}
	each := uint64(1)
	if h.major == majorMap {
		v.kind, each = Map, 2
	}
	if h.info != indefinite && h.argument > uint64(len(d.data)-d.at)/each { //nolint:gosec // As above. Every item takes a byte at least.
		return Value{}, d.bad("the end within an array or map")
	}
	var keys map[string]struct{}
	if v.kind == Map {
		keys = map[string]struct{}{}
	}
	for n := uint64(0); h.info == indefinite || n < h.argument*each; n++ {
		if h.info == indefinite && n%each == 0 && d.atBreak() {
			break
		}
		element, err := d.item(depth + 1)
		if err != nil {
			return Value{}, err
		}
		if v.kind == Map && n%2 == 0 {
			key, ok := element.identity()
			if _, twice := keys[key]; twice || !ok {
				return Value{}, d.bad("a key twice, or one of several items")
			}
			keys[key] = struct{}{}
		}
		v.list = append(v.list, element)
	}
	return v, nil
}

func (d *decoder) tag(h head, depth int) (Value, error) {
	if h.info == indefinite {
		return Value{}, d.bad("a tag without number")
	}
	content, err := d.item(depth + 1)
	if err != nil {
		return Value{}, err
	}
	return Value{kind: Tag, num: h.argument, list: []Value{content}}, nil
}

// simple reads major type 7: floating-point numbers and simple values (section 3.3).
func (d *decoder) simple(h head) (Value, error) {
	switch h.info {
	case 20, 21:
		return Value{kind: Bool, num: uint64(h.info - 20)}, nil
	case 22:
		return Value{kind: Null}, nil
	case 23:
		return Value{kind: Undefined}, nil
	case 25:
		return float(half(uint16(h.argument))), nil //nolint:gosec // Two bytes were read.
	case 26:
		return float(float64(math.Float32frombits(uint32(h.argument)))), nil //nolint:gosec // Four bytes were read.
	case 27:
		return float(math.Float64frombits(h.argument)), nil
	case indefinite:
		return Value{}, d.bad("a break without anything to end")
	case 24:
		if h.argument < 32 {
			return Value{}, d.bad("a simple value of two bytes that has one")
		}
	}
	return Value{kind: Simple, num: h.argument}, nil
}

func float(f float64) Value { return Value{kind: Float, num: math.Float64bits(f)} }
