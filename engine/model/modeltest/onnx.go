// Package modeltest makes small networks and their folders for tests and benchmarks, so that what loads and runs models is
// tested without the models themselves. It writes the few parts of ONNX's format that they need.
package modeltest

import (
	"encoding/binary"
	"math"
)

// Field numbers and types of onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).
const (
	typeFloat, typeInt64 = 1, 7
	attributeInts        = 7
	opset, irVersion     = 13, 8
)

// message is a protocol buffer under way: https://protobuf.dev/programming-guides/encoding/
type message []byte

func (m message) number(field int, value int64) message {
	m = binary.AppendUvarint(m, uint64(field)<<3) //nolint:gosec // Field numbers are small.
	return binary.AppendUvarint(m, uint64(value)) //nolint:gosec // The format has negative numbers wrap around.
}

func (m message) bytes(field int, value []byte) message {
	m = binary.AppendUvarint(m, uint64(field)<<3|2) //nolint:gosec // Field numbers are small.
	m = binary.AppendUvarint(m, uint64(len(value)))
	return append(m, value...)
}

func (m message) text(field int, value string) message { return m.bytes(field, []byte(value)) }

// Free is a dimension that a network leaves open.
const Free = -1

// Tensor is an input or output as a network declares it.
type Tensor struct {
	Name string
	Dims []int64
	// Int64 makes it one of whole numbers, which no lane takes.
	Int64 bool
}

func (t Tensor) info() message {
	var shape message
	for _, d := range t.Dims {
		dim := message{}.number(1, d)
		if d == Free {
			dim = message{}.text(2, "N")
		}
		shape = shape.bytes(1, dim)
	}
	kind := int64(typeFloat)
	if t.Int64 {
		kind = typeInt64
	}
	return message{}.text(1, t.Name).bytes(2, message{}.bytes(1, message{}.number(1, kind).bytes(2, shape)))
}

// node is one operator.
func node(op string, inputs []string, output string, attributes ...message) message {
	var m message
	for _, name := range inputs {
		m = m.text(1, name)
	}
	m = m.text(2, output).text(3, output).text(4, op)
	for _, a := range attributes {
		m = m.bytes(5, a)
	}
	return m
}

// ints is a list as an attribute.
func ints(name string, values ...int64) message {
	m := message{}.text(1, name)
	for _, v := range values {
		m = m.number(8, v)
	}
	return m.number(20, attributeInts)
}

// integer is a number as an attribute.
func integer(name string, value int64) message {
	return message{}.text(1, name).number(3, value).number(20, 2)
}

// floats is a constant tensor.
func floats(name string, dims []int64, values []float32) message {
	var m message
	for _, d := range dims {
		m = m.number(1, d)
	}
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return m.number(2, typeFloat).text(8, name).bytes(9, raw)
}

// graph is a network under way.
type graph struct{ nodes, constants []message }

func (g *graph) add(n message) { g.nodes = append(g.nodes, n) }
func (g *graph) constant(name string, dims []int64, values []float32) {
	g.constants = append(g.constants, floats(name, dims, values))
}

// onnx is the network's file.
func (g *graph) onnx(inputs []Tensor, output Tensor) []byte {
	var m message
	for _, n := range g.nodes {
		m = m.bytes(1, n)
	}
	m = m.text(2, "test")
	for _, c := range g.constants {
		m = m.bytes(5, c)
	}
	for _, in := range inputs {
		m = m.bytes(11, in.info())
	}
	m = m.bytes(12, output.info())
	return message{}.number(1, irVersion).bytes(7, m).bytes(8, message{}.number(2, opset))
}
