package modeltest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/model"
)

// Library is where ONNX Runtime's shared library lies on this machine. A test that needs it fails without it.
func Library(tb testing.TB) string {
	tb.Helper()
	path := model.FindLibrary()
	require.NotEmpty(tb, path, "ONNX Runtime's shared library is needed: run scripts/setup")
	return path
}

// Side and Samples are the sizes of the models that PixelsSpec and VoiceSpec describe.
const (
	Side    = 32
	Samples = 16000
)

// PixelsSpec describes a small pixels model whose logit is -10 for black and +10 for white pictures.
func PixelsSpec() model.Spec {
	calibration := model.Calibration{Points: [][2]float64{{-10, 0}, {10, 1}}, Band: model.Band{Real: 0.1, AI: 0.9}}
	return model.Spec{
		Format: model.Format, Lane: model.Pixels, Name: "brightness", Version: "1", Licence: "CC0-1.0",
		Input: model.Input{
			Name: "x", Layout: "nchw", Width: Side, Height: Side, Mean: []float64{0, 0, 0}, Std: []float64{1, 1, 1},
		},
		Crop:     model.Crop{Policy: model.Patches, Count: 4},
		Output:   model.Output{Name: "y", Kind: model.Logit},
		Profiles: map[model.Profile]model.Calibration{model.Image: calibration, model.Video: calibration},
	}
}

// PixelsNetwork is the network of PixelsSpec.
func PixelsNetwork() Mean {
	return Mean{
		Input: Tensor{Name: "x", Dims: []int64{Free, 3, Side, Side}}, Output: "y", Weights: []float32{20}, Bias: []float32{-10},
	}
}

// VoiceSpec describes a small voice model whose logit is 10 times the mean of the samples.
func VoiceSpec() model.Spec {
	calibration := model.Calibration{Points: [][2]float64{{-10, 0}, {10, 1}}, Band: model.Band{Real: 0.1, AI: 0.9}}
	return model.Spec{
		Format: model.Format, Lane: model.Voice, Name: "offset", Version: "1", Licence: "CC0-1.0",
		Input:    model.Input{Name: "x", Layout: "nt", Samples: Samples, Rate: model.VoiceRate},
		Output:   model.Output{Name: "y", Kind: model.Logit},
		Profiles: map[model.Profile]model.Calibration{model.Speech: calibration},
	}
}

// VoiceNetwork is the network of VoiceSpec.
func VoiceNetwork() Mean {
	return Mean{Input: Tensor{Name: "x", Dims: []int64{Free, Samples}}, Output: "y", Weights: []float32{10}, Bias: []float32{0}}
}

// Folder writes a model's folder and answers its path.
func Folder(tb testing.TB, spec model.Spec, onnx []byte) string {
	tb.Helper()
	dir := tb.TempDir()
	if spec.SHA256 == "" {
		sum := sha256.Sum256(onnx)
		spec.SHA256 = hex.EncodeToString(sum[:])
	}
	text, err := json.MarshalIndent(spec, "", "  ")
	require.NoError(tb, err)
	require.NoError(tb, os.WriteFile(filepath.Join(dir, "model.json"), text, 0o600))
	require.NoError(tb, os.WriteFile(filepath.Join(dir, "model.onnx"), onnx, 0o600))
	return dir
}

// Open loads a model from such a folder, for as long as the test runs.
func Open(tb testing.TB, spec model.Spec, onnx []byte) *model.Model {
	tb.Helper()
	m, err := model.Open(model.Config{Library: Library(tb), Dir: Folder(tb, spec, onnx), Lane: spec.Lane, Threads: 1})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, m.Close()) })
	return m
}
