package cbor

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Member is one member of a map that is written; its key is a string or an int.
type Member struct {
	Key   any
	Value any
}

// Members is a map that is written in the order given: producers of C2PA keep one, and so do we.
type Members []Member

// TagOf is a tagged value that is written.
type TagOf struct {
	Number  uint64
	Content any
}

// Encoded is CBOR that is written as it is.
type Encoded []byte

// Encode writes nil, bool, int, int64, uint64, float64, string, []byte, []any, []string, Members, TagOf, Encoded and
// Value, with lengths and numbers in their shortest form (RFC 8949, section 4.2.1). A Value is written in the bytes that
// it was read from, the absent one as undefined. Encode panics over any other type: a fault of ours.
func Encode(v any) []byte { return appendItem(nil, v) }

func appendItem(out []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, 0xF6)
	case bool:
		if v {
			return append(out, 0xF5)
		}
		return append(out, 0xF4)
	case int:
		return appendInt(out, int64(v))
	case int64:
		return appendInt(out, v)
	case uint64:
		return appendHead(out, majorUnsigned, v)
	case float64:
		return appendFloat(out, v)
	case string:
		return append(appendHead(out, majorText, uint64(len(v))), v...)
	case []byte:
		return append(appendHead(out, majorBytes, uint64(len(v))), v...)
	case []any:
		return appendList(out, v)
	case []string:
		return appendList(out, v)
	case Members:
		out = appendHead(out, majorMap, uint64(len(v)))
		for _, m := range v {
			out = appendItem(appendItem(out, m.Key), m.Value)
		}
		return out
	case TagOf:
		return appendItem(appendHead(out, majorTag, v.Number), v.Content)
	case Encoded:
		return append(out, v...)
	case Value:
		if v.kind == Absent {
			return append(out, 0xF7)
		}
		return append(out, v.raw...)
	}
	panic(fmt.Sprintf("cbor: no CBOR for %T", v))
}

func appendList[E any](out []byte, list []E) []byte {
	out = appendHead(out, majorArray, uint64(len(list)))
	for _, e := range list {
		out = appendItem(out, e)
	}
	return out
}

func appendInt(out []byte, n int64) []byte {
	if n < 0 {
		return appendHead(out, majorNegative, uint64(-1-n))
	}
	return appendHead(out, majorUnsigned, uint64(n))
}

func appendHead(out []byte, major byte, n uint64) []byte {
	big := binary.BigEndian
	major <<= 5
	switch {
	case n < 24:
		return append(out, major|byte(n))
	case n <= math.MaxUint8:
		return append(out, major|24, byte(n))
	case n <= math.MaxUint16:
		return big.AppendUint16(append(out, major|25), uint16(n))
	case n <= math.MaxUint32:
		return big.AppendUint32(append(out, major|26), uint32(n))
	}
	return big.AppendUint64(append(out, major|27), n)
}

func appendFloat(out []byte, f float64) []byte {
	const start = majorSimple << 5
	if bits, ok := toHalf(f); ok {
		return binary.BigEndian.AppendUint16(append(out, start|25), bits)
	}
	if float64(float32(f)) == f {
		return binary.BigEndian.AppendUint32(append(out, start|26), math.Float32bits(float32(f)))
	}
	return binary.BigEndian.AppendUint64(append(out, start|27), math.Float64bits(f))
}

// identity is the same for scalars that are one as keys (RFC 8949, section 5.6.1): lengths in their shortest form, strings
// in one piece. Arrays, maps and tags have none.
func (v Value) identity() (key string, ok bool) {
	switch v.kind {
	case Integer:
		if v.minus {
			return string(appendHead(nil, majorNegative, v.num)), true
		}
		return string(appendHead(nil, majorUnsigned, v.num)), true
	case Bytes:
		return "b" + string(v.str), true
	case Text:
		return "t" + string(v.str), true
	case Float:
		return string(appendFloat(nil, math.Float64frombits(v.num))), true
	case Bool, Null, Undefined, Simple:
		return string(v.raw), true
	case Absent, Array, Map, Tag:
	}
	return "", false
}
