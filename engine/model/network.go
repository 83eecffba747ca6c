package model

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	ort "github.com/yalue/onnxruntime_go"
)

// network is a session of ONNX Runtime, which many goroutines may run at once. It computes one row at a time: on one
// thread several at once took as long for each or longer (networks of 52,000 and 430,000 parameters, docs/decisions/0015),
// hold that much more memory, and cannot be called off in between.
type network struct {
	session *ort.DynamicAdvancedSession
	// shape is the shape of an input of one row.
	shape ort.Shape
	// width is how many values the network gives for it.
	width int
}

// newNetwork makes a session of the network, holds its inputs and outputs against the spec, and tries it with zeros.
func newNetwork(onnx []byte, spec Spec, threads int) (*network, error) {
	inputs, outputs, err := ort.GetInputOutputInfoWithONNXData(onnx)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", networkFile, err)
	}
	n := &network{shape: spec.Input.shape()}
	if err := n.checkInput(inputs, spec.Input); err != nil {
		return nil, fmt.Errorf("%s: %w", networkFile, err)
	}
	if n.width, err = checkOutput(outputs, spec.Output); err != nil {
		return nil, fmt.Errorf("%s: %w", networkFile, err)
	}
	options, err := sessionOptions(threads)
	if err != nil {
		return nil, err
	}
	defer func() { _ = options.Destroy() }()
	n.session, err = ort.NewDynamicAdvancedSessionWithONNXData(onnx, []string{spec.Input.Name}, []string{spec.Output.Name}, options)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be loaded: %w", networkFile, err)
	}
	if err := n.try(spec); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", networkFile, err), n.close())
	}
	return n, nil
}

// sessionOptions set the threads on purpose. By default the library takes every core for each run and lets its threads
// spin between the parts of one: engines run as many files at once as they have cores, so that would be cores times cores
// threads that keep each other, libvips and ffmpeg from working. One thread computes on the caller's own; operators of
// one follow the other, for the same reason.
func sessionOptions(threads int) (*ort.SessionOptions, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("set up a session: %w", err)
	}
	err = errors.Join(
		options.SetIntraOpNumThreads(threads),
		options.SetInterOpNumThreads(1),
		options.SetExecutionMode(ort.ExecutionModeSequential),
		options.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		options.AddSessionConfigEntry("session.inter_op.allow_spinning", "0"),
		options.SetLogSeverityLevel(ort.LoggingLevelFatal),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set up a session: %w", err), options.Destroy())
	}
	return options, nil
}

func (n *network) close() error { return n.session.Destroy() }

// shape is the shape of a batch of one.
func (in Input) shape() ort.Shape {
	switch in.Layout {
	case "nchw":
		return ort.Shape{1, channels, int64(in.Height), int64(in.Width)}
	case "nhwc":
		return ort.Shape{1, int64(in.Height), int64(in.Width), channels}
	}
	return ort.Shape{1, int64(in.Samples)}
}

func (n *network) checkInput(inputs []ort.InputOutputInfo, in Input) error {
	found, err := one("input", inputs, in.Name)
	if err != nil {
		return err
	}
	if len(inputs) > 1 {
		return fmt.Errorf("it has the inputs %s: one alone is given, %q", names(inputs), in.Name)
	}
	// A dimension below 0 is one that the network leaves open.
	fits := func(found, wanted int64) bool { return found < 0 || found == wanted }
	if !slices.EqualFunc(found.Dimensions, n.shape, fits) {
		return fmt.Errorf("its input %q is %s: %s is needed by what %s says, or an open batch in place of the 1",
			in.Name, dimensions(found.Dimensions), dimensions(n.shape), specFile)
	}
	return nil
}

// checkOutput answers how many values a row has.
func checkOutput(outputs []ort.InputOutputInfo, out Output) (width int, err error) {
	found, err := one("output", outputs, out.Name)
	if err != nil {
		return 0, err
	}
	dims := found.Dimensions
	if out.Kind != Logits {
		if len(dims) == 1 || (len(dims) == 2 && (dims[1] == 1 || dims[1] < 0)) {
			return 1, nil
		}
		return 0, fmt.Errorf("its output %q is %s: N or Nx1 is needed for kind %q", out.Name, dimensions(dims), out.Kind)
	}
	if len(dims) != 2 || dims[1] < 2 || dims[1] > maxClasses {
		return 0, fmt.Errorf("its output %q is %s: NxK with 2 to %d classes is needed for kind %q", out.Name, dimensions(dims), maxClasses, out.Kind)
	}
	width = int(dims[1])
	least := 2
	if out.Other != nil {
		least++
		if *out.Other >= width {
			return 0, fmt.Errorf("its output %q has %d classes: output.other is %d", out.Name, width, *out.Other)
		}
	}
	if out.AI >= width {
		return 0, fmt.Errorf("its output %q has %d classes: output.ai is %d", out.Name, width, out.AI)
	}
	if width < least {
		return 0, fmt.Errorf("its output %q has %d classes: one beside output.ai and output.other is needed", out.Name, width)
	}
	return width, nil
}

// one is the float32 tensor of that name.
func one(what string, infos []ort.InputOutputInfo, name string) (ort.InputOutputInfo, error) {
	at := slices.IndexFunc(infos, func(i ort.InputOutputInfo) bool { return i.Name == name })
	if at < 0 {
		return ort.InputOutputInfo{}, fmt.Errorf("it has no %s %q, as %s names it: it has %s", what, name, specFile, names(infos))
	}
	if infos[at].OrtValueType != ort.ONNXTypeTensor || infos[at].DataType != ort.TensorElementDataTypeFloat {
		return ort.InputOutputInfo{}, fmt.Errorf("its %s %q is no tensor of float32", what, name)
	}
	return infos[at], nil
}

func names(infos []ort.InputOutputInfo) string {
	quoted := make([]string, len(infos))
	for i, info := range infos {
		quoted[i] = strconv.Quote(info.Name)
	}
	return strings.Join(quoted, ", ")
}

// dimensions writes a shape as 1x3x224x224, with a question mark for what is left open.
func dimensions(dims []int64) string {
	words := make([]string, len(dims))
	for i, d := range dims {
		words[i] = "?"
		if d >= 0 {
			words[i] = strconv.FormatInt(d, 10)
		}
	}
	return strings.Join(words, "x")
}

// try runs the network on zeros.
func (n *network) try(spec Spec) error {
	values, err := n.run(make([]float32, spec.Input.values()))
	if err == nil {
		_, err = spec.Output.row(values)
	}
	if err != nil {
		return fmt.Errorf("a try with zeros failed: %w", err)
	}
	return nil
}

// run computes one row.
func (n *network) run(input []float32) ([]float32, error) {
	// The library keeps the pointer for as long as the tensor lives.
	var pinner runtime.Pinner
	pinner.Pin(&input[0])
	defer pinner.Unpin()
	in, err := ort.NewTensor(n.shape, input)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Destroy() }()
	outputs := []ort.Value{nil}
	if err := n.session.Run([]ort.Value{in}, outputs); err != nil {
		return nil, err
	}
	defer func() { _ = outputs[0].Destroy() }()
	out, ok := outputs[0].(*ort.Tensor[float32])
	if !ok {
		return nil, errors.New("the network gave no tensor of float32")
	}
	if len(out.GetData()) != n.width {
		return nil, fmt.Errorf("the network gave %s: %d values are needed", dimensions(out.GetShape()), n.width)
	}
	return out.GetData(), nil
}
