package model_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"veracity/engine/model"
	"veracity/engine/model/modeltest"
)

// refused opens a folder and answers why that does not work.
func refused(t *testing.T, dir string, lane model.Lane) string {
	t.Helper()
	_, err := model.Open(model.Config{Library: modeltest.Library(t), Dir: dir, Lane: lane, Threads: 1})
	require.Error(t, err)
	require.Contains(t, err.Error(), dir)
	return err.Error()
}

func TestASpecNamesTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	other := 0
	image := func(change func(*model.Calibration)) func(*model.Spec) {
		return func(s *model.Spec) {
			c := s.Profiles[model.Image]
			change(&c)
			s.Profiles[model.Image] = c
		}
	}
	for want, spoil := range map[string]func(*model.Spec){
		"format is 2: 1 is needed":                            func(s *model.Spec) { s.Format = 2 },
		`lane is "voice": this setting takes a model of lane`: func(s *model.Spec) { s.Lane = model.Voice },
		`name is ""`:                                              func(s *model.Spec) { s.Name = "" },
		`name is "a@b"`:                                           func(s *model.Spec) { s.Name = "a@b" },
		`version is "1\n"`:                                        func(s *model.Spec) { s.Version = "1\n" },
		`licence is "": 1 to 100`:                                 func(s *model.Spec) { s.Licence = "" },
		`sha256 is "AB`:                                           func(s *model.Spec) { s.SHA256 = strings.Repeat("AB", 32) },
		`sha256 is "ab"`:                                          func(s *model.Spec) { s.SHA256 = "ab" },
		"input.name is empty":                                     func(s *model.Spec) { s.Input.Name = "" },
		`input.layout is "nt": "nchw" or "nhwc"`:                  func(s *model.Spec) { s.Input.Layout = "nt" },
		"input.width is 15: 16 to 1024":                           func(s *model.Spec) { s.Input.Width = 15 },
		"input.height is 1025: 16 to 1024":                        func(s *model.Spec) { s.Input.Height = 1025 },
		"input.mean has 2 values":                                 func(s *model.Spec) { s.Input.Mean = []float64{0, 0} },
		"input.mean[2] is 1e+300: -1000 to 1000 is needed":        func(s *model.Spec) { s.Input.Mean = []float64{0, 0, 1e300} },
		"input.std has 0 values":                                  func(s *model.Spec) { s.Input.Std = nil },
		"input.std[1] is 0: a number above 0":                     func(s *model.Spec) { s.Input.Std = []float64{1, 0, 1} },
		"input.samples and input.rate are for voice":              func(s *model.Spec) { s.Input.Rate = 16000 },
		`crop.policy is "": "patches" or "resize"`:                func(s *model.Spec) { s.Crop = model.Crop{} },
		"crop.count is 0: 1 to 64":                                func(s *model.Spec) { s.Crop.Count = 0 },
		"crop.count is 65: 1 to 64":                               func(s *model.Spec) { s.Crop.Count = 65 },
		`crop.count is 4: policy "resize"`:                        func(s *model.Spec) { s.Crop.Policy = model.Resize },
		"output.name is empty":                                    func(s *model.Spec) { s.Output.Name = "" },
		`output.kind is "score": "logit", "probability"`:          func(s *model.Spec) { s.Output.Kind = "score" },
		"output.ai and output.other are for kind":                 func(s *model.Spec) { s.Output.AI = 1 },
		"output.ai is -1":                                         func(s *model.Spec) { s.Output.Kind, s.Output.AI = model.Logits, -1 },
		"output.other is 0, as output.ai is":                      func(s *model.Spec) { s.Output.Kind, s.Output.Other = model.Logits, &other },
		`profiles lacks "video"`:                                  func(s *model.Spec) { delete(s.Profiles, model.Video) },
		`profiles holds "speech"`:                                 func(s *model.Spec) { s.Profiles[model.Speech] = s.Profiles[model.Image] },
		"profiles.image.points: how many is 0":                    image(func(c *model.Calibration) { c.Points = nil }),
		"profiles.image.points[1] is [1, 1] after [1, 0]":         image(func(c *model.Calibration) { c.Points = [][2]float64{{1, 0}, {1, 1}} }),
		"profiles.image.points[1] is [2, 0.1] after [1, 0.2]":     image(func(c *model.Calibration) { c.Points = [][2]float64{{1, 0.2}, {2, 0.1}} }),
		"profiles.image.points[0] has the probability 1.5":        image(func(c *model.Calibration) { c.Points = [][2]float64{{1, 1.5}} }),
		"profiles.image.band is real 0.9, ai 0.1: 0 <= real":      image(func(c *model.Calibration) { c.Band = model.Band{Real: 0.9, AI: 0.1} }),
		"profiles.image.band is real -0.1, ai 1: 0 <= real <= ai": image(func(c *model.Calibration) { c.Band = model.Band{Real: -0.1, AI: 1} }),
	} {
		spec := modeltest.PixelsSpec()
		spoil(&spec)
		says := refused(t, modeltest.Folder(t, spec, modeltest.PixelsNetwork().ONNX()), model.Pixels)
		require.Contains(t, says, "model.json: "+want)
	}
}

func TestAVoiceSpecNamesTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*model.Spec){
		`input.layout is "nchw": "nt" is needed`:           func(s *model.Spec) { s.Input.Layout = "nchw" },
		"input.name is empty":                              func(s *model.Spec) { s.Input.Name = "" },
		"input.samples is 100: 1600 to 480000":             func(s *model.Spec) { s.Input.Samples = 100 },
		"input.rate is 44100: 16000 is needed":             func(s *model.Spec) { s.Input.Rate = 44100 },
		"input.width, height, mean and std are for pixels": func(s *model.Spec) { s.Input.Width = 16 },
		"crop is for pixels models":                        func(s *model.Spec) { s.Crop.Count = 1 },
		`profiles lacks "speech"`:                          func(s *model.Spec) { s.Profiles = nil },
	} {
		spec := modeltest.VoiceSpec()
		spoil(&spec)
		says := refused(t, modeltest.Folder(t, spec, modeltest.VoiceNetwork().ONNX()), model.Voice)
		require.Contains(t, says, "model.json: "+want)
	}
}

func TestJSONIsReadStrictly(t *testing.T) {
	t.Parallel()
	good, err := json.Marshal(modeltest.PixelsSpec())
	require.NoError(t, err)
	for want, text := range map[string]string{
		`the field "licens" is unknown`:                 strings.Replace(string(good), `"licence"`, `"licens"`, 1),
		`input.width is a string`:                       strings.Replace(string(good), `"width":32`, `"width":"32"`, 1),
		"it is a array: one JSON object is needed":      "[]",
		"something follows the closing brace":           string(good) + "{}",
		"not well-formed JSON: unexpected EOF":          string(good[:len(good)-1]),
		"model.json is empty":                           "",
		"model.json has 1048577 bytes: at most 1048576": strings.Repeat(" ", 1<<20+1),
	} {
		dir := modeltest.Folder(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
		require.NoError(t, os.WriteFile(filepath.Join(dir, "model.json"), []byte(text), 0o600))
		require.Contains(t, refused(t, dir, model.Pixels), want)
	}
}

func TestACalibrationIsWrittenOut(t *testing.T) {
	t.Parallel()
	spec := modeltest.PixelsSpec()
	spec.Profiles[model.Image] = model.Calibration{Points: [][2]float64{{-1, 0.25}, {1, 0.75}}, Band: model.Band{Real: 0.125, AI: 0.875}}
	good, err := json.Marshal(spec)
	require.NoError(t, err)
	for old, spoilt := range map[string][2]string{
		`,"band":{"real":0.125,"ai":0.875}`: {"", "profiles.image.band lacks real or ai: both are needed"},
		`{"real":0.125,"ai":0.875}`:         {`{"real":0}`, "profiles.image.band lacks real or ai"},
		`"ai":0.875`:                        {`"ai":null`, "profiles.image.band lacks real or ai"},
		`[-1,0.25]`:                         {`[-1]`, "profiles.image.points[0] is no pair of numbers"},
		`[1,0.75]`:                          {`[1,0.75,1]`, "profiles.image.points[1] is no pair of numbers"},
		`1,0.75`:                            {`1,null`, "profiles.image.points[1] is no pair of numbers"},
	} {
		require.Contains(t, string(good), old)
		dir := modeltest.Folder(t, spec, modeltest.PixelsNetwork().ONNX())
		text := strings.Replace(string(good), old, spoilt[0], 1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "model.json"), []byte(text), 0o600))
		require.Contains(t, refused(t, dir, model.Pixels), "model.json: "+spoilt[1])
	}
}

func TestAFileThatIsNoneIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"model.json", "model.onnx"} {
		dir := modeltest.Folder(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
		require.Contains(t, refused(t, dir, model.Pixels), name+" is no regular file")
	}
}

func TestAFolderThatIsNotOneIsNamed(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "models")
	require.Contains(t, refused(t, missing, model.Pixels), "a folder with model.json and model.onnx is needed")
	dir := modeltest.Folder(t, modeltest.PixelsSpec(), modeltest.PixelsNetwork().ONNX())
	require.Contains(t, refused(t, filepath.Join(dir, "model.json"), model.Pixels), "this is a file")
	require.NoError(t, os.Remove(filepath.Join(dir, "model.onnx")))
	require.Contains(t, refused(t, dir, model.Pixels), "model.onnx: no such file or directory")
}

