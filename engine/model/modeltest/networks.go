package modeltest

import (
	"fmt"
	"math/rand/v2"
)

// Mean is a network that gives Weights[k] * m + Bias[k] for each class k, m being the mean of a row's input.
type Mean struct {
	Input Tensor
	// More are further inputs, which nothing reads but to be there.
	More          []Tensor
	Output        string
	Weights, Bias []float32
	// Sigmoid turns the values into probabilities.
	Sigmoid bool
	// Repeat has the network give every row twice.
	Repeat bool
}

// ONNX is the network's file.
func (n Mean) ONNX() []byte {
	var g graph
	classes := int64(len(n.Weights))
	axes := make([]int64, len(n.Input.Dims)-1)
	for i := range axes {
		axes[i] = int64(i + 1)
	}
	g.add(node("ReduceMean", []string{n.Input.Name}, "mean", ints("axes", axes...), integer("keepdims", 0)))
	g.add(node("Unsqueeze", []string{"mean", "one"}, "column"))
	g.constants = append(g.constants, message{}.number(1, 1).number(2, typeInt64).number(7, 1).text(8, "one"))
	g.constant("weights", []int64{1, classes}, n.Weights)
	g.constant("bias", []int64{classes}, n.Bias)
	g.add(node("MatMul", []string{"column", "weights"}, "product"))
	last := "sum"
	g.add(node("Add", []string{"product", "bias"}, last))
	if n.Sigmoid {
		g.add(node("Sigmoid", []string{last}, "probability"))
		last = "probability"
	}
	if n.Repeat {
		g.add(node("Concat", []string{last, last}, "repeated", integer("axis", 0)))
		last = "repeated"
	}
	for i, more := range n.More {
		g.add(node("Identity", []string{more.Name}, fmt.Sprintf("unused%d", i)))
	}
	g.add(node("Identity", []string{last}, n.Output))
	return g.onnx(append([]Tensor{n.Input}, n.More...), Tensor{Name: n.Output, Dims: []int64{Free, classes}})
}

// Convolutions is a network of the size of the product's own: 3x3 convolutions of the given widths, of which each but the
// first halves its input's sides, over pictures of side x side, pooled into one logit. It returns its parameters' number
// as well. Its weights are random, by a fixed seed.
func Convolutions(side int64, widths ...int64) (onnx []byte, parameters int) {
	var g graph
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // Weights of a benchmark.
	draw := func(name string, dims ...int64) {
		count := 1
		for _, d := range dims {
			count *= int(d)
		}
		values := make([]float32, count)
		for i := range values {
			values[i] = float32(random.NormFloat64()) / 10
		}
		g.constant(name, dims, values)
		parameters += count
	}
	const kernel = 3
	last, before := "x", int64(3)
	for i, width := range widths {
		stride := int64(2)
		if i == 0 {
			stride = 1
		}
		layer := fmt.Sprintf("layer%d", i)
		draw(layer+".weight", width, before, kernel, kernel)
		draw(layer+".bias", width)
		g.add(node("Conv", []string{last, layer + ".weight", layer + ".bias"}, layer,
			ints("kernel_shape", kernel, kernel), ints("pads", 1, 1, 1, 1), ints("strides", stride, stride)))
		g.add(node("Relu", []string{layer}, layer+".relu"))
		last, before = layer+".relu", width
	}
	g.add(node("GlobalAveragePool", []string{last}, "pooled"))
	g.add(node("Flatten", []string{"pooled"}, "flat"))
	draw("head", before, 1)
	g.add(node("MatMul", []string{"flat", "head"}, "y"))
	return g.onnx([]Tensor{{Name: "x", Dims: []int64{Free, 3, side, side}}}, Tensor{Name: "y", Dims: []int64{Free, 1}}), parameters
}
