package model_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine"
	"veracity/engine/model"
	"veracity/engine/model/modeltest"
)

// grey is n pictures of one shade, as the network takes them.
func grey(shades ...float32) []float32 {
	const size = 3 * modeltest.Side * modeltest.Side
	input := make([]float32, len(shades)*size)
	for i := range input {
		input[i] = shades[i/size]
	}
	return input
}

func TestRowsComeInTheOrderOfTheInput(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	shades := make([]float32, 37)
	for i := range shades {
		shades[i] = float32(i) / 40
	}
	rows, err := m.Run(t.Context(), len(shades), grey(shades...))
	require.NoError(t, err)
	require.Len(t, rows, len(shades))
	for i, row := range rows {
		require.InDelta(t, 20*float64(shades[i])-10, row.Raw, 1e-3)
		require.Zero(t, row.Other)
	}
}

func TestNoRowsAreNoRun(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	rows, err := m.Run(t.Context(), 0, nil)
	require.NoError(t, err)
	require.Empty(t, rows)
	_, err = m.Run(t.Context(), 2, grey(0.5))
	require.ErrorContains(t, err, "3072 values for 2 rows")
}

func TestARunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Run(ctx, 1, grey(0.5))
	require.ErrorIs(t, err, context.Canceled)
}

func TestManyRunAtOnce(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	errs := make(chan error)
	for i := range 8 {
		go func() {
			shade := float32(i) / 8
			rows, err := m.Run(context.WithoutCancel(t.Context()), 3, grey(shade, shade, shade))
			if err == nil && (rows[2].Raw < 20*float64(shade)-10.001 || rows[2].Raw > 20*float64(shade)-9.999) {
				err = context.DeadlineExceeded
			}
			errs <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-errs)
	}
}

func TestLogitsAreReadAgainstAllOtherClasses(t *testing.T) {
	t.Parallel()
	other := 2
	spec, network := modeltest.PixelsSpec(), modeltest.PixelsNetwork()
	spec.Output = model.Output{Name: "y", Kind: model.Logits, AI: 1, Other: &other}
	network.Weights, network.Bias = []float32{0, 0, 0}, []float32{1, 3, 2}
	m := modeltest.Open(t, spec, network.ONNX())
	rows, err := m.Run(t.Context(), 1, grey(0.5))
	require.NoError(t, err)
	require.InDelta(t, 0.68674, rows[0].Raw, 1e-5)  // 3 - ln(exp(1) + exp(2))
	require.InDelta(t, 0.2447, rows[0].Other, 1e-4) // exp(2) / (exp(1) + exp(2) + exp(3))
}

func TestProbabilitiesBecomeLogOdds(t *testing.T) {
	t.Parallel()
	spec, network := modeltest.PixelsSpec(), modeltest.PixelsNetwork()
	spec.Output.Kind, network.Sigmoid = model.Probability, true
	network.Weights = []float32{200}
	m := modeltest.Open(t, spec, network.ONNX())
	rows, err := m.Run(t.Context(), 2, grey(0.06, 1))
	require.NoError(t, err)
	require.InDelta(t, 2, rows[0].Raw, 1e-4)
	require.InDelta(t, 13.8, rows[1].Raw, 0.1, "a probability of 1 is read as one that a float32 can tell from it")
}

func TestWhatIsNotANumberIsAnError(t *testing.T) {
	t.Parallel()
	spec, network := modeltest.PixelsSpec(), modeltest.PixelsNetwork()
	network.Weights = []float32{3e38}
	m := modeltest.Open(t, spec, network.ONNX())
	_, err := m.Run(t.Context(), 1, grey(1e10))
	require.ErrorContains(t, err, "a finite number is needed")
}

func TestANetworkThatWasExportedForOneRowWillDo(t *testing.T) {
	t.Parallel()
	network := modeltest.PixelsNetwork()
	network.Input.Dims[0] = 1
	m := modeltest.Open(t, modeltest.PixelsSpec(), network.ONNX())
	rows, err := m.Run(t.Context(), 3, grey(0, 0.5, 1))
	require.NoError(t, err)
	require.InDelta(t, 10, rows[2].Raw, 1e-3)
}

func TestVoiceModelsTakeWindows(t *testing.T) {
	t.Parallel()
	m := modeltest.Open(t, modeltest.VoiceSpec(), modeltest.VoiceNetwork().ONNX())
	input := make([]float32, 2*modeltest.Samples)
	for i := modeltest.Samples; i < len(input); i++ {
		input[i] = 0.5
	}
	rows, err := m.Run(t.Context(), 2, input)
	require.NoError(t, err)
	require.InDelta(t, 0, rows[0].Raw, 1e-4)
	require.InDelta(t, 5, rows[1].Raw, 1e-3)
	lane, score := m.Judge(model.Speech, rows)
	require.Equal(t, engine.Lane{Verdict: engine.Uncertain, Score: 63}, lane)
	require.Equal(t, 2, score.Rows)
}