func TestAnotherNetworkThanTheSpecWasWrittenForIsRefused(t *testing.T) {
	t.Parallel()
	spec := modeltest.PixelsSpec()
	spec.SHA256 = strings.Repeat("0", 64)
	says := refused(t, modeltest.Folder(t, spec, modeltest.PixelsNetwork().ONNX()), model.Pixels)
	require.Regexp(t, `model.onnx: its SHA-256 is [0-9a-f]{64}, and model.json says 0{64}`, says)
}

func TestANetworkThatDoesNotFitItsSpecIsRefused(t *testing.T) {
	t.Parallel()
	other := 2
	nan := float32(math.NaN())
	for want, change := range map[string]func(*model.Spec, *modeltest.Mean){
		`it has no input "x", as model.json names it: it has "images"`: func(_ *model.Spec, n *modeltest.Mean) { n.Input.Name = "images" },
		`it has no output "y", as model.json names it: it has "logit"`: func(_ *model.Spec, n *modeltest.Mean) { n.Output = "logit" },
		`its input "x" is ?x3x64x64: 1x3x32x32 is needed`: func(_ *model.Spec, n *modeltest.Mean) {
			n.Input.Dims = []int64{modeltest.Free, 3, 64, 64}
		},
		`its input "x" is ?x3x32x32: 1x32x32x3 is needed`: func(s *model.Spec, _ *modeltest.Mean) { s.Input.Layout = "nhwc" },
		`its input "x" is 4x3x32x32: 1x3x32x32 is needed`: func(_ *model.Spec, n *modeltest.Mean) { n.Input.Dims[0] = 4 },
		`it has the inputs "x", "mask": one alone is given`: func(_ *model.Spec, n *modeltest.Mean) {
			n.More = []modeltest.Tensor{{Name: "mask", Dims: []int64{1}}}
		},
		"a try with zeros failed: the network gave 2x1: 1 values are needed": func(_ *model.Spec, n *modeltest.Mean) {
			n.Repeat = true
		},
		`its output "y" is ?x2: N or Nx1 is needed for kind "logit"`: func(_ *model.Spec, n *modeltest.Mean) {
			n.Weights, n.Bias = []float32{1, 2}, []float32{0, 0}
		},
		`its output "y" is ?x1: NxK with 2 to 1000 classes`: func(s *model.Spec, _ *modeltest.Mean) { s.Output.Kind = model.Logits },
		`its output "y" has 2 classes: output.other is 2`: func(s *model.Spec, n *modeltest.Mean) {
			s.Output.Kind, s.Output.Other = model.Logits, &other
			n.Weights, n.Bias = []float32{1, 2}, []float32{0, 0}
		},
		`its output "y" has 2 classes: output.ai is 2`: func(s *model.Spec, n *modeltest.Mean) {
			s.Output.Kind, s.Output.AI = model.Logits, 2
			n.Weights, n.Bias = []float32{1, 2}, []float32{0, 0}
		},
		"a try with zeros failed: the network gave NaN": func(_ *model.Spec, n *modeltest.Mean) { n.Bias = []float32{nan} },
		"a try with zeros failed: the network gave the probability -10": func(s *model.Spec, _ *modeltest.Mean) {
			s.Output.Kind = model.Probability
		},
	} {
		spec, network := modeltest.PixelsSpec(), modeltest.PixelsNetwork()
		change(&spec, &network)
		require.Contains(t, refused(t, modeltest.Folder(t, spec, network.ONNX()), model.Pixels), "model.onnx: "+want)
	}
	says := refused(t, modeltest.Folder(t, modeltest.PixelsSpec(), []byte("no network")), model.Pixels)
	require.Contains(t, says, "model.onnx cannot be read")
}

func TestABuildWithoutItsOwnModelSaysSo(t *testing.T) {
	t.Parallel()
	_, err := model.Open(model.Config{Library: modeltest.Library(t), Lane: "smell", Threads: 1})
	require.ErrorContains(t, err, "load the product's own smell model: this build holds no model for the lane")
}

func TestALibraryIsLoadedOnce(t *testing.T) {
	t.Parallel()
	library := modeltest.Library(t)
	require.NoError(t, model.LoadLibrary(library))
	require.NoError(t, model.LoadLibrary(library))
	require.Regexp(t, `^1\.\d+\.\d+`, model.LibraryVersion())
	require.ErrorIs(t, model.LoadLibrary(""), model.ErrLibrary)
	require.ErrorContains(t, model.LoadLibrary("/no/such/library"), "is loaded already, and a process has one")
}
