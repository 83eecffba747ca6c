// Package cbor reads and writes the CBOR (RFC 8949) of C2PA: strictly, within bounds, and so that the very bytes that
// were hashed or signed stay at hand.
package cbor

import (
	"errors"
	"math"
)

// ErrInvalid wraps every complaint about bytes that are no CBOR, or more of it than a manifest needs.
var ErrInvalid = errors.New("invalid CBOR")

// Kind is the sort of a value. The zero Kind is Absent: what is not there.
type Kind int

// Kinds of values. Simple is a simple value other than those that have a kind of their own.
const (
	Absent Kind = iota
	Integer
	Bytes
	Text
	Array
	Map
	Tag
	Bool
	Null
	Undefined
	Float
	Simple
)

// Value is one decoded item. The zero Value is absent: its accessors answer false, nil or absent.
type Value struct {
	kind Kind
	raw  []byte
	// num is the magnitude of an integer (n of -1-n with minus), the bits of a float64, the number of a tag or of a simple
	// value, and 1 for true.
	num   uint64
	minus bool
	str   []byte
	list  []Value // elements; for maps key, value, key, value …; for tags the content
}

// Kind is the sort of the value.
func (v Value) Kind() Kind { return v.kind }

// Raw is the value's own bytes as they stand in what was decoded.
func (v Value) Raw() []byte { return v.raw }

// Text is a text string.
func (v Value) Text() (string, bool) {
	if v.kind != Text {
		return "", false
	}
	return string(v.str), true
}

// Bytes is a byte string, a slice of what was decoded; one of several chunks is put together anew.
func (v Value) Bytes() ([]byte, bool) {
	if v.kind != Bytes {
		return nil, false
	}
	return v.str, true
}

// Int is an integer that fits.
func (v Value) Int() (int64, bool) {
	if v.kind != Integer || v.num > math.MaxInt64 {
		return 0, false
	}
	n := int64(v.num)
	if v.minus {
		n = -1 - n
	}
	return n, true
}

// Float is a floating-point number, or an integer as one.
func (v Value) Float() (float64, bool) {
	switch {
	case v.kind == Float:
		return math.Float64frombits(v.num), true
	case v.kind != Integer:
		return 0, false
	case v.minus:
		return -1 - float64(v.num), true
	}
	return float64(v.num), true
}

// Bool is true or false.
func (v Value) Bool() (value, ok bool) { return v.kind == Bool && v.num == 1, v.kind == Bool }

// Elements are those of an array, nil for all else.
func (v Value) Elements() []Value {
	if v.kind != Array {
		return nil
	}
	return v.list
}

// Pair is one member of a map.
type Pair struct{ Key, Value Value }

// Pairs are the members of a map in their order, nil for all else.
func (v Value) Pairs() []Pair {
	if v.kind != Map {
		return nil
	}
	pairs := make([]Pair, 0, len(v.list)/2)
	for i := 0; i < len(v.list); i += 2 {
		pairs = append(pairs, Pair{v.list[i], v.list[i+1]})
	}
	return pairs
}

// Get is the member of a map under a text key.
func (v Value) Get(key string) Value {
	return v.find(func(k Value) bool { return k.kind == Text && string(k.str) == key })
}

// GetInt is the member of a map under an integer key.
func (v Value) GetInt(key int64) Value {
	return v.find(func(k Value) bool {
		n, ok := k.Int()
		return ok && n == key
	})
}

func (v Value) find(is func(key Value) bool) Value {
	if v.kind != Map {
		return Value{}
	}
	for i := 0; i < len(v.list); i += 2 {
		if is(v.list[i]) {
			return v.list[i+1]
		}
	}
	return Value{}
}

// Tagged is the number and the content of a tagged value.
func (v Value) Tagged() (number uint64, content Value, ok bool) {
	if v.kind != Tag {
		return 0, Value{}, false
	}
	return v.num, v.list[0], true
}
