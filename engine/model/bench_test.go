package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/model"
	"veracity/engine/model/modeltest"
)

// benchSide is the side of the patches that the benchmarks' networks take.
const benchSide = 256

// benchNetworks are of about the size of the product's own pixels model, and of one with a tenth of its parameters.
func benchNetworks() map[string][]int64 {
	return map[string][]int64{"small": {16, 24, 32, 48, 64}, "own": {32, 48, 64, 96, 128, 192}}
}

func benchSpec() model.Spec {
	spec := modeltest.PixelsSpec()
	spec.Input.Width, spec.Input.Height = benchSide, benchSide
	return spec
}

// BenchmarkRun measures one patch on one thread.
func BenchmarkRun(b *testing.B) {
	for name, widths := range benchNetworks() {
		b.Run(name, func(b *testing.B) {
			onnx, parameters := modeltest.Convolutions(benchSide, widths...)
			m := modeltest.Open(b, benchSpec(), onnx)
			input := make([]float32, 3*benchSide*benchSide)
			for i := range input {
				input[i] = float32(i%251) / 251
			}
			for b.Loop() {
				_, err := m.Run(b.Context(), 1, input)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(parameters), "parameters")
		})
	}
}

// BenchmarkOpen measures loading, the tries included.
func BenchmarkOpen(b *testing.B) {
	for name, widths := range benchNetworks() {
		b.Run(name, func(b *testing.B) {
			onnx, _ := modeltest.Convolutions(benchSide, widths...)
			cfg := model.Config{
				Library: modeltest.Library(b), Dir: modeltest.Folder(b, benchSpec(), onnx), Lane: model.Pixels, Threads: 1,
			}
			for b.Loop() {
				m, err := model.Open(cfg)
				require.NoError(b, err)
				require.NoError(b, m.Close())
			}
		})
	}
}
